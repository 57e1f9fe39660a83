// copy-size in line 17:
// says: volume,5 slices,4 slices
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> values(8 * 8 * 5);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t volume;
  cudaMalloc3DArray(&volume, &format, make_cudaExtent(8, 8, 4));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), 8 * sizeof(float), 8, 8);
  copy.dstArray = volume;
  copy.extent = make_cudaExtent(8, 8, 5);
  copy.kind = cudaMemcpyHostToDevice;
  cudaError_t error =
      cudaMemcpy3D(&copy);
  printf("%s\n", cudaGetErrorString(error));
  cudaFreeArray(volume);
}
