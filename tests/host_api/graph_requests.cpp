// Graphs, as test_graph_calls.py asks for them: each argument is one of them. A kernel is written as a stub by hand.
#include <cstdio>
#include <cstring>

__attribute__((noinline, noclone)) void add(float* x, int n) {
  static char tilelab_kernel_mark;
  ::tilelab_host::launch_kernel(&tilelab_kernel_mark, x, n);
}

cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count, int n) {
  float* x = nullptr;
  void* arguments[] = {&x, &n};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(&add);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  (void)cudaGraphAddKernelNode(&node, graph, before, count, &params);
  return node;
}

void launch(cudaGraph_t graph, cudaStream_t stream, int times = 1) {
  cudaGraphExec_t runs;
  std::printf("%s", cudaGetErrorName(cudaGraphInstantiate(&runs, graph, 0)));
  for (int i = 0; i < times; ++i) (void)cudaGraphLaunch(runs, stream);
  (void)cudaGraphExecDestroy(runs);
  (void)cudaGraphDestroy(graph);
}

int main(int, char** words) {
  cudaGraph_t graph;
  cudaStream_t stream;
  (void)cudaStreamCreate(&stream);
  (void)cudaGraphCreate(&graph, 0);
  if (std::strcmp(words[1], "chain") == 0) {
    const cudaGraphNode_t first = kernel_node(graph, nullptr, 0, 1);
    const cudaGraphNode_t second = kernel_node(graph, &first, 1, 2);
    kernel_node(graph, &second, 1, 3);
    launch(graph, stream, 2);
  } else if (std::strcmp(words[1], "diamond") == 0) {
    const cudaGraphNode_t first = kernel_node(graph, nullptr, 0, 1);
    const cudaGraphNode_t sides[] = {kernel_node(graph, &first, 1, 2), kernel_node(graph, &first, 1, 3)};
    kernel_node(graph, sides, 2, 4);
    launch(graph, stream, 2);
  } else if (std::strcmp(words[1], "circle") == 0) {
    const cudaGraphNode_t first = kernel_node(graph, nullptr, 0, 1), second = kernel_node(graph, &first, 1, 2);
    (void)cudaGraphAddDependencies(graph, &second, &first, 1);
    launch(graph, stream);
  } else if (std::strcmp(words[1], "capture") == 0) {
    (void)cudaGraphDestroy(graph);
    (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    (::tilelab_host::configure(dim3(1), dim3(1), 0, stream), add(nullptr, 7));
    (void)cudaStreamEndCapture(stream, &graph);
    launch(graph, stream);
  } else if (std::strcmp(words[1], "strangers") == 0) {
    const cudaGraphNode_t node = kernel_node(graph, nullptr, 0, 1);
    (void)cudaGraphDestroy(graph);
    cudaGraph_t other;
    cudaGraphNode_t next = nullptr;
    (void)cudaGraphCreate(&other, 0);
    std::printf("%s ", cudaGetErrorName(cudaGraphDestroy(graph)));
    std::printf("%s ", cudaGetErrorName(cudaGraphAddEmptyNode(&next, other, &node, 1)));
    std::printf("%s", cudaGetErrorName(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(&next), stream)));
  }
}
