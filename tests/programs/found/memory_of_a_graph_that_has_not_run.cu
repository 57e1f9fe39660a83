// use-after-free in line 17:
// says: x.dptr,has not run
// The pointer is known as soon as the node is made, but the memory is there only from the launch on.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams x = {};
  x.bytesize = 64 * sizeof(int);
  x.poolProps.allocType = cudaMemAllocationTypePinned;
  x.poolProps.location.type = cudaMemLocationTypeDevice;
  if (cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &x) != cudaSuccess) return 1;
  fill<<<1, 64>>>((int *)x.dptr);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaGraphDestroy(graph);
}
