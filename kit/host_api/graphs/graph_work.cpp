// Implements graph_work.hpp.
#include "host_api/graphs/graph_work.hpp"

#include <array>

#include "host_api/graphs/graph.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/row_copies.hpp"

namespace tilelab_host {
namespace {

constexpr std::array types_of_work = {cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,     cudaGraphNodeTypeMemcpy,
                                      cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,       cudaGraphNodeTypeEventRecord,
                                      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,      cudaGraphNodeTypeMemAlloc,
                                      cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeConditional};
static_assert(types_of_work.size() == std::variant_size_v<Work>);

}  // namespace

cudaGraphNodeType type_of(const Work& work) { return types_of_work[work.index()]; }

Work copy_of(const Work& work) {
  Work copy = work;
  if (auto* child = std::get_if<ChildWork>(&copy)) child->graph = child->graph->clone();
  if (auto* conditional = std::get_if<ConditionalWork>(&copy)) {
    conditional->handles.clear();
    for (std::shared_ptr<Graph>& body : conditional->bodies) {
      body = body->clone();
      conditional->handles.push_back(handle_of(*body));
    }
  }
  return copy;
}

cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const char* call, std::uintptr_t at) {
  if (!params || !params->func || params->extra) return refuse(call, at);
  KernelFacts facts;
  if (const cudaError_t error = find_kernel(params->func, facts, call, at); error != cudaSuccess) return error;
  KernelWork made{params->func, facts.name, {params->gridDim, params->blockDim, params->sharedMemBytes}, {}};
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < facts.sizes.size(); ++i) {
    if (!params->kernelParams || !params->kernelParams[i]) return refuse(call, at);
    const auto* const first = static_cast<const unsigned char*>(params->kernelParams[i]);
    made.values.emplace_back(first, first + facts.sizes[i]);
    parameters.push_back({params->kernelParams[i], facts.sizes[i]});
  }
  LaunchShape planned = made.shape;
  planned.planned_by = call;
  const cudaError_t error = request_launch(made.name, planned, parameters, at);
  if (error == cudaSuccess) work = std::move(made);
  return error;
}

cudaMemcpy3DParms copy_params(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                              std::size_t row_bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params{};
  params.dstPtr = make_cudaPitchedPtr(to, to_pitch, row_bytes, rows);
  params.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), from_pitch, row_bytes, rows);
  params.extent = make_cudaExtent(row_bytes, rows, 1);
  params.kind = kind;
  return params;
}

cudaError_t copy_work(const cudaMemcpy3DParms* params, Work& work, const char* call, std::uintptr_t at) {
  if (!params) return refuse(call, at);
  CopyOrder planned{params->kind, nullptr, true};
  planned.planned_by = call;
  const cudaError_t error = copy_slices(*params, planned, at);
  if (error == cudaSuccess) work = CopyWork{*params};
  return error;
}

cudaError_t copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work, const char* call, std::uintptr_t at) {
  const cudaMemcpy3DParms params = copy_params(to, bytes, from, bytes, 1, bytes, kind);
  return copy_work(&params, work, call, at);
}

cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const char* call, std::uintptr_t at) {
  if (!params) return refuse(call, at);
  const unsigned int width = params->elementSize;
  std::size_t row_bytes = 0;
  if ((width != 1 && width != 2 && width != 4) || __builtin_mul_overflow(params->width, width, &row_bytes)) return refuse(call, at);
  CopyOrder planned{cudaMemcpyDefault, nullptr, true};
  planned.planned_by = call;
  const cudaError_t error = fill_rows(*params, planned, at);
  if (error == cudaSuccess) work = FillWork{*params};
  return error;
}

cudaError_t host_work(const cudaHostNodeParams* params, Work& work, const char* call, std::uintptr_t at) {
  if (!params || !params->fn) return refuse(call, at);
  work = HostWork{*params};
  return cudaSuccess;
}

}  // namespace tilelab_host
