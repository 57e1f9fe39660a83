// launch-race in line 26:
// says: scale,shift,line 25,nodes of one graph
// The second stream joins the capture and is joined again, but what it does has no order with what the first does meanwhile.
#include <cstdio>

__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
__global__ void shift(float *x) { x[threadIdx.x] += 1; }

int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t runs;

  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0);
  scale<<<1, 64, 0, one>>>(x);
  shift<<<1, 64, 0, two>>>(x);
  cudaEventRecord(join, two);
  cudaStreamWaitEvent(one, join, 0);
  cudaStreamEndCapture(one, &graph);

  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, one);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(x);
  printf("done\n");
}
