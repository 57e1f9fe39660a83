// Atomic functions, and loads and stores through a chosen cache. One operating-system thread runs the whole launch, and fibers do not
// switch during an update. So each atomic function is an ordinary update that is announced as atomic. They are overloads, as CUDA's are: 1
// may be added to a float. The executor has no caches: each load and store is an ordinary one.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

// The function of that name for one type, and those with the scope of a block and of the system. Behind it: what `old` becomes.
#define TILELAB_ATOMIC(name, T, ...)                                                             \
  T name(T* address, T value) TILELAB_DOES(TILELAB_UPDATE(address, device, __VA_ARGS__));        \
  T name##_block(T* address, T value) TILELAB_DOES(TILELAB_UPDATE(address, block, __VA_ARGS__)); \
  T name##_system(T* address, T value) TILELAB_DOES(TILELAB_UPDATE(address, system, __VA_ARGS__));
#define TILELAB_ATOMIC_OF_WORDS(name, ...) \
  TILELAB_ATOMIC(name, int, __VA_ARGS__)   \
  TILELAB_ATOMIC(name, unsigned int, __VA_ARGS__)
#define TILELAB_ATOMIC_OF_INTEGERS(name, ...)  \
  TILELAB_ATOMIC_OF_WORDS(name, __VA_ARGS__)   \
  TILELAB_ATOMIC(name, long long, __VA_ARGS__) \
  TILELAB_ATOMIC(name, unsigned long long, __VA_ARGS__)
#define TILELAB_ATOMIC_CAS(T)                                                                                                   \
  T atomicCAS(T* address, T compare, T value) TILELAB_DOES(TILELAB_UPDATE(address, device, old == compare ? value : old));      \
  T atomicCAS_block(T* address, T compare, T value) TILELAB_DOES(TILELAB_UPDATE(address, block, old == compare ? value : old)); \
  T atomicCAS_system(T* address, T compare, T value) TILELAB_DOES(TILELAB_UPDATE(address, system, old == compare ? value : old));

TILELAB_ATOMIC_OF_WORDS(atomicAdd, old + value)
TILELAB_ATOMIC(atomicAdd, unsigned long long, old + value)
TILELAB_ATOMIC(atomicAdd, float, old + value)
TILELAB_ATOMIC(atomicAdd, double, old + value)
TILELAB_ATOMIC(atomicAdd, float2, make_float2(old.x + value.x, old.y + value.y))
TILELAB_ATOMIC(atomicAdd, float4, make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w))
TILELAB_ATOMIC_OF_WORDS(atomicSub, old - value)
TILELAB_ATOMIC_OF_WORDS(atomicExch, value)
TILELAB_ATOMIC(atomicExch, unsigned long long, value)
TILELAB_ATOMIC(atomicExch, float, value)
TILELAB_ATOMIC_OF_INTEGERS(atomicMin, value < old ? value : old)
TILELAB_ATOMIC_OF_INTEGERS(atomicMax, old < value ? value : old)
TILELAB_ATOMIC_OF_INTEGERS(atomicAnd, old& value)
TILELAB_ATOMIC_OF_INTEGERS(atomicOr, old | value)
TILELAB_ATOMIC_OF_INTEGERS(atomicXor, old ^ value)
TILELAB_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
TILELAB_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
TILELAB_ATOMIC_CAS(int)
TILELAB_ATOMIC_CAS(unsigned int)
TILELAB_ATOMIC_CAS(unsigned long long)
TILELAB_ATOMIC_CAS(unsigned short)
#undef TILELAB_ATOMIC_CAS
#undef TILELAB_ATOMIC_OF_INTEGERS
#undef TILELAB_ATOMIC_OF_WORDS

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
