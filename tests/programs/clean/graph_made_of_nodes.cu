// run:
// prints: types: 1 0 3 4 5\n4 edges, 3 after the first\nsums 120 and 240\nsums 136 and 272\nsums 16 and 32\nthe update failed: 2\nfound in the clone: 1\n
// A graph is made node by node, with a child graph in it. Its parameters change between launches: of one node, and of all by an update.
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

const int n = 16;
__constant__ int factor;

__global__ void add_up(const int *x, int *total) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  *total = sum;
}
__global__ void multiply(const int *total, int *result) { *result = *total * factor; }

void say(void *results) { printf("sums %d and %d\n", ((int *)results)[0], ((int *)results)[1]); }

int main() {
  int host[n], *x, *total, *product, results[2] = {};
  for (int i = 0; i < n; ++i) host[i] = i;
  const int two = 2;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMalloc(&product, sizeof(int)));

  cudaGraph_t child, graph;
  CHECK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t to_symbol, times, back;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, child, NULL, 0, factor, &two, sizeof two, 0, cudaMemcpyHostToDevice));
  void *times_arguments[] = {&total, &product};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)multiply;
  kernel.gridDim = kernel.blockDim = dim3(1, 1, 1);
  kernel.kernelParams = times_arguments;
  CHECK(cudaGraphAddKernelNode(&times, child, &to_symbol, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&back, child, &times, 1, &results[1], product, sizeof(int), cudaMemcpyDeviceToHost));

  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy, sum, told, nested, nothing;
  cudaMemcpy3DParms line = {};
  line.srcPtr = make_cudaPitchedPtr(host, sizeof host, n, 1);
  line.dstPtr = make_cudaPitchedPtr(x, sizeof host, n, 1);
  line.extent = make_cudaExtent(sizeof host, 1, 1);
  line.kind = cudaMemcpyHostToDevice;
  CHECK(cudaGraphAddMemcpyNode(&copy, graph, NULL, 0, &line));
  void *sum_arguments[] = {&x, &total};
  kernel.func = (void *)add_up;
  kernel.kernelParams = sum_arguments;
  CHECK(cudaGraphAddKernelNode(&sum, graph, &copy, 1, &kernel));
  CHECK(cudaGraphAddChildGraphNode(&nested, graph, &sum, 1, child));
  cudaGraphNodeParams any = {cudaGraphNodeTypeHost};
  any.host.fn = say;
  any.host.userData = results;
  CHECK(cudaGraphAddNode(&told, graph, NULL, NULL, 0, &any));
  CHECK(cudaGraphAddEmptyNode(&nothing, graph, &told, 1));
  cudaGraphNode_t get_total;
  CHECK(cudaGraphAddMemcpyNode1D(&get_total, child, &to_symbol, 1, &results[0], total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddDependencies(graph, &nested, &told, 1));

  const cudaGraphNode_t shown[] = {copy, sum, told, nested, nothing};
  printf("types:");
  for (cudaGraphNode_t one : shown) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(one, &type));
    printf(" %d", (int)type);
  }
  size_t edges = 0, after = 8;
  cudaGraphNode_t next[8];
  CHECK(cudaGraphGetEdges(graph, NULL, NULL, &edges));
  CHECK(cudaGraphNodeGetDependentNodes(to_symbol, next, &after));
  printf("\n%zu edges, %zu after the first\n", edges, after + 1);

  // The child that the node has is a copy, without what was added to `child` later.
  cudaGraph_t inner;
  CHECK(cudaGraphChildGraphNodeGetGraph(nested, &inner));
  cudaGraphNode_t inner_product, inner_total;
  CHECK(cudaGraphNodeFindInClone(&inner_product, back, inner));
  CHECK(cudaGraphAddMemcpyNode1D(&inner_total, inner, &inner_product, 1, &results[0], total, sizeof(int), cudaMemcpyDeviceToHost));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraphExec_t runs;
  CHECK(cudaGraphInstantiate(&runs, graph, 0));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));

  // One node of the executable graph: from now on it copies other numbers.
  int more[n];
  for (int i = 0; i < n; ++i) more[i] = i + 1;
  line.srcPtr.ptr = more;
  CHECK(cudaGraphExecMemcpyNodeSetParams(runs, copy, &line));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));

  // All of them.
  int ones[n];
  for (int i = 0; i < n; ++i) ones[i] = 1;
  CHECK(cudaGraphMemcpyNodeSetParams1D(copy, x, ones, sizeof ones, cudaMemcpyHostToDevice));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(runs, graph, &info));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));

  CHECK(cudaGraphRemoveDependencies(graph, &nested, &told, 1));
  if (cudaGraphExecUpdate(runs, graph, &info) == cudaErrorGraphExecUpdateFailure) printf("the update failed: %d\n", info.result);
  (void)cudaGetLastError();
  cudaGraph_t clone;
  cudaGraphNode_t same;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&same, sum, clone));
  cudaKernelNodeParams read;
  CHECK(cudaGraphKernelNodeGetParams(same, &read));
  printf("found in the clone: %d\n", read.func == (void *)add_up && *(int **)read.kernelParams[0] == x);
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphDestroy(child));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(total));
  CHECK(cudaFree(product));
}

// nvcc: before 13, where these functions have other parameters
