// CUDA's runtime: graphs, capture of streams, and memory of pools and graphs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_memory.hpp"
#include "runtime_types.hpp"

// The types and constants of CUDA's graphs and of stream capture that host code names. External semaphores and arrays are missing.

struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
typedef CUgraph_st* cudaGraph_t;
typedef CUgraphNode_st* cudaGraphNode_t;
typedef CUgraphExec_st* cudaGraphExec_t;

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree = 11,
  cudaGraphNodeTypeConditional = 13
};

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};
typedef cudaKernelNodeParams cudaKernelNodeParamsV2;
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned int value, elementSize;  // elementSize: 1, 2 or 4 bytes
  std::size_t width, height;        // elements of a row, rows
};
typedef cudaMemsetParams cudaMemsetParamsV2;
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
typedef cudaHostNodeParams cudaHostNodeParamsV2;
struct cudaMemcpyNodeParams {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};
typedef cudaMemAllocNodeParams cudaMemAllocNodeParamsV2;
struct cudaMemFreeNodeParams {
  void* dptr;
};

enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile = 1, cudaGraphCondTypeSwitch = 2 };
#define cudaGraphCondAssignDefault 1
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type;
  unsigned int size;
  cudaGraph_t* phGraph_out;
};

struct cudaGraphNodeParams {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParamsV2 kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParamsV2 memset;
    cudaHostNodeParamsV2 host;
    cudaChildGraphNodeParams graph;
    cudaMemAllocNodeParamsV2 alloc;
    cudaMemFreeNodeParams free;
    cudaConditionalNodeParams conditional;
  };
  long long reserved2;
};

struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
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
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1 };
typedef unsigned long long cudaCaptureId_t;

// CUDA's runtime: graphs, made node by node. External semaphores, user objects and launches of
// graphs from kernels are missing.

TILELAB_CUDA_CALL cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
TILELAB_CUDA_CALL cudaGraphDestroy(cudaGraph_t graph);
TILELAB_CUDA_CALL cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original);
TILELAB_CUDA_CALL cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone);
TILELAB_CUDA_CALL cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
// Where a list is null, only the number is written.
TILELAB_CUDA_CALL cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);
TILELAB_CUDA_CALL cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);

TILELAB_CUDA_CALL cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count);
TILELAB_CUDA_CALL cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                                 const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                                 cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                       const cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                             cudaGraph_t child);
TILELAB_CUDA_CALL cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                   cudaGraphNodeParams* params);
// A kernel says the value with cudaGraphSetConditional(); a node of cudaGraphAddNode() runs its graphs by it.
TILELAB_CUDA_CALL cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned int value = 0,
                                                   unsigned int flags = 0);
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);  // only named, by kernels' text

TILELAB_CUDA_CALL cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph);

TILELAB_CUDA_CALL cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphExecDestroy(cudaGraphExec_t graph);
TILELAB_CUDA_CALL cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result);
TILELAB_CUDA_CALL cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemcpy3DParms* params);

// The forms of CUDA 11 and of CUDA 13, and those that name a function or a variable as the program does.
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
namespace tilelab_host {
inline void default_edges(cudaGraphEdgeData* edges, const std::size_t* count) {
  for (std::size_t i = 0; edges && count && i < *count; ++i) edges[i] = {};
}
}  // namespace tilelab_host
TILELAB_CUDA_FORM cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                                    std::size_t* count) {
  const cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
  tilelab_host::default_edges(edges, count);
  return error;
}
TILELAB_CUDA_FORM cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                                 std::size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependentNodes(node, nodes, count);
  tilelab_host::default_edges(edges, count);
  return error;
}
TILELAB_CUDA_FORM cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData*, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
TILELAB_CUDA_FORM cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                              const cudaGraphEdgeData*, std::size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, count);
}
TILELAB_CUDA_FORM cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                                   std::size_t count, cudaGraphNodeParams* params) {
  return cudaGraphAddNode(node, graph, before, count, params);
}
TILELAB_CUDA_ANY(cudaGraphAddMemcpyNodeToSymbol,
                 (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count, const T& symbol,
                  const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
                 cudaGraphAddMemcpyNodeToSymbol(node, graph, before, count, tilelab_host::place_of(symbol), from, bytes, offset, kind))

// CUDA's runtime: capturing the work of streams as a graph.

TILELAB_CUDA_CALL cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
TILELAB_CUDA_CALL cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* before,
                                                const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode);
TILELAB_CUDA_CALL cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
TILELAB_CUDA_CALL cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
TILELAB_CUDA_CALL cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr);
TILELAB_CUDA_CALL cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
                                              cudaGraph_t* graph = nullptr, const cudaGraphNode_t** last = nullptr,
                                              std::size_t* count = nullptr);
TILELAB_CUDA_CALL cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count,
                                                      unsigned int flags = 0);

// The forms of CUDA 13.
TILELAB_CUDA_FORM cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                           const cudaGraphNode_t** last = nullptr, const cudaGraphEdgeData** edges = nullptr,
                                           std::size_t* count = nullptr) {
  if (edges) *edges = nullptr;
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, last, count);
}
TILELAB_CUDA_FORM cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                           const cudaGraphNode_t** last, std::size_t* count) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, last, count);
}
TILELAB_CUDA_FORM cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData*,
                                                      std::size_t count, unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

// CUDA's runtime: memory pools, memory in the order of a stream, and memory that graphs allocate. Sizes are in bytes. Sharing a pool with
// other processes is missing.

TILELAB_CUDA_CALL cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
TILELAB_CUDA_CALL cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
TILELAB_CUDA_CALL cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
TILELAB_CUDA_CALL cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
TILELAB_CUDA_CALL cudaMemPoolDestroy(cudaMemPool_t pool);
TILELAB_CUDA_CALL cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t least_bytes);
TILELAB_CUDA_CALL cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
TILELAB_CUDA_CALL cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
TILELAB_CUDA_CALL cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count);
TILELAB_CUDA_CALL cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* place);
TILELAB_CUDA_CALL cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream);

TILELAB_CUDA_CALL cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           cudaMemAllocNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                          void* pointer);
TILELAB_CUDA_CALL cudaDeviceGraphMemTrim(int device);
TILELAB_CUDA_CALL cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value);

TILELAB_CUDA_ANY(cudaMallocFromPoolAsync,
                 (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                 cudaMallocFromPoolAsync(tilelab_host::untyped(pointer), bytes, pool, stream))
TILELAB_CUDA_ANY(cudaMallocAsync, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                 cudaMallocFromPoolAsync(tilelab_host::untyped(pointer), bytes, pool, stream))
