// CUDA's runtime: the device, its properties and limits, errors, versions, and the profiler's switches. There is one device, number 0.
#pragma once

#include <cstddef>

#include "runtime_types.hpp"

// What a program can ask about its device. It has members of CUDA 12, because CUDA 13 removed some that courses print.

struct cudaUUID_t {
  char bytes[16];
};

// The members of cudaDeviceProp with their values, which are those of an H100 with 80 GB of memory (SXM), and the attributes of
// cudaDeviceGetAttribute with their numbers. PROPERTY: a member and its attribute; PLAIN: a member without one; LIST: a member of several
// numbers, of which each PART has an attribute.
// clang-format off: a table reads better as one
#define TILELAB_DEVICE(PROPERTY, PLAIN, LIST, PART) \
  PLAIN(std::size_t, totalGlobalMem, 0 /* the broker's */) \
  PROPERTY(std::size_t, sharedMemPerBlock, 48 * 1024, cudaDevAttrMaxSharedMemoryPerBlock, 8) \
  PROPERTY(int, regsPerBlock, 65536, cudaDevAttrMaxRegistersPerBlock, 12) \
  PROPERTY(int, warpSize, 32, cudaDevAttrWarpSize, 10) \
  PROPERTY(std::size_t, memPitch, INT_MAX, cudaDevAttrMaxPitch, 11) \
  PROPERTY(int, maxThreadsPerBlock, 1024, cudaDevAttrMaxThreadsPerBlock, 1) \
  LIST(maxThreadsDim, 3, 1024, 1024, 64) \
  PART(cudaDevAttrMaxBlockDimX, 2, maxThreadsDim[0]) \
  PART(cudaDevAttrMaxBlockDimY, 3, maxThreadsDim[1]) \
  PART(cudaDevAttrMaxBlockDimZ, 4, maxThreadsDim[2]) \
  LIST(maxGridSize, 3, INT_MAX, 65535, 65535) \
  PART(cudaDevAttrMaxGridDimX, 5, maxGridSize[0]) \
  PART(cudaDevAttrMaxGridDimY, 6, maxGridSize[1]) \
  PART(cudaDevAttrMaxGridDimZ, 7, maxGridSize[2]) \
  PROPERTY(std::size_t, totalConstMem, 64 * 1024, cudaDevAttrTotalConstantMemory, 9) \
  PROPERTY(int, major, 9, cudaDevAttrComputeCapabilityMajor, 75) \
  PROPERTY(int, minor, 0, cudaDevAttrComputeCapabilityMinor, 76) \
  PROPERTY(std::size_t, textureAlignment, 512, cudaDevAttrTextureAlignment, 14) \
  PROPERTY(std::size_t, texturePitchAlignment, 32, cudaDevAttrTexturePitchAlignment, 51) \
  PROPERTY(int, multiProcessorCount, 132, cudaDevAttrMultiProcessorCount, 16) \
  PROPERTY(int, integrated, 0, cudaDevAttrIntegrated, 18) \
  PROPERTY(int, canMapHostMemory, 1, cudaDevAttrCanMapHostMemory, 19) \
  PROPERTY(int, maxTexture1D, 131072, cudaDevAttrMaxTexture1DWidth, 21) \
  PLAIN(int, maxTexture1DMipmap, 32768) \
  LIST(maxTexture2D, 2, 131072, 65536) \
  PART(cudaDevAttrMaxTexture2DWidth, 22, maxTexture2D[0]) \
  PART(cudaDevAttrMaxTexture2DHeight, 23, maxTexture2D[1]) \
  LIST(maxTexture2DMipmap, 2, 32768, 32768) \
  LIST(maxTexture2DLinear, 3, 131072, 65000, 2097120) \
  PART(cudaDevAttrMaxTexture2DLinearWidth, 70, maxTexture2DLinear[0]) \
  PART(cudaDevAttrMaxTexture2DLinearHeight, 71, maxTexture2DLinear[1]) \
  PART(cudaDevAttrMaxTexture2DLinearPitch, 72, maxTexture2DLinear[2]) \
  LIST(maxTexture2DGather, 2, 32768, 32768) \
  LIST(maxTexture3D, 3, 16384, 16384, 16384) \
  PART(cudaDevAttrMaxTexture3DWidth, 24, maxTexture3D[0]) \
  PART(cudaDevAttrMaxTexture3DHeight, 25, maxTexture3D[1]) \
  PART(cudaDevAttrMaxTexture3DDepth, 26, maxTexture3D[2]) \
  LIST(maxTexture3DAlt, 3, 8192, 8192, 32768) \
  PLAIN(int, maxTextureCubemap, 32768) \
  LIST(maxTexture1DLayered, 2, 32768, 2048) \
  PART(cudaDevAttrMaxTexture1DLayeredWidth, 42, maxTexture1DLayered[0]) \
  PART(cudaDevAttrMaxTexture1DLayeredLayers, 43, maxTexture1DLayered[1]) \
  LIST(maxTexture2DLayered, 3, 32768, 32768, 2048) \
  PART(cudaDevAttrMaxTexture2DLayeredWidth, 27, maxTexture2DLayered[0]) \
  PART(cudaDevAttrMaxTexture2DLayeredHeight, 28, maxTexture2DLayered[1]) \
  PART(cudaDevAttrMaxTexture2DLayeredLayers, 29, maxTexture2DLayered[2]) \
  LIST(maxTextureCubemapLayered, 2, 32768, 2046) \
  PLAIN(int, maxSurface1D, 131072) \
  LIST(maxSurface2D, 2, 131072, 65536) \
  LIST(maxSurface3D, 3, 16384, 16384, 16384) \
  LIST(maxSurface1DLayered, 2, 32768, 2048) \
  LIST(maxSurface2DLayered, 3, 32768, 32768, 2048) \
  PLAIN(int, maxSurfaceCubemap, 32768) \
  LIST(maxSurfaceCubemapLayered, 2, 32768, 2046) \
  PROPERTY(std::size_t, surfaceAlignment, 512, cudaDevAttrSurfaceAlignment, 30) \
  PROPERTY(int, concurrentKernels, 1, cudaDevAttrConcurrentKernels, 31) \
  PROPERTY(int, ECCEnabled, 1, cudaDevAttrEccEnabled, 32) \
  PROPERTY(int, pciBusID, 0, cudaDevAttrPciBusId, 33) \
  PROPERTY(int, pciDeviceID, 0, cudaDevAttrPciDeviceId, 34) \
  PROPERTY(int, pciDomainID, 0, cudaDevAttrPciDomainId, 50) \
  PROPERTY(int, tccDriver, 0, cudaDevAttrTccDriver, 35) \
  PROPERTY(int, asyncEngineCount, 3, cudaDevAttrAsyncEngineCount, 40) \
  PROPERTY(int, unifiedAddressing, 1, cudaDevAttrUnifiedAddressing, 41) \
  PROPERTY(int, memoryBusWidth, 5120, cudaDevAttrGlobalMemoryBusWidth, 37) \
  PROPERTY(int, l2CacheSize, 50 * 1024 * 1024, cudaDevAttrL2CacheSize, 38) \
  PROPERTY(int, persistingL2CacheMaxSize, 32768 * 1000, cudaDevAttrMaxPersistingL2CacheSize, 108) \
  PROPERTY(int, maxThreadsPerMultiProcessor, 2048, cudaDevAttrMaxThreadsPerMultiProcessor, 39) \
  PROPERTY(int, streamPrioritiesSupported, 1, cudaDevAttrStreamPrioritiesSupported, 78) \
  PROPERTY(int, globalL1CacheSupported, 1, cudaDevAttrGlobalL1CacheSupported, 79) \
  PROPERTY(int, localL1CacheSupported, 1, cudaDevAttrLocalL1CacheSupported, 80) \
  PROPERTY(std::size_t, sharedMemPerMultiprocessor, 228 * 1024, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81) \
  PROPERTY(int, regsPerMultiprocessor, 65536, cudaDevAttrMaxRegistersPerMultiprocessor, 82) \
  PROPERTY(int, managedMemory, 1, cudaDevAttrManagedMemory, 83) \
  PROPERTY(int, isMultiGpuBoard, 0, cudaDevAttrIsMultiGpuBoard, 84) \
  PROPERTY(int, multiGpuBoardGroupID, 0, cudaDevAttrMultiGpuBoardGroupID, 85) \
  PROPERTY(int, hostNativeAtomicSupported, 0, cudaDevAttrHostNativeAtomicSupported, 86) \
  PROPERTY(int, pageableMemoryAccess, 0, cudaDevAttrPageableMemoryAccess, 88) \
  PROPERTY(int, concurrentManagedAccess, 1, cudaDevAttrConcurrentManagedAccess, 89) \
  PROPERTY(int, computePreemptionSupported, 1, cudaDevAttrComputePreemptionSupported, 90) \
  PROPERTY(int, canUseHostPointerForRegisteredMem, 1, cudaDevAttrCanUseHostPointerForRegisteredMem, 91) \
  PROPERTY(int, cooperativeLaunch, 1, cudaDevAttrCooperativeLaunch, 95) \
  PROPERTY(std::size_t, sharedMemPerBlockOptin, 227 * 1024, cudaDevAttrMaxSharedMemoryPerBlockOptin, 97) \
  PROPERTY(int, pageableMemoryAccessUsesHostPageTables, 0, cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100) \
  PROPERTY(int, directManagedMemAccessFromHost, 0, cudaDevAttrDirectManagedMemAccessFromHost, 101) \
  PROPERTY(int, maxBlocksPerMultiProcessor, 32, cudaDevAttrMaxBlocksPerMultiprocessor, 106) \
  PROPERTY(int, accessPolicyMaxWindowSize, 128 * 1024 * 1024, cudaDevAttrMaxAccessPolicyWindowSize, 109) \
  PROPERTY(std::size_t, reservedSharedMemPerBlock, 1024, cudaDevAttrReservedSharedMemoryPerBlock, 111) \
  PROPERTY(int, hostRegisterSupported, 1, cudaDevAttrHostRegisterSupported, 99) \
  PROPERTY(int, memoryPoolsSupported, 1, cudaDevAttrMemoryPoolsSupported, 115) \
  PROPERTY(unsigned, memoryPoolSupportedHandleTypes, 0, cudaDevAttrMemoryPoolSupportedHandleTypes, 119) \
  PROPERTY(int, clusterLaunch, 1, cudaDevAttrClusterLaunch, 120) \
  PROPERTY(int, clockRate, 1980000, cudaDevAttrClockRate, 13) \
  PROPERTY(int, deviceOverlap, 1, cudaDevAttrGpuOverlap, 15) \
  PROPERTY(int, kernelExecTimeoutEnabled, 0, cudaDevAttrKernelExecTimeout, 17) \
  PROPERTY(int, computeMode, 0, cudaDevAttrComputeMode, 20) \
  PROPERTY(int, memoryClockRate, 2619000, cudaDevAttrMemoryClockRate, 36) \
  PROPERTY(int, maxTexture1DLinear, 268435456, cudaDevAttrMaxTexture1DLinearWidth, 69) \
  PROPERTY(int, singleToDoublePrecisionPerfRatio, 2, cudaDevAttrSingleToDoublePrecisionPerfRatio, 87) \
  PROPERTY(int, cooperativeMultiDeviceLaunch, 0, cudaDevAttrCooperativeMultiDeviceLaunch, 96)
