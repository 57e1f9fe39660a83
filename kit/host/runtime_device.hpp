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
  std::size_t texturePitchAlignment;
  int multiProcessorCount;
  int integrated;
  int canMapHostMemory;
  int maxTexture1D;
  int maxTexture1DMipmap;
  int maxTexture2D[2];
  int maxTexture2DMipmap[2];
  int maxTexture2DLinear[3];
  int maxTexture2DGather[2];
  int maxTexture3D[3];
  int maxTexture3DAlt[3];
  int maxTextureCubemap;
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D;
  int maxSurface2D[2];
  int maxSurface3D[3];
  int maxSurface1DLayered[2];
  int maxSurface2DLayered[3];
  int maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
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
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int sparseCudaArraySupported;
  int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported;
  int memoryPoolsSupported;
  int gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported;
  int ipcEventSupported;
  int clusterLaunch;
  int unifiedFunctionPointers;
  int deviceNumaConfig;
  int deviceNumaId;
  int mpsEnabled;
  int hostNumaId;
  unsigned gpuPciDeviceID;
  unsigned gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int clockRate;
  int deviceOverlap;
  int kernelExecTimeoutEnabled;
  int computeMode;
  int memoryClockRate;
  int maxTexture1DLinear;
  int singleToDoublePrecisionPerfRatio;
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
  X(cudaDevAttrTextureAlignment, 14, textureAlignment) \
  X(cudaDevAttrGpuOverlap, 15, deviceOverlap) \
  X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount) \
  X(cudaDevAttrKernelExecTimeout, 17, kernelExecTimeoutEnabled) \
  X(cudaDevAttrIntegrated, 18, integrated) \
  X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory) \
  X(cudaDevAttrComputeMode, 20, computeMode) \
  X(cudaDevAttrMaxTexture1DWidth, 21, maxTexture1D) \
  X(cudaDevAttrMaxTexture2DWidth, 22, maxTexture2D[0]) \
  X(cudaDevAttrMaxTexture2DHeight, 23, maxTexture2D[1]) \
  X(cudaDevAttrMaxTexture3DWidth, 24, maxTexture3D[0]) \
  X(cudaDevAttrMaxTexture3DHeight, 25, maxTexture3D[1]) \
  X(cudaDevAttrMaxTexture3DDepth, 26, maxTexture3D[2]) \
  X(cudaDevAttrMaxTexture2DLayeredWidth, 27, maxTexture2DLayered[0]) \
  X(cudaDevAttrMaxTexture2DLayeredHeight, 28, maxTexture2DLayered[1]) \
  X(cudaDevAttrMaxTexture2DLayeredLayers, 29, maxTexture2DLayered[2]) \
  X(cudaDevAttrSurfaceAlignment, 30, surfaceAlignment) \
  X(cudaDevAttrConcurrentKernels, 31, concurrentKernels) \
  X(cudaDevAttrEccEnabled, 32, ECCEnabled) \
  X(cudaDevAttrPciBusId, 33, pciBusID) \
  X(cudaDevAttrPciDeviceId, 34, pciDeviceID) \
  X(cudaDevAttrTccDriver, 35, tccDriver) \
  X(cudaDevAttrMemoryClockRate, 36, memoryClockRate) \
  X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth) \
  X(cudaDevAttrL2CacheSize, 38, l2CacheSize) \
  X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor) \
  X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount) \
  X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing) \
  X(cudaDevAttrMaxTexture1DLayeredWidth, 42, maxTexture1DLayered[0]) \
  X(cudaDevAttrMaxTexture1DLayeredLayers, 43, maxTexture1DLayered[1]) \
  X(cudaDevAttrPciDomainId, 50, pciDomainID) \
  X(cudaDevAttrTexturePitchAlignment, 51, texturePitchAlignment) \
  X(cudaDevAttrMaxTexture1DLinearWidth, 69, maxTexture1DLinear) \
  X(cudaDevAttrMaxTexture2DLinearWidth, 70, maxTexture2DLinear[0]) \
  X(cudaDevAttrMaxTexture2DLinearHeight, 71, maxTexture2DLinear[1]) \
  X(cudaDevAttrMaxTexture2DLinearPitch, 72, maxTexture2DLinear[2]) \
  X(cudaDevAttrComputeCapabilityMajor, 75, major) \
  X(cudaDevAttrComputeCapabilityMinor, 76, minor) \
  X(cudaDevAttrStreamPrioritiesSupported, 78, streamPrioritiesSupported) \
  X(cudaDevAttrGlobalL1CacheSupported, 79, globalL1CacheSupported) \
  X(cudaDevAttrLocalL1CacheSupported, 80, localL1CacheSupported) \
  X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor) \
  X(cudaDevAttrManagedMemory, 83, managedMemory) \
  X(cudaDevAttrIsMultiGpuBoard, 84, isMultiGpuBoard) \
  X(cudaDevAttrMultiGpuBoardGroupID, 85, multiGpuBoardGroupID) \
  X(cudaDevAttrHostNativeAtomicSupported, 86, hostNativeAtomicSupported) \
  X(cudaDevAttrSingleToDoublePrecisionPerfRatio, 87, singleToDoublePrecisionPerfRatio) \
  X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess) \
  X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess) \
  X(cudaDevAttrComputePreemptionSupported, 90, computePreemptionSupported) \
  X(cudaDevAttrCanUseHostPointerForRegisteredMem, 91, canUseHostPointerForRegisteredMem) \
  X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch) \
  X(cudaDevAttrCooperativeMultiDeviceLaunch, 96, cooperativeMultiDeviceLaunch) \
  X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin) \
  X(cudaDevAttrHostRegisterSupported, 99, hostRegisterSupported) \
  X(cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100, pageableMemoryAccessUsesHostPageTables) \
  X(cudaDevAttrDirectManagedMemAccessFromHost, 101, directManagedMemAccessFromHost) \
  X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor) \
  X(cudaDevAttrMaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize) \
  X(cudaDevAttrMaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize) \
  X(cudaDevAttrReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock) \
  X(cudaDevAttrSparseCudaArraySupported, 112, sparseCudaArraySupported) \
  X(cudaDevAttrHostRegisterReadOnlySupported, 113, hostRegisterReadOnlySupported) \
  X(cudaDevAttrTimelineSemaphoreInteropSupported, 114, timelineSemaphoreInteropSupported) \
  X(cudaDevAttrMemoryPoolsSupported, 115, memoryPoolsSupported) \
  X(cudaDevAttrGPUDirectRDMASupported, 116, gpuDirectRDMASupported) \
  X(cudaDevAttrGPUDirectRDMAFlushWritesOptions, 117, gpuDirectRDMAFlushWritesOptions) \
  X(cudaDevAttrGPUDirectRDMAWritesOrdering, 118, gpuDirectRDMAWritesOrdering) \
  X(cudaDevAttrMemoryPoolSupportedHandleTypes, 119, memoryPoolSupportedHandleTypes) \
  X(cudaDevAttrClusterLaunch, 120, clusterLaunch) \
  X(cudaDevAttrDeferredMappingCudaArraySupported, 121, deferredMappingCudaArraySupported) \
  X(cudaDevAttrIpcEventSupport, 125, ipcEventSupported) \
  X(cudaDevAttrNumaConfig, 130, deviceNumaConfig) \
  X(cudaDevAttrNumaId, 131, deviceNumaId) \
  X(cudaDevAttrMpsEnabled, 133, mpsEnabled) \
  X(cudaDevAttrHostNumaId, 134, hostNumaId) \
  X(cudaDevAttrGpuPciDeviceId, 139, gpuPciDeviceID) \
  X(cudaDevAttrGpuPciSubsystemId, 140, gpuPciSubsystemID) \
  X(cudaDevAttrHostNumaMultinodeIpcSupported, 143, hostNumaMultinodeIpcSupported)
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
