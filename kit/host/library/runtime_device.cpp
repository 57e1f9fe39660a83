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

const cudaDeviceProp& the_device() {
  static const cudaDeviceProp device = [] {
    const auto set = [](int* to, auto... numbers) { ((*to++ = numbers), ...); };
    cudaDeviceProp one{};
    std::strncpy(one.name, "NVIDIA H100 80GB HBM3", sizeof one.name - 1);
    one.totalGlobalMem = Session::open().memory_bytes();
    one.major = 9;
    one.multiProcessorCount = 132;
    one.clockRate = 1980000;
    one.memoryClockRate = 2619000;
    one.memoryBusWidth = 5120;
    one.l2CacheSize = 50 * 1024 * 1024;
    one.persistingL2CacheMaxSize = 32768 * 1000;
    one.sharedMemPerBlock = 48 * 1024;
    one.sharedMemPerBlockOptin = 227 * 1024;
    one.sharedMemPerMultiprocessor = 228 * 1024;
    one.reservedSharedMemPerBlock = 1024;
    one.regsPerBlock = one.regsPerMultiprocessor = 65536;
    one.warpSize = 32;
    one.maxThreadsPerBlock = 1024;
    set(one.maxThreadsDim, 1024, 1024, 64);
    set(one.maxGridSize, INT_MAX, 65535, 65535);
    one.maxThreadsPerMultiProcessor = 2048;
    one.maxBlocksPerMultiProcessor = 32;
    one.totalConstMem = 64 * 1024;
    one.memPitch = INT_MAX;
    one.textureAlignment = one.surfaceAlignment = 512;
    one.maxTexture1D = 131072;
    set(one.maxTexture2D, 131072, 65536);
    set(one.maxTexture3D, 16384, 16384, 16384);
    set(one.maxTexture1DLayered, 32768, 2048);
    set(one.maxTexture2DLayered, 32768, 32768, 2048);
    one.canMapHostMemory = one.concurrentKernels = one.ECCEnabled = one.unifiedAddressing = 1;
    one.managedMemory = one.concurrentManagedAccess = one.computePreemptionSupported = 1;
    one.cooperativeLaunch = one.memoryPoolsSupported = one.deviceOverlap = 1;
    one.asyncEngineCount = 3;
    return one;
  }();
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
