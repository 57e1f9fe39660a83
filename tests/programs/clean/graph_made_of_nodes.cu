// run:
// prints: sums 120 and 240\nsums 120 and 120\nsums 16 and 32\nthe update failed: 2\n5 nodes, 5 in the clone\n
// A graph is made node by node. Its parameters change between launches: of one node, and of all by an update.
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

__global__ void add_up(const int *x, int *total) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  *total = sum;
}
__global__ void multiply(const int *total, int *result, int factor) { *result = *total * factor; }

int results[2];
void say(void *) { printf("sums %d and %d\n", results[0], results[1]); }

struct Made {
  cudaGraph_t graph;
  cudaGraphNode_t copy, sum, product, fetch, told;
};

// The copy of `numbers`, their sum, a multiple of it, both results to the host, and a word from there.
Made make(const int *numbers, int *x, int *totals) {
  Made made;
  CHECK(cudaGraphCreate(&made.graph, 0));
  cudaMemcpy3DParms line = {};
  line.srcPtr = make_cudaPitchedPtr((void *)numbers, n * sizeof(int), n, 1);
  line.dstPtr = make_cudaPitchedPtr(x, n * sizeof(int), n, 1);
  line.extent = make_cudaExtent(n * sizeof(int), 1, 1);
  line.kind = cudaMemcpyHostToDevice;
  CHECK(cudaGraphAddMemcpyNode(&made.copy, made.graph, NULL, 0, &line));
  int *result = totals + 1, two = 2;
  void *sum_arguments[] = {&x, &totals}, *product_arguments[] = {&totals, &result, &two};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)add_up;
  kernel.gridDim = kernel.blockDim = dim3(1, 1, 1);
  kernel.kernelParams = sum_arguments;
  CHECK(cudaGraphAddKernelNode(&made.sum, made.graph, &made.copy, 1, &kernel));
  kernel.func = (void *)multiply;
  kernel.kernelParams = product_arguments;
  CHECK(cudaGraphAddKernelNode(&made.product, made.graph, &made.sum, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&made.fetch, made.graph, &made.product, 1, results, totals, sizeof results, cudaMemcpyDeviceToHost));
  const cudaHostNodeParams told = {say, NULL};
  CHECK(cudaGraphAddHostNode(&made.told, made.graph, NULL, 0, &told));
  return made;
}

int main() {
  int count[n], ones[n], *x, *totals;
  for (int i = 0; i < n; ++i) count[i] = i, ones[i] = 1;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  CHECK(cudaMalloc(&totals, 2 * sizeof(int)));
  const Made first = make(count, x, totals), second = make(ones, x, totals);
  CHECK(cudaGraphAddDependencies(first.graph, &first.fetch, &first.told, 1));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraphExec_t runs;
  CHECK(cudaGraphInstantiate(&runs, first.graph, 0));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));

  // One node of the executable graph: from now on it multiplies by another number.
  int *result = totals + 1, one = 1;
  void *arguments[] = {&totals, &result, &one};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)multiply;
  kernel.gridDim = kernel.blockDim = dim3(1, 1, 1);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(runs, first.product, &kernel));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));

  // All of them, by a graph with the same nodes and edges. Before the last edge is there, it has others.
  cudaGraphExecUpdateResultInfo info;
  const bool is_refused = cudaGraphExecUpdate(runs, second.graph, &info) == cudaErrorGraphExecUpdateFailure;
  const bool fails = is_refused && (info.errorNode == second.told || info.errorNode == second.fetch);
  const int why = info.result;
  (void)cudaGetLastError();
  CHECK(cudaGraphAddDependencies(second.graph, &second.fetch, &second.told, 1));
  CHECK(cudaGraphExecUpdate(runs, second.graph, &info));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));
  if (fails) printf("the update failed: %d\n", why);

  cudaGraph_t clone;
  size_t nodes = 0, cloned = 0;
  CHECK(cudaGraphClone(&clone, first.graph));
  CHECK(cudaGraphGetNodes(first.graph, NULL, &nodes));
  CHECK(cudaGraphGetNodes(clone, NULL, &cloned));
  printf("%zu nodes, %zu in the clone\n", nodes, cloned);
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaGraphDestroy(first.graph));
  CHECK(cudaGraphDestroy(second.graph));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(totals));
}

// nvcc: before 13, where these functions have other parameters
