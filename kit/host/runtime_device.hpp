// CUDA's runtime: the device, its properties, errors and limits.
#pragma once

#include <cstddef>

#include "runtime_types.hpp"

// What a program can ask about its device: the members of cudaDeviceProp and the attributes of cudaDeviceGetAttribute. It has the
// members of CUDA 12, because CUDA 13 removed some that courses print. The values are in library/runtime_device.cpp.

struct cudaUUID_t {
  char bytes[16];
};

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  std::size_t totalConstMem;
  int major;
  int minor;
  std::size_t textureAlignment;
  int multiProcessorCount;
  int integrated;
  int canMapHostMemory;
  int maxTexture1D;
  int maxTexture2D[2];
  int maxTexture3D[3];
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  std::size_t surfaceAlignment;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int hostNativeAtomicSupported;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int cooperativeLaunch;
  std::size_t sharedMemPerBlockOptin;
  int maxBlocksPerMultiProcessor;
  std::size_t reservedSharedMemPerBlock;
  int memoryPoolsSupported;
  unsigned memoryPoolSupportedHandleTypes;
  int clockRate;
  int deviceOverlap;
  int kernelExecTimeoutEnabled;
  int computeMode;
  int memoryClockRate;
  int cooperativeMultiDeviceLaunch;
};

// Each attribute: name, number, and the member of cudaDeviceProp that has its value.
// clang-format off: a table reads better as one
#define TILELAB_DEVICE_ATTRIBUTES(X) \
  X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock) \
  X(cudaDevAttrMaxBlockDimX, 2, maxThreadsDim[0]) \
  X(cudaDevAttrMaxBlockDimY, 3, maxThreadsDim[1]) \
  X(cudaDevAttrMaxBlockDimZ, 4, maxThreadsDim[2]) \
  X(cudaDevAttrMaxGridDimX, 5, maxGridSize[0]) \
  X(cudaDevAttrMaxGridDimY, 6, maxGridSize[1]) \
  X(cudaDevAttrMaxGridDimZ, 7, maxGridSize[2]) \
  X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock) \
  X(cudaDevAttrTotalConstantMemory, 9, totalConstMem) \
  X(cudaDevAttrWarpSize, 10, warpSize) \
  X(cudaDevAttrMaxPitch, 11, memPitch) \
  X(cudaDevAttrMaxRegistersPerBlock, 12, regsPerBlock) \
  X(cudaDevAttrClockRate, 13, clockRate) \
  X(cudaDevAttrGpuOverlap, 15, deviceOverlap) \
  X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount) \
  X(cudaDevAttrKernelExecTimeout, 17, kernelExecTimeoutEnabled) \
  X(cudaDevAttrIntegrated, 18, integrated) \
  X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory) \
  X(cudaDevAttrComputeMode, 20, computeMode) \
  X(cudaDevAttrConcurrentKernels, 31, concurrentKernels) \
  X(cudaDevAttrEccEnabled, 32, ECCEnabled) \
  X(cudaDevAttrMemoryClockRate, 36, memoryClockRate) \
  X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth) \
  X(cudaDevAttrL2CacheSize, 38, l2CacheSize) \
  X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor) \
  X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount) \
  X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing) \
  X(cudaDevAttrComputeCapabilityMajor, 75, major) \
  X(cudaDevAttrComputeCapabilityMinor, 76, minor) \
  X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor) \
  X(cudaDevAttrManagedMemory, 83, managedMemory) \
  X(cudaDevAttrHostNativeAtomicSupported, 86, hostNativeAtomicSupported) \
  X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess) \
  X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess) \
  X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch) \
  X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin) \
  X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor) \
  X(cudaDevAttrReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock) \
  X(cudaDevAttrMemoryPoolsSupported, 115, memoryPoolsSupported) \
  X(cudaDevAttrMemoryPoolSupportedHandleTypes, 119, memoryPoolSupportedHandleTypes)
// clang-format on

#define TILELAB_DEVICE_ATTRIBUTE(name, number, member) name = number,
enum cudaDeviceAttr { TILELAB_DEVICE_ATTRIBUTES(TILELAB_DEVICE_ATTRIBUTE) };
#undef TILELAB_DEVICE_ATTRIBUTE

// CUDA's runtime: the device, its properties and limits, errors, versions, and the profiler's switches. There is one device, number 0.

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
