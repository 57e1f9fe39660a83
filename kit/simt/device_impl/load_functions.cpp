// The loads and stores of device/load_functions.hpp.
#include "simt/device/load_functions.hpp"
#include "simt/device_impl/announcing.hpp"

#define LOAD(address)                      \
  TILELAB_ANNOUNCE_ALIGNED(address, read); \
  return *(address)

#define STORE(address, value)               \
  TILELAB_ANNOUNCE_ALIGNED(address, write); \
  *(address) = value

inline namespace cuda_on_cpu {

#define CACHED(Type)                                                \
  Type __ldg(const Type* address) { LOAD(address); }                \
  Type __ldcg(const Type* address) { LOAD(address); }               \
  Type __ldca(const Type* address) { LOAD(address); }               \
  Type __ldcs(const Type* address) { LOAD(address); }               \
  Type __ldlu(const Type* address) { LOAD(address); }               \
  Type __ldcv(const Type* address) { LOAD(address); }               \
  void __stwb(Type* address, Type value) { STORE(address, value); } \
  void __stcg(Type* address, Type value) { STORE(address, value); } \
  void __stcs(Type* address, Type value) { STORE(address, value); } \
  void __stwt(Type* address, Type value) { STORE(address, value); }

CACHED(char)
CACHED(signed char)
CACHED(unsigned char)
CACHED(short)
CACHED(unsigned short)
CACHED(int)
CACHED(unsigned int)
CACHED(long)
CACHED(unsigned long)
CACHED(long long)
CACHED(unsigned long long)
CACHED(float)
CACHED(double)
CACHED(char2)
CACHED(char4)
CACHED(uchar2)
CACHED(uchar4)
CACHED(short2)
CACHED(short4)
CACHED(ushort2)
CACHED(ushort4)
CACHED(int2)
CACHED(int4)
CACHED(uint2)
CACHED(uint4)
CACHED(longlong2)
CACHED(ulonglong2)
CACHED(float2)
CACHED(float4)
CACHED(double2)

}  // namespace cuda_on_cpu
