// run:
// prints: wait 900, then 901, end 901\nallocation 900, end 901\nrelaxed: allocation 0, 0 nodes\nlegacy stream 906, end 901\nanother stream's event 905\nunjoined 904\ntwo captures 902\nevent in a capture 907\nwrong stream 903\n
// What is not allowed while a stream is captured fails with CUDA's errors, and the program looks at each of them. Nothing is a mistake.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t error = (call);                                                \
    if (error != cudaSuccess) {                                                      \
      printf("line %d: %s (%d)\n", __LINE__, cudaGetErrorString(error), (int)error); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

cudaStream_t one, two;
cudaEvent_t event;

int end(cudaStream_t stream) {
  cudaGraph_t graph;
  const cudaError_t error = cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (error == cudaSuccess) CHECK(cudaGraphDestroy(graph));
  return error;
}

int main() {
  int *memory;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&two));
  CHECK(cudaEventCreate(&event));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  const int waited = cudaStreamSynchronize(one), later = cudaLaunchHostFunc(one, [](void *) {}, nullptr);
  printf("wait %d, then %d, end %d\n", waited, later, end(one));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
  const int allocated = cudaMalloc(&memory, 4);
  printf("allocation %d, end %d\n", allocated, end(one));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  const int relaxed = cudaMalloc(&memory, 4);
  cudaGraph_t empty;
  CHECK(cudaStreamEndCapture(one, &empty));
  size_t nodes = 1;
  CHECK(cudaGraphGetNodes(empty, NULL, &nodes));
  printf("relaxed: allocation %d, %zu nodes\n", relaxed, nodes);
  CHECK(cudaGraphDestroy(empty));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  const int legacy = cudaMemsetAsync(memory, 0, 4, 0);
  printf("legacy stream %d, end %d\n", legacy, end(one));

  CHECK(cudaEventRecord(event, two));
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  printf("another stream's event %d\n", (int)cudaStreamWaitEvent(one, event, 0));
  end(one);

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(two, event, 0));
  CHECK(cudaMemsetAsync(memory, 0, 4, two));
  printf("unjoined %d\n", end(one));

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, one));
  printf("two captures %d\n", (int)cudaStreamWaitEvent(two, event, 0));
  end(one);
  end(two);

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, one));
  printf("event in a capture %d\n", (int)cudaEventSynchronize(event));
  end(one);

  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(two, event, 0));
  printf("wrong stream %d\n", end(two));
  end(one);

  CHECK(cudaFree(memory));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
}
