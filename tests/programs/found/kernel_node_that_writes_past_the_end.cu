// out-of-bounds in line 6:
// says: x[100]
// The grid of the captured launch is larger than the array, and the kernel does not ask.
#include <cstdio>

__global__ void fill(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *cubes;
  cudaStream_t stream;
  cudaMalloc(&cubes, 100 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<2, 64, 0, stream>>>(cubes);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, stream);
  printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(cubes);
}
