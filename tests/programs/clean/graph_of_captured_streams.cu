// run:
// prints: captured: 1\nround 1: 496\nround 2: 496\nround 3: 496\nhost saw 3 rounds\n7 nodes, 7 in the clone\n
// Three streams are captured as one graph: fork and join by events. The graph is launched three times, and its clone once.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                 \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) {                                                     \
      printf("line %d: %s (%d)\n", __LINE__, cudaGetErrorString(error), (int)error); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

__global__ void fill(int *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = threadIdx.x;
}
__global__ void sum(const int *x, const int *bias, int *total, int n) {
  int s = bias[0];
  for (int i = 0; i < n; ++i) s += x[i];
  *total = s;
}

void count(void *rounds) { ++*(int *)rounds; }

int main() {
  const int n = 32;
  int *x, *bias, *total, *result, rounds = 0;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  CHECK(cudaMalloc(&bias, sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMallocHost(&result, sizeof(int)));
  cudaStream_t one, two, three;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&two));
  CHECK(cudaStreamCreateWithFlags(&three, cudaStreamNonBlocking));
  cudaEvent_t begun, filled, cleared;
  CHECK(cudaEventCreate(&begun));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&cleared, cudaEventDisableTiming));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(begun, one));
  CHECK(cudaStreamWaitEvent(two, begun, 0));
  CHECK(cudaStreamWaitEvent(three, begun, 0));
  CHECK(cudaMemsetAsync(total, 0, sizeof(int), one));
  fill<<<1, n, 0, two>>>(x, n);
  CHECK(cudaEventRecord(filled, two));
  CHECK(cudaMemsetAsync(bias, 0, sizeof(int), three));
  CHECK(cudaEventRecord(cleared, three));
  CHECK(cudaStreamWaitEvent(one, filled, 0));
  CHECK(cudaStreamWaitEvent(one, cleared, 0));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(one, &status));
  printf("captured: %d\n", status == cudaStreamCaptureStatusActive);
  sum<<<1, 1, 0, one>>>(x, bias, total, n);
  CHECK(cudaMemcpyAsync(result, total, sizeof(int), cudaMemcpyDeviceToHost, one));
  CHECK(cudaMemsetAsync(total, 0, sizeof(int), one));
  CHECK(cudaLaunchHostFunc(one, count, &rounds));
  cudaGraph_t graph, clone;
  CHECK(cudaStreamEndCapture(one, &graph));
  CHECK(cudaStreamIsCapturing(one, &status));
  if (status != cudaStreamCaptureStatusNone) return 1;

  cudaGraphExec_t runs, again;
  CHECK(cudaGraphInstantiate(&runs, graph, NULL, NULL, 0));
  for (int i = 0; i < 3; ++i) {
    *result = 0;
    CHECK(cudaGraphLaunch(runs, one));
    CHECK(cudaStreamSynchronize(one));
    printf("round %d: %d\n", i + 1, *result);
  }
  printf("host saw %d rounds\n", rounds);
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphInstantiateWithFlags(&again, clone, 0));
  CHECK(cudaGraphUpload(again, two));
  CHECK(cudaGraphLaunch(again, two));
  CHECK(cudaDeviceSynchronize());
  size_t nodes = 0, cloned = 0;
  CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
  CHECK(cudaGraphGetNodes(clone, NULL, &cloned));
  printf("%zu nodes, %zu in the clone\n", nodes, cloned);
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaGraphExecDestroy(again));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaEventDestroy(begun));
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaEventDestroy(cleared));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
  CHECK(cudaStreamDestroy(three));
  CHECK(cudaFreeHost(result));
  CHECK(cudaFree(x));
  CHECK(cudaFree(bias));
  CHECK(cudaFree(total));
}

// nvcc: before 13, where these functions have other parameters
