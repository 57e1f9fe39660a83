// copy-race in line 29:
// says: condition,nodes of one graph
// The node that reads the condition names the kernel, but says that it depends on 0 nodes.
#include <cstdio>

__global__ void decide(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 1); }
__global__ void hello() { printf("hello\n"); }

int main() {
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaGraphNode_t first, second, inner;
  cudaGraphConditionalHandle handle;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess) return 1;
  if (cudaGraphConditionalHandleCreate(&handle, graph) != cudaSuccess) return 1;

  cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
  void *arguments[] = {&handle};
  kernel.kernel.func = (void *)decide;
  kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1, 1, 1);
  kernel.kernel.kernelParams = arguments;
  cudaGraphAddNode(&first, graph, NULL, NULL, 0, &kernel);

  cudaGraphNodeParams branch = {cudaGraphNodeTypeConditional};
  branch.conditional.handle = handle;
  branch.conditional.type = cudaGraphCondTypeIf;
  branch.conditional.size = 1;

  cudaGraphAddNode(&second, graph, &first, NULL, 0, &branch);
  kernel.kernel.func = (void *)hello;
  kernel.kernel.kernelParams = NULL;
  cudaGraphAddNode(&inner, branch.conditional.phGraph_out[0], NULL, NULL, 0, &kernel);
  if (cudaGraphInstantiate(&runs, graph, 0) != cudaSuccess) return 1;
  cudaGraphLaunch(runs, 0);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
}
