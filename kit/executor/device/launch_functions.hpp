// Launches from a kernel, child<<<grid, block, shared_bytes, stream>>>(…), and the few functions of CUDA's device runtime that belong
// to them. `tilelab check` writes __child_launch in the place of <<<…>>>: grader/engines/text_steps.py.
//
// Missing: waiting for children (CUDA 12 has no such function), events and copies of the device runtime.
#pragma once

#if !defined(TILELAB_HOST_API)  // host code has the whole runtime: kit/host

#include <cstddef>

#include "memory_functions.hpp"

struct CUstream_st;
using cudaStream_t = CUstream_st*;
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInvalidConfiguration = 9 };
using cudaError_t = cudaError;

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(0x3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(0x4))

inline namespace cuda_on_cpu {

struct __child_configuration {  // the layout of ChildGrid::Configuration
  unsigned int grid[3], block[3];
  unsigned long long shared_bytes;
  cudaStream_t stream;
};
// The kit copies both objects; `run` calls the kernel with the copy of the second, in each thread of the child.
int __child_grid(const __child_configuration* configuration, void (*run)(void*), const void* arguments, std::size_t bytes)
    TILELAB_DOES(return Machine::current().launch_child(reinterpret_cast<std::uintptr_t>(configuration),
                                                        reinterpret_cast<std::uintptr_t>(run), reinterpret_cast<std::uintptr_t>(arguments),
                                                        bytes, TILELAB_SITE));
bool __never() TILELAB_DOES(return false);
int __last_launch_error(bool forget) TILELAB_DOES(return Machine::current().last_launch_error(forget));
cudaStream_t __new_stream() TILELAB_DOES(return reinterpret_cast<cudaStream_t>(Machine::current().new_stream()));

template <typename Kernel>
class __child_launch {
 public:
  __child_launch(Kernel kernel, dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr)
      : kernel_(kernel), configuration_{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream} {}

  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    const Kernel kernel = kernel_;
    auto call = [kernel, arguments...] { kernel(arguments...); };
    using Call = decltype(call);
    static_assert(alignof(Call) <= 16, "arguments of a kernel have to be aligned to 16 bytes at most");
    void (*run)(void*) = [](void* copy) { (*static_cast<Call*>(copy))(); };
    __child_grid(&configuration_, run, &call, sizeof call);
    // Whatever `run` may hold is a function that the proof of the machine code must have looked at.
    if (__never()) run(&call);
  }

 private:
  Kernel kernel_;
  __child_configuration configuration_;
};

inline cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(__last_launch_error(true)); }
inline cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(__last_launch_error(false)); }
inline const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaSuccess) return "cudaSuccess";
  if (error == cudaErrorInvalidValue) return "cudaErrorInvalidValue";
  if (error == cudaErrorMemoryAllocation) return "cudaErrorMemoryAllocation";
  return error == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration" : "unrecognized error code";
}
inline const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaSuccess) return "no error";
  if (error == cudaErrorInvalidValue) return "invalid argument";
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "unrecognized error code";
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = __new_stream();
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

// cudaMalloc and cudaFree of device code are malloc and free by another name: grader/engines/device_functions.py calls them so. In a
// lab's file they are calls of the host.
template <typename T>
cudaError_t __heap_malloc(T** pointer, std::size_t bytes) {
  void* const memory = __builtin_malloc(bytes);
  *pointer = static_cast<T*>(memory);
  return memory == nullptr && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t __heap_free(void* memory) {
  __builtin_free(memory);
  return cudaSuccess;
}

}  // namespace cuda_on_cpu

#endif
