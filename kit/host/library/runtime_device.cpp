// Implements runtime_device.hpp.
#include "host/runtime_device.hpp"

#include <cstring>
#include <map>

#include "executor/device/toolkit_version.hpp"
#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace {

template <typename... Numbers>
void set(int* to, Numbers... numbers) {
  ((*to++ = numbers), ...);
}

cudaError_t on_device(const char* what, const Call& call) {
  if (const auto refused = wait_for_all_in_capture(call)) return *refused;
  return request("device", call, {{"what", what}});
}

cudaError_t last_error(bool peek, const Call& call) { return request("last_error", call, {{"peek", peek}}); }

std::mutex settings_mutex;
std::map<cudaLimit, std::size_t> limits = {{cudaLimitStackSize, 1024},
                                           {cudaLimitPrintfFifoSize, 1 << 20},
                                           {cudaLimitMallocHeapSize, 8 << 20},
                                           {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                           {cudaLimitPersistingL2CacheSize, 0}};

}  // namespace

const cudaDeviceProp& tilelab_host::the_device() {
  static const cudaDeviceProp device = [] {
    cudaDeviceProp made{};
    std::strncpy(made.name, "NVIDIA H100 80GB HBM3", sizeof made.name - 1);
#define TILELAB_VALUE(type, name, value, ...) made.name = value;
#define TILELAB_VALUES(name, count, ...) set(made.name, __VA_ARGS__);
    TILELAB_DEVICE(TILELAB_VALUE, TILELAB_VALUE, TILELAB_VALUES, TILELAB_NONE)
#undef TILELAB_VALUE
#undef TILELAB_VALUES
    made.totalGlobalMem = Session::open().memory_bytes();
    return made;
  }();
  return device;
}

cudaError_t cudaGetDeviceCount(int* count) { return give(count, 1, TILELAB_CALL); }
cudaError_t cudaGetDevice(int* device) { return give(device, 0, TILELAB_CALL); }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : refuse(TILELAB_CALL, cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return device == 0 ? give(properties, the_device(), TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  switch (attribute) {
#define TILELAB_CASE(type, name, value_, attribute, number) \
  case attribute: return give(value, the_device().name, TILELAB_CALL);
#define TILELAB_CASE_OF_PART(attribute, number, member) \
  case attribute: return give(value, the_device().member, TILELAB_CALL);
    TILELAB_DEVICE(TILELAB_CASE, TILELAB_NONE, TILELAB_NONE, TILELAB_CASE_OF_PART)
#undef TILELAB_CASE
#undef TILELAB_CASE_OF_PART
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
