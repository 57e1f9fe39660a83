// CUDA's runtime: the device, its properties and limits, errors, versions, and the profiler's switches. There is one device, number 0.
#pragma once

#include "api_marks.hpp"
#include "device_properties.hpp"
#include "error_codes.hpp"
#include "runtime_types.hpp"

TILELAB_CUDA_CALL cudaGetDeviceCount(int* count);
TILELAB_CUDA_CALL cudaGetDevice(int* device);
TILELAB_CUDA_CALL cudaSetDevice(int device);
TILELAB_CUDA_CALL cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
TILELAB_CUDA_CALL cudaSetValidDevices(int* devices, int count);
TILELAB_CUDA_CALL cudaChooseDevice(int* device, const cudaDeviceProp* wanted);
TILELAB_CUDA_CALL cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
TILELAB_CUDA_CALL cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
TILELAB_CUDA_CALL cudaDeviceGetPCIBusId(char* text, int length, int device);
TILELAB_CUDA_CALL cudaDeviceGetByPCIBusId(int* device, const char* text);
TILELAB_CUDA_CALL cudaSetDeviceFlags(unsigned int flags);
TILELAB_CUDA_CALL cudaGetDeviceFlags(unsigned int* flags);

TILELAB_CUDA_CALL cudaDeviceSynchronize();
TILELAB_CUDA_CALL cudaDeviceReset();
TILELAB_CUDA_CALL cudaThreadSynchronize();  // of before CUDA 4, as is the next
TILELAB_CUDA_CALL cudaThreadExit();

TILELAB_CUDA_CALL cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
TILELAB_CUDA_CALL cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
TILELAB_CUDA_CALL cudaDeviceSetCacheConfig(cudaFuncCache config);
TILELAB_CUDA_CALL cudaDeviceGetCacheConfig(cudaFuncCache* config);
TILELAB_CUDA_CALL cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
TILELAB_CUDA_CALL cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
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
