// read-before-sync in line 22:
// says: sums,line 17
// A graph runs beside the host as every launch does.
#include <cstdio>

__global__ void add(int *x) { atomicAdd(x, threadIdx.x); }

int main() {
  int *sums;
  cudaMallocManaged(&sums, sizeof(int));
  *sums = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  add<<<1, 64, 0, stream>>>(sums);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, stream);
  cudaGraphLaunch(runs, stream);
  printf("%d\n", *sums);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(sums);
}
