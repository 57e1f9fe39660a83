// Implements runtime_device.hpp.
#include "host/runtime_device.hpp"

#include <climits>
#include <cstdio>
#include <cstring>
#include <map>

#include "executor/device/toolkit_version.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace tilelab_host {
namespace {

template <typename... Numbers>
void set(int* to, Numbers... numbers) {
  ((*to++ = numbers), ...);
}

void describe_limits(cudaDeviceProp& device) {
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerBlockOptin = 227 * 1024;
  device.sharedMemPerMultiprocessor = 228 * 1024;
  device.reservedSharedMemPerBlock = 1024;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.maxThreadsPerBlock = 1024;
  set(device.maxThreadsDim, 1024, 1024, 64);
  set(device.maxGridSize, INT_MAX, 65535, 65535);
  device.maxThreadsPerMultiProcessor = 2048;
  device.maxBlocksPerMultiProcessor = 32;
  device.totalConstMem = 64 * 1024;
  device.memPitch = INT_MAX;
  device.textureAlignment = device.surfaceAlignment = 512;
  device.texturePitchAlignment = 32;
}

void describe_textures(cudaDeviceProp& device) {
  device.maxTexture1D = device.maxSurface1D = 131072;
  device.maxTexture1DMipmap = 32768;
  device.maxTexture1DLinear = 268435456;
  set(device.maxTexture2D, 131072, 65536);
  set(device.maxTexture2DMipmap, 32768, 32768);
  set(device.maxTexture2DLinear, 131072, 65000, 2097120);
  set(device.maxTexture2DGather, 32768, 32768);
  set(device.maxTexture3D, 16384, 16384, 16384);
  set(device.maxTexture3DAlt, 8192, 8192, 32768);
  device.maxTextureCubemap = device.maxSurfaceCubemap = 32768;
  set(device.maxTexture1DLayered, 32768, 2048);
  set(device.maxTexture2DLayered, 32768, 32768, 2048);
  set(device.maxTextureCubemapLayered, 32768, 2046);
  set(device.maxSurface2D, 131072, 65536);
  set(device.maxSurface3D, 16384, 16384, 16384);
  set(device.maxSurface1DLayered, 32768, 2048);
  set(device.maxSurface2DLayered, 32768, 32768, 2048);
  set(device.maxSurfaceCubemapLayered, 32768, 2046);
}

void describe_abilities(cudaDeviceProp& device) {
  device.canMapHostMemory = device.concurrentKernels = device.ECCEnabled = device.unifiedAddressing = 1;
  device.streamPrioritiesSupported = device.globalL1CacheSupported = device.localL1CacheSupported = 1;
  device.managedMemory = device.concurrentManagedAccess = device.computePreemptionSupported = 1;
  device.canUseHostPointerForRegisteredMem = device.cooperativeLaunch = device.hostRegisterSupported = 1;
  device.memoryPoolsSupported = device.clusterLaunch = device.unifiedFunctionPointers = device.deviceOverlap = 1;
  device.asyncEngineCount = 3;
  device.singleToDoublePrecisionPerfRatio = 2;
  device.deviceNumaId = device.hostNumaId = -1;
}

cudaDeviceProp describe() {
  cudaDeviceProp device{};
  std::strncpy(device.name, "NVIDIA H100 80GB HBM3", sizeof device.name - 1);
  device.totalGlobalMem = Session::open().memory_bytes();
  device.major = 9;
  device.multiProcessorCount = 132;
  device.clockRate = 1980000;
  device.memoryClockRate = 2619000;
  device.memoryBusWidth = 5120;
  device.l2CacheSize = 50 * 1024 * 1024;
  device.persistingL2CacheMaxSize = 32768 * 1000;
  device.accessPolicyMaxWindowSize = 128 * 1024 * 1024;
  describe_limits(device);
  describe_textures(device);
  describe_abilities(device);
  return device;
}

}  // namespace

const cudaDeviceProp& the_device() {
  static const cudaDeviceProp device = describe();
  return device;
}

}  // namespace tilelab_host

namespace {

cudaError_t on_device(const char* what, const Call& call) {
  if (const auto refused = wait_for_all_in_capture(call)) return *refused;
  const cudaError_t error = request("device", call, {{"what", what}});
  pools_after_wait();
  return error;
}

cudaError_t last_error(bool peek, const Call& call) { return request("last_error", call, {{"peek", peek}}); }

std::mutex settings_mutex;
std::map<cudaLimit, std::size_t> limits = {{cudaLimitStackSize, 1024},
                                           {cudaLimitPrintfFifoSize, 1 << 20},
                                           {cudaLimitMallocHeapSize, 8 << 20},
                                           {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                           {cudaLimitPersistingL2CacheSize, 0}};

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) { return give(count, 1, TILELAB_CALL); }
cudaError_t cudaGetDevice(int* device) { return give(device, 0, TILELAB_CALL); }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : refuse(TILELAB_CALL, cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return device == 0 ? give(properties, the_device(), TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  switch (attribute) {
#define TILELAB_ATTRIBUTE_CASE(name, number, member) \
  case name: return give(value, the_device().member, TILELAB_CALL);
    TILELAB_DEVICE_ATTRIBUTES(TILELAB_ATTRIBUTE_CASE)
#undef TILELAB_ATTRIBUTE_CASE
  }
  return refuse(TILELAB_CALL);
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }

cudaError_t cudaDeviceSynchronize() { return on_device("synchronize", TILELAB_CALL); }
cudaError_t cudaDeviceReset() { return on_device("reset", TILELAB_CALL); }
cudaError_t cudaThreadSynchronize() { return on_device("synchronize", TILELAB_CALL); }
cudaError_t cudaThreadExit() { return on_device("reset", TILELAB_CALL); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  const std::lock_guard lock(settings_mutex);
  const auto one = limits.find(limit);
  if (one == limits.end()) return refuse(TILELAB_CALL, cudaErrorUnsupportedLimit);
  if (limit == cudaLimitMallocHeapSize) {
    const cudaError_t error = request("device", TILELAB_CALL, {{"what", "heap limit"}, {"bytes", value}});
    if (error != cudaSuccess) return error;
  }
  one->second = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  const std::lock_guard lock(settings_mutex);
  const auto one = limits.find(limit);
  return one != limits.end() ? give(value, one->second, TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorUnsupportedLimit);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
// It is about two devices, and there is one.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return refuse(TILELAB_CALL, value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return device == 0 && peer == 0 ? give(can, 0, TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return refuse(TILELAB_CALL, cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return refuse(TILELAB_CALL, cudaErrorInvalidDevice); }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaGetLastError() { return last_error(false, TILELAB_CALL); }
cudaError_t cudaPeekAtLastError() { return last_error(true, TILELAB_CALL); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define TILELAB_ERROR_NAME(name, number, sentence) \
  case name: return #name;
    TILELAB_CUDA_ERRORS(TILELAB_ERROR_NAME)
#undef TILELAB_ERROR_NAME
  }
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define TILELAB_ERROR_SENTENCE(name, number, sentence) \
  case name: return sentence;
    TILELAB_CUDA_ERRORS(TILELAB_ERROR_SENTENCE)
#undef TILELAB_ERROR_SENTENCE
  }
  return "unrecognized error code";
}

cudaError_t cudaDriverGetVersion(int* version) { return give(version, CUDART_VERSION, TILELAB_CALL); }
cudaError_t cudaRuntimeGetVersion(int* version) { return give(version, CUDART_VERSION, TILELAB_CALL); }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
