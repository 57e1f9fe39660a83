// CUDA's runtime: streams and events. Times are in milliseconds. Sharing with other processes is missing.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_types.hpp"

TILELAB_CUDA_CALL cudaStreamCreate(cudaStream_t* stream);
TILELAB_CUDA_CALL cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
TILELAB_CUDA_CALL cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
TILELAB_CUDA_CALL cudaStreamDestroy(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamSynchronize(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamQuery(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
TILELAB_CUDA_CALL cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
TILELAB_CUDA_CALL cudaStreamGetPriority(cudaStream_t stream, int* priority);
// What a stream is told about caches and waiting changes nothing here.
TILELAB_CUDA_CALL cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value);
TILELAB_CUDA_CALL cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value);
TILELAB_CUDA_CALL cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
TILELAB_CUDA_CALL cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
TILELAB_CUDA_CALL cudaStreamGetDevice(cudaStream_t stream, int* device);
// The host's function runs when the stream has reached it: the call waits for that here.
TILELAB_CUDA_CALL cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* user_data, unsigned int flags);
TILELAB_CUDA_CALL cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);

TILELAB_CUDA_CALL cudaEventCreate(cudaEvent_t* event);
TILELAB_CUDA_CALL cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
TILELAB_CUDA_CALL cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned int flags = 0);
TILELAB_CUDA_CALL cudaEventSynchronize(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventQuery(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventDestroy(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

TILELAB_CUDA_FORM cudaEventCreate(cudaEvent_t* event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }
