// unchecked-error in line 16:
// says: cudaStreamSynchronize,cudaErrorStreamCaptureUnsupported
// Nothing runs while it is captured, so there is nothing to wait for: the call fails, and the capture with it.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *x;
  cudaStream_t stream;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, stream>>>(x);
  cudaStreamSynchronize(stream);
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) printf("no graph\n");
  cudaStreamDestroy(stream);
  cudaFree(x);
}
