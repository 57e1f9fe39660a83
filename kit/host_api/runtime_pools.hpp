// CUDA's runtime: memory pools, memory in the order of a stream, and memory that graphs allocate. Sizes are in bytes. Sharing a pool with
// other processes is missing.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_graph_types.hpp"
#include "runtime_memory.hpp"
#include "runtime_pool_types.hpp"

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
TILELAB_CUDA_CALL cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params);
TILELAB_CUDA_CALL cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer);
TILELAB_CUDA_CALL cudaDeviceGraphMemTrim(int device);
TILELAB_CUDA_CALL cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value);
TILELAB_CUDA_CALL cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value);

template <typename T>
TILELAB_CUDA_FORM cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
template <typename T>
TILELAB_CUDA_FORM cudaMallocAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
