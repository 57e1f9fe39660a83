// The parts of NVIDIA's driver API that the kit uses. They are found in libcuda.so.1 when the program runs, so that the kit
// compiles and its tests run without a driver and without a toolkit. The numbers are <cuda.h>'s; a test compares them if it
// exists.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "protocol/protocol.hpp"

namespace tilelab::cuda {

using Result = int;                   // CUresult
using DeviceHandle = int;             // CUdevice
using DeviceAddress = std::uint64_t;  // CUdeviceptr
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
using Context = ContextTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;

enum class DeviceAttribute : int {
  shared_bytes_per_block = 8,
  registers_per_block = 12,
  clock_rate_khz = 13,
  multiprocessors = 16,
  memory_clock_rate_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76
};

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  static_shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  most_dynamic_shared_bytes = 8
};

inline constexpr unsigned host_memory_mapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned blocking_sync = 4;       // CU_CTX_SCHED_BLOCKING_SYNC: a waiting thread sleeps

// The driver is missing, too old, or broken. A submission cannot cause it.
struct DriverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What dlsym() has found: a function of any type, or null.
struct Symbol {
  void* found;
  template <class Called>
  operator Called*() const {
    return reinterpret_cast<Called*>(found);
  }
};

// The loaded library: a row for each of its functions. Those that are newer than CUDA 12.0 are null if the driver does not have them.
// Second versions of functions have _v2 in their names. <cuda.h> adds it by macros; here it is written out.
class Driver {
  void* loaded_;  // first: the rows below look there

  static std::string file_of(void* library) {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
    std::error_code error;
    const auto resolved = std::filesystem::canonical(map->l_name, error);
    return error ? std::string(map->l_name) : resolved.string();
  }
  Symbol where_there_is(const char* name) const { return {dlsym(loaded_, name)}; }
  Symbol needed(const char* name) const {
    const Symbol symbol = where_there_is(name);
    if (symbol.found == nullptr) throw DriverError(std::string("the NVIDIA driver has no ") + name + ": it is too old");
    return symbol;
  }

 public:
  explicit Driver(void* loaded) : loaded_(loaded), library(file_of(loaded)) {}  // throws DriverError

  std::string library;  // the file it was loaded from, links resolved: a sandbox must make it visible
  Result (*init)(unsigned) = needed("cuInit");
  Result (*driver_version)(int*) = needed("cuDriverGetVersion");
  Result (*error_name)(Result, const char**) = needed("cuGetErrorName");
  Result (*error_string)(Result, const char**) = needed("cuGetErrorString");
  Result (*device_count)(int*) = needed("cuDeviceGetCount");
  Result (*device_get)(DeviceHandle*, int) = needed("cuDeviceGet");
  Result (*device_name)(char*, int, DeviceHandle) = needed("cuDeviceGetName");
  Result (*device_attribute)(int*, int, DeviceHandle) = needed("cuDeviceGetAttribute");
  Result (*device_memory)(std::size_t*, DeviceHandle) = needed("cuDeviceTotalMem_v2");
  Result (*primary_context_flags)(DeviceHandle, unsigned) = needed("cuDevicePrimaryCtxSetFlags_v2");
  Result (*primary_context_retain)(Context*, DeviceHandle) = needed("cuDevicePrimaryCtxRetain");
  Result (*context_create)(Context*, unsigned flags, DeviceHandle) = needed("cuCtxCreate_v2");
  Result (*context_destroy)(Context) = needed("cuCtxDestroy_v2");
  Result (*context_set_current)(Context) = needed("cuCtxSetCurrent");
  Result (*context_synchronize)() = needed("cuCtxSynchronize");
  Result (*module_load)(Module*, const void*) = needed("cuModuleLoadData");
  Result (*module_unload)(Module) = needed("cuModuleUnload");
  Result (*module_function)(Function*, Module, const char*) = needed("cuModuleGetFunction");
  Result (*function_parameter)(Function, std::size_t, std::size_t*, std::size_t*) = where_there_is("cuFuncGetParamInfo");  // 12.4
  Result (*function_attribute)(int*, int, Function) = needed("cuFuncGetAttribute");
  Result (*function_set)(Function, int, int) = needed("cuFuncSetAttribute");
  Result (*module_variable)(DeviceAddress*, std::size_t*, Module, const char*) = needed("cuModuleGetGlobal_v2");
  Result (*stream_create)(Stream*, unsigned) = needed("cuStreamCreate");
  Result (*stream_destroy)(Stream) = needed("cuStreamDestroy_v2");
  Result (*stream_wait)(Stream, Event, unsigned) = needed("cuStreamWaitEvent");
  Result (*copy_on_device)(DeviceAddress to, DeviceAddress from, std::size_t, Stream) = needed("cuMemcpyDtoDAsync_v2");
  Result (*fill_bytes_in)(DeviceAddress, unsigned char, std::size_t, Stream) = needed("cuMemsetD8Async");
  Result (*memory_allocate)(DeviceAddress*, std::size_t) = needed("cuMemAlloc_v2");
  Result (*memory_free)(DeviceAddress) = needed("cuMemFree_v2");
  Result (*copy_to_device)(DeviceAddress, const void*, std::size_t) = needed("cuMemcpyHtoD_v2");
  Result (*copy_to_host)(void*, DeviceAddress, std::size_t) = needed("cuMemcpyDtoH_v2");
  Result (*fill_words)(DeviceAddress, unsigned, std::size_t) = needed("cuMemsetD32_v2");
  Result (*launch_kernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                          void**) = needed("cuLaunchKernel");
  Result (*event_create)(Event*, unsigned) = needed("cuEventCreate");
  Result (*event_destroy)(Event) = needed("cuEventDestroy_v2");
  Result (*event_record)(Event, Stream) = needed("cuEventRecord");
  Result (*event_elapsed)(float* ms, Event, Event) = needed("cuEventElapsedTime");
  Result (*host_allocate)(void**, std::size_t, unsigned) = needed("cuMemHostAlloc");
  Result (*host_free)(void*) = needed("cuMemFreeHost");
  Result (*host_address)(DeviceAddress*, void*, unsigned) = needed("cuMemHostGetDevicePointer_v2");
  Result (*bus_id)(char*, int, DeviceHandle) = needed("cuDeviceGetPCIBusId");
  Result (*device_uuid)(void* sixteen_bytes, DeviceHandle) = needed("cuDeviceGetUuid");

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string words(Result result) const {
    const char *name = nullptr, *text = nullptr;
    if (error_name(result, &name) != 0 || name == nullptr) return "CUDA error " + std::to_string(result);
    if (error_string(result, &text) != 0 || text == nullptr) return name;
    return std::string(name) + " (" + text + ")";
  }
  // Throws DriverError that names `what`.
  void check(Result result, const char* what) const {
    if (result != 0) throw DriverError(std::string(what) + ": " + words(result));
  }
  int attribute(DeviceHandle device, DeviceAttribute which) const {
    int value = 0;
    check(device_attribute(&value, static_cast<int>(which), device), "cuDeviceGetAttribute");
    return value;
  }
  int attribute(Function function, FunctionAttribute which) const {
    int value = 0;
    check(function_attribute(&value, static_cast<int>(which), function), "cuFuncGetAttribute");
    return value;
  }
  // Without a stream, on the null stream. The second waits until the whole context is idle. Both return the driver's answer.
  Result launch(Function function, const protocol::LaunchConfig& config, void** parameters, Stream stream = nullptr) const {
    const auto& [grid, block, shared] = config;
    return launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared), stream, parameters,
                         nullptr);
  }
  Result run(Function function, const protocol::LaunchConfig& config, void** parameters) const {
    const Result launched = launch(function, config, parameters);
    return launched != 0 ? launched : context_synchronize();
  }
};

