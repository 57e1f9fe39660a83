// copy-size in line 13:
// says: x,256 bytes
// The node is never made, because the copy would not fit: the error is looked at, and the mistake is told where the node is added.
#include <cstdio>

int main() {
  char host[512], *x;
  cudaMalloc(&x, 256);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess) return 1;
  const cudaError_t error =
      cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, x, host, sizeof host, cudaMemcpyHostToDevice);
  printf("%s\n", cudaGetErrorString(error));
  cudaGraphDestroy(graph);
  cudaFree(x);
}
