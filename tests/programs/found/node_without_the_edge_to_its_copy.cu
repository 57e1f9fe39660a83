// copy-race in line 34:
// says: x,nodes of one graph
// The copy back should come after the kernel, but depends on the first copy alone.
#include <cstdio>

__global__ void squares(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
  int host[64], *x;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaGraphNode_t there, kernel, back;
  cudaGraphCreate(&graph, 0);

  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, sizeof host, 64, 1);
  copy.dstPtr = make_cudaPitchedPtr(x, sizeof host, 64, 1);
  copy.extent = make_cudaExtent(sizeof host, 1, 1);
  copy.kind = cudaMemcpyHostToDevice;
  cudaGraphAddMemcpyNode(&there, graph, NULL, 0, &copy);

  void *arguments[] = {&x};
  cudaKernelNodeParams params = {};
  params.func = (void *)squares;
  params.gridDim = dim3(1);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, &there, 1, &params);

  copy.srcPtr.ptr = x;
  copy.dstPtr.ptr = host, copy.kind = cudaMemcpyDeviceToHost;
  cudaGraphAddMemcpyNode(&back, graph, &there, 1, &copy);

  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, 0);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("%d\n", host[8]);
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  cudaFree(x);
}