// clang-format on

#define TILELAB_NONE(...)
#define TILELAB_MEMBER(type, name, ...) type name;
#define TILELAB_MEMBERS(name, count, ...) int name[count];
#define TILELAB_ATTRIBUTE(type, name, value, attribute, number) attribute = number,
#define TILELAB_ATTRIBUTE_OF_PART(attribute, number, member) attribute = number,
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  TILELAB_DEVICE(TILELAB_MEMBER, TILELAB_MEMBER, TILELAB_MEMBERS, TILELAB_NONE)
};
enum cudaDeviceAttr { TILELAB_DEVICE(TILELAB_ATTRIBUTE, TILELAB_NONE, TILELAB_NONE, TILELAB_ATTRIBUTE_OF_PART) };
#undef TILELAB_MEMBER
#undef TILELAB_MEMBERS
#undef TILELAB_ATTRIBUTE
#undef TILELAB_ATTRIBUTE_OF_PART

TILELAB_CUDA_CALL cudaGetDeviceCount(int* count);
TILELAB_CUDA_CALL cudaGetDevice(int* device);
TILELAB_CUDA_CALL cudaSetDevice(int device);
TILELAB_CUDA_CALL cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
TILELAB_CUDA_CALL cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
TILELAB_CUDA_CALL cudaSetDeviceFlags(unsigned int flags);

