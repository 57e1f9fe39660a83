// CUDA's runtime: graphs, made node by node, and capture of streams. Graphs in graphs, conditions, external semaphores, user objects and
// launches of graphs from kernels are missing.
#pragma once

#include <cstddef>

#include "runtime_memory.hpp"
#include "runtime_types.hpp"

// The types and constants of CUDA's graphs and of stream capture that host code names.

struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
typedef CUgraph_st* cudaGraph_t;
typedef CUgraphNode_st* cudaGraphNode_t;
typedef CUgraphExec_st* cudaGraphExec_t;

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned int value, elementSize;  // elementSize: 1, 2 or 4 bytes
  std::size_t width, height;        // elements of a row, rows
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};

enum cudaGraphInstantiateFlags { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagDeviceLaunch = 4 };
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3,
  cudaGraphExecUpdateErrorParametersChanged = 5
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
typedef cudaGraphExecUpdateResultInfo cudaGraphExecUpdateResultInfo_st;

enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1, cudaStreamCaptureStatusInvalidated = 2 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1, cudaStreamCaptureModeRelaxed = 2 };

TILELAB_CUDA_CALL cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
TILELAB_CUDA_CALL cudaGraphDestroy(cudaGraph_t graph);
TILELAB_CUDA_CALL cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original);
// Where the list is null, only the number is written.
TILELAB_CUDA_CALL cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);

TILELAB_CUDA_CALL cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count);
TILELAB_CUDA_CALL cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                       const cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           cudaMemAllocNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                          void* pointer);

TILELAB_CUDA_CALL cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphExecDestroy(cudaGraphExec_t graph);
TILELAB_CUDA_CALL cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result);
TILELAB_CUDA_CALL cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params);

// The forms of CUDA 11 and of CUDA 13.
TILELAB_CUDA_FORM cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t* wrong, char* said, std::size_t bytes) {
  if (wrong) *wrong = nullptr;
  if (said && bytes > 0) *said = '\0';
  return cudaGraphInstantiate(made, graph, 0ULL);
}
TILELAB_CUDA_FORM cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphNode_t* wrong,
                                      cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(graph, changed, &info);
  if (wrong) *wrong = info.errorNode;
  if (result) *result = info.result;
  return error;
}
TILELAB_CUDA_FORM cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const struct cudaGraphEdgeData*, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}

TILELAB_CUDA_CALL cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
TILELAB_CUDA_CALL cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
TILELAB_CUDA_CALL cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
