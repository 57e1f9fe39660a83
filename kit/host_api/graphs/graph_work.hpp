// What a node of a graph does when its turn comes: plain data, copied when the node is made, as CUDA copies it.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "host_api/library/kernel_launches.hpp"
#include "host_api/runtime_graph_types.hpp"

namespace tilelab_host {

class Graph;

struct EmptyWork {};
struct KernelWork {
  const void* function = nullptr;
  std::string name;  // mangled
  LaunchShape shape;
  std::vector<std::vector<unsigned char>> values;  // of its parameters
  std::vector<void*> places{};                     // of the values: what cudaGraphKernelNodeGetParams hands out
};
struct CopyWork {
  cudaMemcpy3DParms what;
};
struct FillWork {
  cudaMemsetParams what;
};
struct HostWork {
  cudaHostNodeParams what;
};
struct RecordWork {
  cudaEvent_t event;
};
struct WaitWork {
  cudaEvent_t event;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct AllocWork {
  cudaMemAllocNodeParams what;
};
struct FreeWork {
  void* pointer;
};
struct ConditionalWork {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles{};  // of the bodies: what phGraph_out leads to
};

// In the order of `types_of_work`.
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ChildWork, AllocWork, FreeWork,
                          ConditionalWork>;

cudaGraphNodeType type_of(const Work& work);

// The same work, with copies of the graphs in it.
Work copy_of(const Work& work);

// Checked as CUDA does when a node is added or its parameters are set: by the conductor where memory or a kernel is meant. On success
// `work` is there. `call`: the function of CUDA that was called, `at` where from.
cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const char* call, std::uintptr_t at);
cudaError_t copy_work(const cudaMemcpy3DParms* params, Work& work, const char* call, std::uintptr_t at);
cudaError_t copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work, const char* call, std::uintptr_t at);
cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const char* call, std::uintptr_t at);
cudaError_t host_work(const cudaHostNodeParams* params, Work& work, const char* call, std::uintptr_t at);

// A line or a rectangle of bytes, as a copy in three dimensions.
cudaMemcpy3DParms copy_params(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                              std::size_t row_bytes, cudaMemcpyKind kind);

}  // namespace tilelab_host
