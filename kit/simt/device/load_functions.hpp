// Loads and stores through a chosen cache. The CPU executor has no caches, so each is an ordinary load or store.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

// Every type has the same ten functions.
#define TILELAB_CACHED(Type)                                                          \
  Type __ldg(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));                \
  Type __ldcg(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));               \
  Type __ldca(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));               \
  Type __ldcs(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));               \
  Type __ldlu(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));               \
  Type __ldcv(const Type* address) TILELAB_DOES(TILELAB_LOAD(address));               \
  void __stwb(Type* address, Type value) TILELAB_DOES(TILELAB_STORE(address, value)); \
  void __stcg(Type* address, Type value) TILELAB_DOES(TILELAB_STORE(address, value)); \
  void __stcs(Type* address, Type value) TILELAB_DOES(TILELAB_STORE(address, value)); \
  void __stwt(Type* address, Type value) TILELAB_DOES(TILELAB_STORE(address, value));

TILELAB_CACHED(char)
TILELAB_CACHED(signed char)
TILELAB_CACHED(unsigned char)
TILELAB_CACHED(short)
TILELAB_CACHED(unsigned short)
TILELAB_CACHED(int)
TILELAB_CACHED(unsigned int)
TILELAB_CACHED(long)
TILELAB_CACHED(unsigned long)
TILELAB_CACHED(long long)
TILELAB_CACHED(unsigned long long)
TILELAB_CACHED(float)
TILELAB_CACHED(double)
TILELAB_CACHED(char2)
TILELAB_CACHED(char4)
TILELAB_CACHED(uchar2)
TILELAB_CACHED(uchar4)
TILELAB_CACHED(short2)
TILELAB_CACHED(short4)
TILELAB_CACHED(ushort2)
TILELAB_CACHED(ushort4)
TILELAB_CACHED(int2)
TILELAB_CACHED(int4)
TILELAB_CACHED(uint2)
TILELAB_CACHED(uint4)
TILELAB_CACHED(longlong2)
TILELAB_CACHED(ulonglong2)
TILELAB_CACHED(float2)
TILELAB_CACHED(float4)
TILELAB_CACHED(double2)

}  // namespace cuda_on_cpu
