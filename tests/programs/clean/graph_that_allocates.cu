// run:
// prints: 2080 4 times\na captured graph: 64\nleft for the host: 64\nagain without a free: invalid argument\nfreed by the next launch: 64\n
// Nodes that allocate and free: made by hand and captured, freed in the graph, by the host, and by the next launch.
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

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x + 1; }
__global__ void add_up(const int *x, int *total) {
  for (int i = 0; i < 64; ++i) *total += x[i];
}
__global__ void ones(int *x) { x[threadIdx.x] = 1; }

int by_hand(cudaStream_t stream) {
  int *total, sum = 0;
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMemset(total, 0, sizeof(int)));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory = {};
  memory.bytesize = 64 * sizeof(int);
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphNode_t allocated, filled, added, freed;
  CHECK(cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &memory));
  void *fill_arguments[] = {&memory.dptr}, *add_arguments[] = {&memory.dptr, &total};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)fill;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = fill_arguments;
  CHECK(cudaGraphAddKernelNode(&filled, graph, &allocated, 1, &kernel));
  kernel.func = (void *)add_up;
  kernel.blockDim = dim3(1);
  kernel.kernelParams = add_arguments;
  CHECK(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  CHECK(cudaGraphAddMemFreeNode(&freed, graph, &added, 1, memory.dptr));
  cudaGraphExec_t runs;
  CHECK(cudaGraphInstantiate(&runs, graph, 0));
  for (int i = 0; i < 4; ++i) CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&sum, total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(total));
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaGraphDestroy(graph));
  return sum;
}

// `x` is what the graph leaves behind.
cudaGraphExec_t captured(cudaStream_t stream, int **x, int *result, unsigned long long flags) {
  int *other;
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(x, 64 * sizeof(int), stream));
  CHECK(cudaMallocAsync(&other, 64 * sizeof(int), stream));
  ones<<<1, 64, 0, stream>>>(*x);
  CHECK(cudaMemcpyAsync(other, *x, 64 * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemcpyAsync(result, other, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(other, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&runs, graph, flags));
  CHECK(cudaGraphDestroy(graph));
  return runs;
}

int sum_of(const int *x) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[i];
  return sum;
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  printf("%d 4 times\n", by_hand(stream) / 4);

  int *x, result[64];
  cudaGraphExec_t runs = captured(stream, &x, result, 0);
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("a captured graph: %d\n", sum_of(result));
  int copy[64];
  CHECK(cudaMemcpy(copy, x, sizeof copy, cudaMemcpyDeviceToHost));
  printf("left for the host: %d\n", sum_of(copy));
  printf("again without a free: %s\n", cudaGetErrorString(cudaGraphLaunch(runs, stream)));
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(runs));

  runs = captured(stream, &x, result, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaGraphLaunch(runs, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("freed by the next launch: %d\n", sum_of(result));
  CHECK(cudaFree(x));
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaStreamDestroy(stream));
}
