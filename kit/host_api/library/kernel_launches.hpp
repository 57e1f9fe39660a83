// Kernels as the conductor knows them: by mangled name, with the sizes of their parameters. Requests of launches are made here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host_api/runtime_kernels.hpp"
#include "host_api/runtime_types.hpp"

namespace tilelab_host {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  std::uint64_t graph = 0;           // the launch of a graph that it is a part of; 0: none
  const char* planned_by = nullptr;  // only looked at: the function that was called
};

struct KernelFacts {
  std::string name;                // mangled
  std::vector<std::size_t> sizes;  // of its parameters
  int registers = 0, max_threads = 0, binary_version = 0;
  std::size_t static_shared_bytes = 0, local_bytes = 0, const_bytes = 0;
};

// The kernel whose function begins at `function`. On an error `facts` stays as it was.
cudaError_t find_kernel(const void* function, KernelFacts& facts, const char* call, std::uintptr_t at);
cudaError_t request_launch(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                           std::uintptr_t at);
// The same, or a node of a graph where the stream is captured.
cudaError_t launch_or_capture(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                              const char* call, std::uintptr_t at);
// The values lie at `arguments`, one pointer for each parameter.
cudaError_t launch_function(const void* function, const LaunchShape& shape, void** arguments, const char* call, std::uintptr_t at);

}  // namespace tilelab_host
