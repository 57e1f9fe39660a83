// Half-precision numbers: loads and stores through caches, atomics, shuffles.
#pragma once

#include "half_types.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

__half __ldg(const __half* address);
__half __ldcg(const __half* address);
__half __ldca(const __half* address);
__half __ldcs(const __half* address);
__half __ldlu(const __half* address);
__half __ldcv(const __half* address);
void __stwb(__half* address, __half value);
void __stcg(__half* address, __half value);
void __stcs(__half* address, __half value);
void __stwt(__half* address, __half value);
__half2 __ldg(const __half2* address);
__half2 __ldcg(const __half2* address);
__half2 __ldca(const __half2* address);
__half2 __ldcs(const __half2* address);
__half2 __ldlu(const __half2* address);
__half2 __ldcv(const __half2* address);
void __stwb(__half2* address, __half2 value);
void __stcg(__half2* address, __half2 value);
void __stcs(__half2* address, __half2 value);
void __stwt(__half2* address, __half2 value);
__half atomicAdd(__half* address, __half value);
__half2 atomicAdd(__half2* address, __half2 value);
__half atomicAdd_block(__half* address, __half value);
__half2 atomicAdd_block(__half2* address, __half2 value);
__half atomicAdd_system(__half* address, __half value);
__half2 atomicAdd_system(__half2* address, __half2 value);
__half __shfl_sync(unsigned mask, __half value, int source, int width = 32);
__half __shfl_up_sync(unsigned mask, __half value, unsigned delta, int width = 32);
__half __shfl_down_sync(unsigned mask, __half value, unsigned delta, int width = 32);
__half __shfl_xor_sync(unsigned mask, __half value, int lane_mask, int width = 32);
__half2 __shfl_sync(unsigned mask, __half2 value, int source, int width = 32);
__half2 __shfl_up_sync(unsigned mask, __half2 value, unsigned delta, int width = 32);
__half2 __shfl_down_sync(unsigned mask, __half2 value, unsigned delta, int width = 32);
__half2 __shfl_xor_sync(unsigned mask, __half2 value, int lane_mask, int width = 32);

}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu
