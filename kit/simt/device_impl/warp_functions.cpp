// The warp functions of device/warp_functions.hpp: each turns its arguments into one LaneRequest.
#include "simt/device/warp_functions.hpp"
#include "simt/device_impl/announcing.hpp"
#include "simt/device_impl/shuffle.hpp"

using tilelab::simt::bits_of;
using tilelab::simt::LaneRequest;
using tilelab::simt::Machine;
using tilelab::simt::own_lane;
using tilelab::simt::shuffle;
using tilelab::simt::shuffle_source;
using tilelab::simt::WarpOperation;

namespace {

template <typename Value>
std::uint64_t ask(std::uintptr_t pc, WarpOperation operation, unsigned mask, Value value) {
  return Machine::current().exchange(pc, LaneRequest{operation, mask, bits_of(value), 0});
}

}  // namespace

inline namespace cuda_on_cpu {

int __shfl_sync(unsigned mask, int value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
int __shfl_up_sync(unsigned mask, int value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
int __shfl_down_sync(unsigned mask, int value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
int __shfl_xor_sync(unsigned mask, int value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, int value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, int value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
unsigned int __shfl_sync(unsigned mask, unsigned int value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
unsigned int __shfl_up_sync(unsigned mask, unsigned int value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
unsigned int __shfl_down_sync(unsigned mask, unsigned int value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
unsigned int __shfl_xor_sync(unsigned mask, unsigned int value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, unsigned int value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, unsigned int value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
long __shfl_sync(unsigned mask, long value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
long __shfl_up_sync(unsigned mask, long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
long __shfl_down_sync(unsigned mask, long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
long __shfl_xor_sync(unsigned mask, long value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, long value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, long value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
unsigned long __shfl_sync(unsigned mask, unsigned long value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
unsigned long __shfl_up_sync(unsigned mask, unsigned long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
unsigned long __shfl_down_sync(unsigned mask, unsigned long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
unsigned long __shfl_xor_sync(unsigned mask, unsigned long value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, unsigned long value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, unsigned long value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
long long __shfl_sync(unsigned mask, long long value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
long long __shfl_up_sync(unsigned mask, long long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
long long __shfl_down_sync(unsigned mask, long long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
long long __shfl_xor_sync(unsigned mask, long long value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, long long value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, long long value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
unsigned long long __shfl_sync(unsigned mask, unsigned long long value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
unsigned long long __shfl_up_sync(unsigned mask, unsigned long long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
unsigned long long __shfl_down_sync(unsigned mask, unsigned long long value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
unsigned long long __shfl_xor_sync(unsigned mask, unsigned long long value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, unsigned long long value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, unsigned long long value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
float __shfl_sync(unsigned mask, float value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
float __shfl_up_sync(unsigned mask, float value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
float __shfl_down_sync(unsigned mask, float value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
float __shfl_xor_sync(unsigned mask, float value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, float value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, float value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}
double __shfl_sync(unsigned mask, double value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
double __shfl_up_sync(unsigned mask, double value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
double __shfl_down_sync(unsigned mask, double value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
double __shfl_xor_sync(unsigned mask, double value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
unsigned __match_any_sync(unsigned mask, double value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, value));
}
unsigned __match_all_sync(unsigned mask, double value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value));
  TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write);
  *all_equal = lanes != 0 ? 1 : 0;
  return lanes;
}

int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(ask(TILELAB_STATEMENT, WarpOperation::vote_all, mask, predicate != 0 ? 1u : 0u));
}
int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(ask(TILELAB_STATEMENT, WarpOperation::vote_any, mask, predicate != 0 ? 1u : 0u));
}
unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::ballot, mask, predicate != 0 ? 1u : 0u));
}
unsigned __activemask() { return Machine::current().converge(TILELAB_STATEMENT); }
int __reduce_add_sync(unsigned mask, int value) { return static_cast<int>(ask(TILELAB_STATEMENT, WarpOperation::reduce_add, mask, value)); }
int __reduce_min_sync(unsigned mask, int value) {
  return static_cast<int>(ask(TILELAB_STATEMENT, WarpOperation::reduce_min_signed, mask, value));
}
int __reduce_max_sync(unsigned mask, int value) {
  return static_cast<int>(ask(TILELAB_STATEMENT, WarpOperation::reduce_max_signed, mask, value));
}
unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_add, mask, value));
}
unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_min_unsigned, mask, value));
}
unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_max_unsigned, mask, value));
}
unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_and, mask, value));
}
unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_or, mask, value));
}
unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(ask(TILELAB_STATEMENT, WarpOperation::reduce_xor, mask, value));
}

}  // namespace cuda_on_cpu
