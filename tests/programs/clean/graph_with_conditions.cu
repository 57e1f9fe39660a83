// run:
// prints: rounds 5, then 3\nodd 1\neven 2\ncase 0: 10\ncase 1: 20\ncase 2: 0\nhalved: 1\n
// Nodes that run a graph if, while and as often as a kernel says; the bodies are made by hand and by a capture.
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

__global__ void count_down(int *left, int *rounds, cudaGraphConditionalHandle again) {
  ++*rounds;
  cudaGraphSetConditional(again, --*left > 0);
}
__global__ void choose(const int *x, int cases, cudaGraphConditionalHandle which) { cudaGraphSetConditional(which, *x % cases); }
__global__ void write(int *to, int value) { *to = value; }
__device__ void halve_until_one(int *x, cudaGraphConditionalHandle again) {
  if (*x > 1) *x /= 2;
  cudaGraphSetConditional(again, *x > 1 ? 1 : 0);
}
__global__ void halve(int *x, cudaGraphConditionalHandle again) { halve_until_one(x, again); }

cudaStream_t stream;
int *memory;

int launched(cudaGraph_t graph, int place) {
  cudaGraphExec_t runs;
  int value = 0;
  CHECK(cudaGraphInstantiate(&runs, graph, 0));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaMemcpyAsync(&value, memory + place, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(runs));
  return value;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *before, int count, void *function, void **arguments) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
  params.kernel.func = function;
  params.kernel.gridDim = params.kernel.blockDim = dim3(1, 1, 1);
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, before, NULL, count, &params));
  return node;
}

void set(int place, int value) {
  CHECK(cudaMemcpyAsync(memory + place, &value, sizeof value, cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
}

// One case for each of `values`, which is written to the second number.
cudaGraph_t with_cases(cudaGraphConditionalNodeType type, int cases, int *values, int count) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle which;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&which, graph));
  void *choose_arguments[] = {&memory, &cases, &which};
  const cudaGraphNode_t chosen = add_kernel(graph, NULL, 0, (void *)choose, choose_arguments);
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = which;
  params.conditional.type = type;
  params.conditional.size = count;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, &chosen, NULL, 1, &params));
  for (int i = 0; i < count; ++i) {
    int *to = memory + 1;
    void *arguments[] = {&to, &values[i]};
    add_kernel(params.conditional.phGraph_out[i], NULL, 0, (void *)write, arguments);
  }
  return graph;
}

int main() {
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&memory, 2 * sizeof(int)));

  cudaGraph_t loop;
  cudaGraphConditionalHandle again;
  CHECK(cudaGraphCreate(&loop, 0));
  CHECK(cudaGraphConditionalHandleCreate(&again, loop, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = again;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, loop, NULL, NULL, 0, &params));
  CHECK(cudaStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(memory, memory + 1, again);
  CHECK(cudaStreamEndCapture(stream, NULL));
  set(0, 5);
  set(1, 0);
  const int first = launched(loop, 1);
  set(0, 3);
  set(1, 0);
  printf("rounds %d, then %d\n", first, launched(loop, 1));
  CHECK(cudaGraphDestroy(loop));

  int parity[] = {1, 2};
  cudaGraph_t either = with_cases(cudaGraphCondTypeIf, 2, parity, 2);
  set(0, 7);
  printf("odd %d\n", launched(either, 1));
  set(0, 8);
  printf("even %d\n", launched(either, 1));
  CHECK(cudaGraphDestroy(either));

  int tens[] = {10, 20};
  cudaGraph_t cases = with_cases(cudaGraphCondTypeSwitch, 3, tens, 2);
  for (int i = 0; i < 3; ++i) {
    set(0, i);
    set(1, 0);
    printf("case %d: %d\n", i, launched(cases, 1));
  }
  CHECK(cudaGraphDestroy(cases));

  // A condition in a captured graph: its node is put between two launches.
  cudaGraph_t graph, captured;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t count;
  set(0, 100);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &last, &count));
  CHECK(cudaGraphConditionalHandleCreate(&again, graph));
  halve<<<1, 1, 0, stream>>>(memory, again);
  CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &last, &count));
  params.conditional.handle = again;
  CHECK(cudaGraphAddNode(&node, graph, last, NULL, count, &params));
  void *arguments[] = {&memory, &again};
  add_kernel(params.conditional.phGraph_out[0], NULL, 0, (void *)halve, arguments);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
  CHECK(cudaMemcpyAsync(memory + 1, memory, sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaStreamEndCapture(stream, &captured));
  printf("halved: %d\n", launched(captured, 1));
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaFree(memory));
  CHECK(cudaStreamDestroy(stream));
}

// nvcc: before 13, where these functions have other parameters
