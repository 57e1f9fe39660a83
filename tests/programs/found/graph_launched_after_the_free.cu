// use-after-free in line 15:
// says: numbers,line 20
// The graph still has the pointer that it was captured with.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *numbers;
  cudaStream_t stream;
  cudaMalloc(&numbers, 64 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, stream>>>(numbers);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t runs;
  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphDestroy(graph);
  cudaFree(numbers);
  cudaGraphLaunch(runs, stream);
  printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  cudaGraphExecDestroy(runs);
  cudaStreamDestroy(stream);
}