TILELAB_CUDA_CALL cudaDeviceSynchronize();
TILELAB_CUDA_CALL cudaDeviceReset();
TILELAB_CUDA_CALL cudaThreadSynchronize();  // of before CUDA 4, as is the next
TILELAB_CUDA_CALL cudaThreadExit();

TILELAB_CUDA_CALL cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
TILELAB_CUDA_CALL cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
TILELAB_CUDA_CALL cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
TILELAB_CUDA_CALL cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer);
TILELAB_CUDA_CALL cudaDeviceCanAccessPeer(int* can, int device, int peer);
TILELAB_CUDA_CALL cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
TILELAB_CUDA_CALL cudaDeviceDisablePeerAccess(int peer);
TILELAB_CUDA_CALL cudaCtxResetPersistingL2Cache();

TILELAB_CUDA_QUIET_CALL cudaGetLastError();
TILELAB_CUDA_QUIET_CALL cudaPeekAtLastError();
extern "C" const char* cudaGetErrorName(cudaError_t error);
extern "C" const char* cudaGetErrorString(cudaError_t error);

TILELAB_CUDA_CALL cudaDriverGetVersion(int* version);
TILELAB_CUDA_CALL cudaRuntimeGetVersion(int* version);
TILELAB_CUDA_QUIET_CALL cudaProfilerStart();
TILELAB_CUDA_QUIET_CALL cudaProfilerStop();
