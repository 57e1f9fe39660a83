// The parts of NVIDIA's driver API that the kit uses. They are found in libcuda.so.1 when the program runs, so that the kit
// compiles and its tests run without a driver and without a toolkit. The numbers are <cuda.h>'s; a test compares them if it
// exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

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

enum class FunctionAttribute : int { max_threads_per_block = 0, static_shared_bytes = 1, local_bytes = 3, registers = 4 };

inline constexpr unsigned host_memory_mapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned blocking_sync = 4;       // CU_CTX_SCHED_BLOCKING_SYNC: a waiting thread sleeps

// The driver is missing, too old, or broken. A submission cannot cause it.
struct DriverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The loaded library. Functions that are newer than CUDA 12.0 are null if the driver does not have them.
struct Driver {
  std::string library;  // the file it was loaded from, links resolved: a sandbox must make it visible
  Result (*init)(unsigned);
  Result (*driver_version)(int*);
  Result (*error_name)(Result, const char**);
  Result (*error_string)(Result, const char**);
  Result (*device_count)(int*);
  Result (*device_get)(DeviceHandle*, int);
  Result (*device_name)(char*, int, DeviceHandle);
  Result (*device_attribute)(int*, int, DeviceHandle);
  Result (*device_memory)(std::size_t*, DeviceHandle);
  Result (*primary_context_flags)(DeviceHandle, unsigned);
  Result (*primary_context_retain)(Context*, DeviceHandle);
  Result (*context_create)(Context*, unsigned flags, DeviceHandle);
  Result (*context_destroy)(Context);
  Result (*context_set_current)(Context);
  Result (*context_synchronize)();
  Result (*module_load)(Module*, const void*);
  Result (*module_unload)(Module);
  Result (*module_function)(Function*, Module, const char*);
  Result (*module_function_count)(unsigned*, Module);                               // 12.4
  Result (*module_functions)(Function*, unsigned, Module);                          // 12.4
  Result (*function_name)(const char**, Function);                                  // 12.3
  Result (*function_parameter)(Function, std::size_t, std::size_t*, std::size_t*);  // 12.4
  Result (*function_attribute)(int*, int, Function);
  Result (*memory_allocate)(DeviceAddress*, std::size_t);
  Result (*memory_free)(DeviceAddress);
  Result (*copy_to_device)(DeviceAddress, const void*, std::size_t);
  Result (*copy_to_host)(void*, DeviceAddress, std::size_t);
  Result (*fill_words)(DeviceAddress, unsigned, std::size_t);
  Result (*launch_kernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**);
  Result (*event_create)(Event*, unsigned);
  Result (*event_destroy)(Event);
  Result (*event_record)(Event, Stream);
  Result (*event_elapsed)(float* ms, Event, Event);
  Result (*host_allocate)(void**, std::size_t, unsigned);
  Result (*host_free)(void*);
  Result (*host_address)(DeviceAddress*, void*, unsigned);
  Result (*bus_id)(char*, int, DeviceHandle);
  Result (*device_uuid)(void* sixteen_bytes, DeviceHandle);

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string words(Result result) const;
  // Throws DriverError that names `what`.
  void check(Result result, const char* what) const;
  int attribute(DeviceHandle device, DeviceAttribute which) const;
  int attribute(Function function, FunctionAttribute which) const;
};

// Loads the library at `path`, or by its usual name if that is empty. It is never unloaded. Throws DriverError.
const Driver& load_driver(const std::string& path = {});

// Translates the driver's error codes to the verdicts that the CPU executor gives for a submission. No side effects.

struct Trouble {
  protocol::Status status = protocol::Status::internal_error;
  std::string finding;  // if the launch itself ran: the verdict's name, "out-of-bounds" or "misaligned"; else empty
  std::string message;  // one sentence for the student
  bool spoils = true;   // the context can run no more launches
};

// `result` is an error, from launching the kernel or from waiting for it.
Trouble trouble_of(Result result, const std::string& words);

}  // namespace tilelab::cuda
