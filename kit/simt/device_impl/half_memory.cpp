// The functions of device/half_memory.hpp.
#include "simt/device/half_memory.hpp"
#include "simt/device/half_functions.hpp"
#include "simt/device_impl/announcing.hpp"
#include "simt/device_impl/shuffle.hpp"

#define LOAD(address)                      \
  TILELAB_ANNOUNCE_ALIGNED(address, read); \
  return *(address)

#define STORE(address, value)               \
  TILELAB_ANNOUNCE_ALIGNED(address, write); \
  *(address) = value

#define ADD(address, next, scope)          \
  TILELAB_ANNOUNCE_ATOMIC(address, scope); \
  const auto old = *(address);             \
  *(address) = next;                       \
  return old

using tilelab::simt::own_lane;
using tilelab::simt::shuffle;
using tilelab::simt::shuffle_source;

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

__half __ldg(const __half* address) { LOAD(address); }
__half __ldcg(const __half* address) { LOAD(address); }
__half __ldca(const __half* address) { LOAD(address); }
__half __ldcs(const __half* address) { LOAD(address); }
__half __ldlu(const __half* address) { LOAD(address); }
__half __ldcv(const __half* address) { LOAD(address); }
void __stwb(__half* address, __half value) { STORE(address, value); }
void __stcg(__half* address, __half value) { STORE(address, value); }
void __stcs(__half* address, __half value) { STORE(address, value); }
void __stwt(__half* address, __half value) { STORE(address, value); }
__half2 __ldg(const __half2* address) { LOAD(address); }
__half2 __ldcg(const __half2* address) { LOAD(address); }
__half2 __ldca(const __half2* address) { LOAD(address); }
__half2 __ldcs(const __half2* address) { LOAD(address); }
__half2 __ldlu(const __half2* address) { LOAD(address); }
__half2 __ldcv(const __half2* address) { LOAD(address); }
void __stwb(__half2* address, __half2 value) { STORE(address, value); }
void __stcg(__half2* address, __half2 value) { STORE(address, value); }
void __stcs(__half2* address, __half2 value) { STORE(address, value); }
void __stwt(__half2* address, __half2 value) { STORE(address, value); }
__half atomicAdd(__half* address, __half value) { ADD(address, __hadd(old, value), device); }
__half2 atomicAdd(__half2* address, __half2 value) { ADD(address, __hadd2(old, value), device); }
__half atomicAdd_block(__half* address, __half value) { ADD(address, __hadd(old, value), block); }
__half2 atomicAdd_block(__half2* address, __half2 value) { ADD(address, __hadd2(old, value), block); }
__half atomicAdd_system(__half* address, __half value) { ADD(address, __hadd(old, value), system); }
__half2 atomicAdd_system(__half2* address, __half2 value) { ADD(address, __hadd2(old, value), system); }
__half __shfl_sync(unsigned mask, __half value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
__half __shfl_up_sync(unsigned mask, __half value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
__half __shfl_down_sync(unsigned mask, __half value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
__half __shfl_xor_sync(unsigned mask, __half value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}
__half2 __shfl_sync(unsigned mask, __half2 value, int source, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, true));
}
__half2 __shfl_up_sync(unsigned mask, __half2 value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} - delta, width, false));
}
__half2 __shfl_down_sync(unsigned mask, __half2 value, unsigned delta, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} + delta, width, false));
}
__half2 __shfl_xor_sync(unsigned mask, __half2 value, int lane_mask, int width) {
  return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(std::int64_t{own_lane()} ^ lane_mask, width, false));
}

}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu
