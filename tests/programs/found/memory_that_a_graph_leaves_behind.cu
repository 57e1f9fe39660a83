// leak in line 15:
// says: x,256 bytes
// A graph that is launched allocates, and nobody frees it: the end of the graph does not.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, 64 * sizeof(int), stream);
  fill<<<1, 64, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, stream);
  printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
