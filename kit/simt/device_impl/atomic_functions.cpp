// The atomic functions of device/atomic_functions.hpp.
#include "simt/device/atomic_functions.hpp"
#include "simt/device_impl/announcing.hpp"

// Announces the update of *address and returns the old value.
#define UPDATE_IN_SCOPE(address, next, scope)    \
  TILELAB_ANNOUNCE_ATOMIC(address, scope);       \
  auto old = *(address);                         \
  *(address) = static_cast<decltype(old)>(next); \
  return old
#define UPDATE(address, next) UPDATE_IN_SCOPE(address, next, device)
#define UPDATE_IN_BLOCK(address, next) UPDATE_IN_SCOPE(address, next, block)
#define UPDATE_IN_SYSTEM(address, next) UPDATE_IN_SCOPE(address, next, system)

inline namespace cuda_on_cpu {

int atomicAdd(int* address, int value) { UPDATE(address, old + value); }
unsigned int atomicAdd(unsigned int* address, unsigned int value) { UPDATE(address, old + value); }
unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) { UPDATE(address, old + value); }
float atomicAdd(float* address, float value) { UPDATE(address, old + value); }
double atomicAdd(double* address, double value) { UPDATE(address, old + value); }
float2 atomicAdd(float2* address, float2 value) { UPDATE(address, (make_float2(old.x + value.x, old.y + value.y))); }
float4 atomicAdd(float4* address, float4 value) {
  UPDATE(address, (make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w)));
}
int atomicSub(int* address, int value) { UPDATE(address, old - value); }
unsigned int atomicSub(unsigned int* address, unsigned int value) { UPDATE(address, old - value); }
int atomicExch(int* address, int value) { UPDATE(address, value); }
unsigned int atomicExch(unsigned int* address, unsigned int value) { UPDATE(address, value); }
unsigned long long atomicExch(unsigned long long* address, unsigned long long value) { UPDATE(address, value); }
float atomicExch(float* address, float value) { UPDATE(address, value); }
int atomicMin(int* address, int value) { UPDATE(address, value < old ? value : old); }
unsigned int atomicMin(unsigned int* address, unsigned int value) { UPDATE(address, value < old ? value : old); }
long long atomicMin(long long* address, long long value) { UPDATE(address, value < old ? value : old); }
unsigned long long atomicMin(unsigned long long* address, unsigned long long value) { UPDATE(address, value < old ? value : old); }
int atomicMax(int* address, int value) { UPDATE(address, old < value ? value : old); }
unsigned int atomicMax(unsigned int* address, unsigned int value) { UPDATE(address, old < value ? value : old); }
long long atomicMax(long long* address, long long value) { UPDATE(address, old < value ? value : old); }
unsigned long long atomicMax(unsigned long long* address, unsigned long long value) { UPDATE(address, old < value ? value : old); }
int atomicAnd(int* address, int value) { UPDATE(address, old & value); }
unsigned int atomicAnd(unsigned int* address, unsigned int value) { UPDATE(address, old & value); }
long long atomicAnd(long long* address, long long value) { UPDATE(address, old & value); }
unsigned long long atomicAnd(unsigned long long* address, unsigned long long value) { UPDATE(address, old & value); }
int atomicOr(int* address, int value) { UPDATE(address, old | value); }
unsigned int atomicOr(unsigned int* address, unsigned int value) { UPDATE(address, old | value); }
long long atomicOr(long long* address, long long value) { UPDATE(address, old | value); }
unsigned long long atomicOr(unsigned long long* address, unsigned long long value) { UPDATE(address, old | value); }
int atomicXor(int* address, int value) { UPDATE(address, old ^ value); }
unsigned int atomicXor(unsigned int* address, unsigned int value) { UPDATE(address, old ^ value); }
long long atomicXor(long long* address, long long value) { UPDATE(address, old ^ value); }
unsigned long long atomicXor(unsigned long long* address, unsigned long long value) { UPDATE(address, old ^ value); }
unsigned int atomicInc(unsigned int* address, unsigned int value) { UPDATE(address, old >= value ? 0 : old + 1); }
unsigned int atomicDec(unsigned int* address, unsigned int value) { UPDATE(address, old == 0 || old > value ? value : old - 1); }
int atomicCAS(int* address, int compare, int value) { UPDATE(address, old == compare ? value : old); }
unsigned int atomicCAS(unsigned int* address, unsigned int compare, unsigned int value) { UPDATE(address, old == compare ? value : old); }
unsigned long long atomicCAS(unsigned long long* address, unsigned long long compare, unsigned long long value) {
  UPDATE(address, old == compare ? value : old);
}
unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short value) {
  UPDATE(address, old == compare ? value : old);
}
int atomicAdd_block(int* address, int value) { UPDATE_IN_BLOCK(address, old + value); }
unsigned int atomicAdd_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old + value); }
unsigned long long atomicAdd_block(unsigned long long* address, unsigned long long value) { UPDATE_IN_BLOCK(address, old + value); }
float atomicAdd_block(float* address, float value) { UPDATE_IN_BLOCK(address, old + value); }
double atomicAdd_block(double* address, double value) { UPDATE_IN_BLOCK(address, old + value); }
float2 atomicAdd_block(float2* address, float2 value) { UPDATE_IN_BLOCK(address, (make_float2(old.x + value.x, old.y + value.y))); }
float4 atomicAdd_block(float4* address, float4 value) {
  UPDATE_IN_BLOCK(address, (make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w)));
}
int atomicSub_block(int* address, int value) { UPDATE_IN_BLOCK(address, old - value); }
unsigned int atomicSub_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old - value); }
int atomicExch_block(int* address, int value) { UPDATE_IN_BLOCK(address, value); }
unsigned int atomicExch_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, value); }
unsigned long long atomicExch_block(unsigned long long* address, unsigned long long value) { UPDATE_IN_BLOCK(address, value); }
float atomicExch_block(float* address, float value) { UPDATE_IN_BLOCK(address, value); }
int atomicMin_block(int* address, int value) { UPDATE_IN_BLOCK(address, value < old ? value : old); }
unsigned int atomicMin_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, value < old ? value : old); }
long long atomicMin_block(long long* address, long long value) { UPDATE_IN_BLOCK(address, value < old ? value : old); }
unsigned long long atomicMin_block(unsigned long long* address, unsigned long long value) {
  UPDATE_IN_BLOCK(address, value < old ? value : old);
}
int atomicMax_block(int* address, int value) { UPDATE_IN_BLOCK(address, old < value ? value : old); }
unsigned int atomicMax_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old < value ? value : old); }
long long atomicMax_block(long long* address, long long value) { UPDATE_IN_BLOCK(address, old < value ? value : old); }
unsigned long long atomicMax_block(unsigned long long* address, unsigned long long value) {
  UPDATE_IN_BLOCK(address, old < value ? value : old);
}
int atomicAnd_block(int* address, int value) { UPDATE_IN_BLOCK(address, old & value); }
unsigned int atomicAnd_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old & value); }
long long atomicAnd_block(long long* address, long long value) { UPDATE_IN_BLOCK(address, old & value); }
unsigned long long atomicAnd_block(unsigned long long* address, unsigned long long value) { UPDATE_IN_BLOCK(address, old & value); }
int atomicOr_block(int* address, int value) { UPDATE_IN_BLOCK(address, old | value); }
unsigned int atomicOr_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old | value); }
long long atomicOr_block(long long* address, long long value) { UPDATE_IN_BLOCK(address, old | value); }
unsigned long long atomicOr_block(unsigned long long* address, unsigned long long value) { UPDATE_IN_BLOCK(address, old | value); }
int atomicXor_block(int* address, int value) { UPDATE_IN_BLOCK(address, old ^ value); }
unsigned int atomicXor_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old ^ value); }
long long atomicXor_block(long long* address, long long value) { UPDATE_IN_BLOCK(address, old ^ value); }
unsigned long long atomicXor_block(unsigned long long* address, unsigned long long value) { UPDATE_IN_BLOCK(address, old ^ value); }
unsigned int atomicInc_block(unsigned int* address, unsigned int value) { UPDATE_IN_BLOCK(address, old >= value ? 0 : old + 1); }
unsigned int atomicDec_block(unsigned int* address, unsigned int value) {
  UPDATE_IN_BLOCK(address, old == 0 || old > value ? value : old - 1);
}
int atomicCAS_block(int* address, int compare, int value) { UPDATE_IN_BLOCK(address, old == compare ? value : old); }
unsigned int atomicCAS_block(unsigned int* address, unsigned int compare, unsigned int value) {
  UPDATE_IN_BLOCK(address, old == compare ? value : old);
}
unsigned long long atomicCAS_block(unsigned long long* address, unsigned long long compare, unsigned long long value) {
  UPDATE_IN_BLOCK(address, old == compare ? value : old);
}
unsigned short atomicCAS_block(unsigned short* address, unsigned short compare, unsigned short value) {
  UPDATE_IN_BLOCK(address, old == compare ? value : old);
}
int atomicAdd_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old + value); }
unsigned int atomicAdd_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old + value); }
unsigned long long atomicAdd_system(unsigned long long* address, unsigned long long value) { UPDATE_IN_SYSTEM(address, old + value); }
float atomicAdd_system(float* address, float value) { UPDATE_IN_SYSTEM(address, old + value); }
double atomicAdd_system(double* address, double value) { UPDATE_IN_SYSTEM(address, old + value); }
float2 atomicAdd_system(float2* address, float2 value) { UPDATE_IN_SYSTEM(address, (make_float2(old.x + value.x, old.y + value.y))); }
float4 atomicAdd_system(float4* address, float4 value) {
  UPDATE_IN_SYSTEM(address, (make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w)));
}
int atomicSub_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old - value); }
unsigned int atomicSub_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old - value); }
int atomicExch_system(int* address, int value) { UPDATE_IN_SYSTEM(address, value); }
unsigned int atomicExch_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, value); }
unsigned long long atomicExch_system(unsigned long long* address, unsigned long long value) { UPDATE_IN_SYSTEM(address, value); }
float atomicExch_system(float* address, float value) { UPDATE_IN_SYSTEM(address, value); }
int atomicMin_system(int* address, int value) { UPDATE_IN_SYSTEM(address, value < old ? value : old); }
unsigned int atomicMin_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, value < old ? value : old); }
long long atomicMin_system(long long* address, long long value) { UPDATE_IN_SYSTEM(address, value < old ? value : old); }
unsigned long long atomicMin_system(unsigned long long* address, unsigned long long value) {
  UPDATE_IN_SYSTEM(address, value < old ? value : old);
}
int atomicMax_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old < value ? value : old); }
unsigned int atomicMax_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old < value ? value : old); }
long long atomicMax_system(long long* address, long long value) { UPDATE_IN_SYSTEM(address, old < value ? value : old); }
unsigned long long atomicMax_system(unsigned long long* address, unsigned long long value) {
  UPDATE_IN_SYSTEM(address, old < value ? value : old);
}
int atomicAnd_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old & value); }
unsigned int atomicAnd_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old & value); }
long long atomicAnd_system(long long* address, long long value) { UPDATE_IN_SYSTEM(address, old & value); }
unsigned long long atomicAnd_system(unsigned long long* address, unsigned long long value) { UPDATE_IN_SYSTEM(address, old & value); }
int atomicOr_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old | value); }
unsigned int atomicOr_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old | value); }
long long atomicOr_system(long long* address, long long value) { UPDATE_IN_SYSTEM(address, old | value); }
unsigned long long atomicOr_system(unsigned long long* address, unsigned long long value) { UPDATE_IN_SYSTEM(address, old | value); }
int atomicXor_system(int* address, int value) { UPDATE_IN_SYSTEM(address, old ^ value); }
unsigned int atomicXor_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old ^ value); }
long long atomicXor_system(long long* address, long long value) { UPDATE_IN_SYSTEM(address, old ^ value); }
unsigned long long atomicXor_system(unsigned long long* address, unsigned long long value) { UPDATE_IN_SYSTEM(address, old ^ value); }
unsigned int atomicInc_system(unsigned int* address, unsigned int value) { UPDATE_IN_SYSTEM(address, old >= value ? 0 : old + 1); }
unsigned int atomicDec_system(unsigned int* address, unsigned int value) {
  UPDATE_IN_SYSTEM(address, old == 0 || old > value ? value : old - 1);
}
int atomicCAS_system(int* address, int compare, int value) { UPDATE_IN_SYSTEM(address, old == compare ? value : old); }
unsigned int atomicCAS_system(unsigned int* address, unsigned int compare, unsigned int value) {
  UPDATE_IN_SYSTEM(address, old == compare ? value : old);
}
unsigned long long atomicCAS_system(unsigned long long* address, unsigned long long compare, unsigned long long value) {
  UPDATE_IN_SYSTEM(address, old == compare ? value : old);
}
unsigned short atomicCAS_system(unsigned short* address, unsigned short compare, unsigned short value) {
  UPDATE_IN_SYSTEM(address, old == compare ? value : old);
}

}  // namespace cuda_on_cpu
