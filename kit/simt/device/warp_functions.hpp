// Shuffles, votes, match and reduce. They are overloads and not templates, so that a call belongs to the student's statement.
#pragma once

inline namespace cuda_on_cpu {

int __shfl_sync(unsigned mask, int value, int source, int width = 32);
int __shfl_up_sync(unsigned mask, int value, unsigned delta, int width = 32);
int __shfl_down_sync(unsigned mask, int value, unsigned delta, int width = 32);
int __shfl_xor_sync(unsigned mask, int value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, int value);
unsigned __match_all_sync(unsigned mask, int value, int* all_equal);
unsigned int __shfl_sync(unsigned mask, unsigned int value, int source, int width = 32);
unsigned int __shfl_up_sync(unsigned mask, unsigned int value, unsigned delta, int width = 32);
unsigned int __shfl_down_sync(unsigned mask, unsigned int value, unsigned delta, int width = 32);
unsigned int __shfl_xor_sync(unsigned mask, unsigned int value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, unsigned int value);
unsigned __match_all_sync(unsigned mask, unsigned int value, int* all_equal);
long __shfl_sync(unsigned mask, long value, int source, int width = 32);
long __shfl_up_sync(unsigned mask, long value, unsigned delta, int width = 32);
long __shfl_down_sync(unsigned mask, long value, unsigned delta, int width = 32);
long __shfl_xor_sync(unsigned mask, long value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, long value);
unsigned __match_all_sync(unsigned mask, long value, int* all_equal);
unsigned long __shfl_sync(unsigned mask, unsigned long value, int source, int width = 32);
unsigned long __shfl_up_sync(unsigned mask, unsigned long value, unsigned delta, int width = 32);
unsigned long __shfl_down_sync(unsigned mask, unsigned long value, unsigned delta, int width = 32);
unsigned long __shfl_xor_sync(unsigned mask, unsigned long value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, unsigned long value);
unsigned __match_all_sync(unsigned mask, unsigned long value, int* all_equal);
long long __shfl_sync(unsigned mask, long long value, int source, int width = 32);
long long __shfl_up_sync(unsigned mask, long long value, unsigned delta, int width = 32);
long long __shfl_down_sync(unsigned mask, long long value, unsigned delta, int width = 32);
long long __shfl_xor_sync(unsigned mask, long long value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, long long value);
unsigned __match_all_sync(unsigned mask, long long value, int* all_equal);
unsigned long long __shfl_sync(unsigned mask, unsigned long long value, int source, int width = 32);
unsigned long long __shfl_up_sync(unsigned mask, unsigned long long value, unsigned delta, int width = 32);
unsigned long long __shfl_down_sync(unsigned mask, unsigned long long value, unsigned delta, int width = 32);
unsigned long long __shfl_xor_sync(unsigned mask, unsigned long long value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, unsigned long long value);
unsigned __match_all_sync(unsigned mask, unsigned long long value, int* all_equal);
float __shfl_sync(unsigned mask, float value, int source, int width = 32);
float __shfl_up_sync(unsigned mask, float value, unsigned delta, int width = 32);
float __shfl_down_sync(unsigned mask, float value, unsigned delta, int width = 32);
float __shfl_xor_sync(unsigned mask, float value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, float value);
unsigned __match_all_sync(unsigned mask, float value, int* all_equal);
double __shfl_sync(unsigned mask, double value, int source, int width = 32);
double __shfl_up_sync(unsigned mask, double value, unsigned delta, int width = 32);
double __shfl_down_sync(unsigned mask, double value, unsigned delta, int width = 32);
double __shfl_xor_sync(unsigned mask, double value, int lane_mask, int width = 32);
unsigned __match_any_sync(unsigned mask, double value);
unsigned __match_all_sync(unsigned mask, double value, int* all_equal);

int __all_sync(unsigned mask, int predicate);
int __any_sync(unsigned mask, int predicate);
unsigned __ballot_sync(unsigned mask, int predicate);
unsigned __activemask();
int __reduce_add_sync(unsigned mask, int value);
int __reduce_min_sync(unsigned mask, int value);
int __reduce_max_sync(unsigned mask, int value);
unsigned __reduce_add_sync(unsigned mask, unsigned value);
unsigned __reduce_min_sync(unsigned mask, unsigned value);
unsigned __reduce_max_sync(unsigned mask, unsigned value);
unsigned __reduce_and_sync(unsigned mask, unsigned value);
unsigned __reduce_or_sync(unsigned mask, unsigned value);
unsigned __reduce_xor_sync(unsigned mask, unsigned value);

}  // namespace cuda_on_cpu