// Loads the library at `path`, or by its usual name if that is empty. It is never unloaded. Throws DriverError.
// `one_queue`: nothing here uses several streams.
inline const Driver& load_driver(const std::string& path = {}, bool one_queue = true) {
  const char* name = path.empty() ? "libcuda.so.1" : path.c_str();
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw DriverError(std::string("the NVIDIA driver's library cannot be loaded: ") + dlerror());
  // The driver makes contexts one after another, and one with a single queue in less than half of the time.
  for (const char* queues : {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS"})
    if (one_queue) setenv(queues, "1", 1);
  static const Driver driver(library);
  return driver;
}

// Translates the driver's error codes to the verdicts that the CPU executor gives for a submission. No side effects.

struct Trouble {
  protocol::Status status = protocol::Status::internal_error;
  std::string finding;  // if the launch itself ran: the verdict's name, "out-of-bounds" or "misaligned"; else empty
  std::string message;  // one sentence for the student
  bool spoils = true;   // the context can run no more launches
};

// `result` is an error, from launching the kernel or from waiting for it.
inline Trouble trouble_of(Result result, const std::string& words) {
  using protocol::Status;
  // From <cuda.h>. Errors of a kernel that ran are 700 and above.
  enum : Result {
    invalid_value = 1,
    out_of_memory = 2,
    illegal_address = 700,
    out_of_resources = 701,
    launch_timeout = 702,
    assertion = 710,
    hardware_stack = 714,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_pc = 718,
    launch_failed = 719
  };
  const std::string said = " The GPU says " + words + ".";
  switch (result) {
    case illegal_address:
      return {Status::completed, "out-of-bounds", "A thread uses an address on the GPU that belongs to no array." + said, true};
    case misaligned_address:
      return {Status::completed, "misaligned", "A thread uses an address that is not a multiple of the type's size." + said, true};
    case assertion: return {Status::crash, "", "An assertion in the kernel failed." + said, true};
    case hardware_stack: return {Status::crash, "", "A thread overflows its stack." + said, true};
    case illegal_instruction:
    case invalid_pc:
    case launch_failed: return {Status::crash, "", "The kernel crashed." + said, true};
    case invalid_address_space:
      return {Status::crash, "", "A thread uses an address in the wrong memory, such as a shared one for a global access." + said, true};
    case launch_timeout: return {Status::timeout, "", "The kernel does not end." + said, true};
    case invalid_value:
    case out_of_resources: return {Status::launch_error, "", "The GPU refuses this launch." + said, false};
    case out_of_memory: return {Status::internal_error, "", "The GPU has no memory left." + said, false};
    default: return {Status::internal_error, "", "The GPU failed." + said, true};
  }
}

}  // namespace tilelab::cuda
