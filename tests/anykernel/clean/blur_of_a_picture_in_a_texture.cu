// check: --arg 'texture(linear,clamp,normalized) float[32][32]=random' --arg 'float[32][32]' --arg int=32 --arg int=32 --kernel blur --grid 2,2 --block 16,16
// As programs have it: the texture is made by the host, which nobody needs here.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void blur(cudaTextureObject_t picture, float* out, int width, int height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += tex2D<float>(picture, (x + i + 0.5f) / width, (y + j + 0.5f) / height);
  out[y * width + x] = sum / 9.0f;
}

int main() {
  const int width = 32, height = 32;
  std::vector<float> host(width * height, 1.0f);
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &channel, width, height);
  cudaMemcpy2DToArray(array, 0, 0, host.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  texture.addressMode[0] = cudaAddressModeClamp;
  texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  texture.readMode = cudaReadModeElementType;
  texture.normalizedCoords = 1;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &texture, nullptr);
  float* out;
  cudaMalloc(&out, width * height * sizeof(float));
  blur<<<dim3(2, 2), dim3(16, 16)>>>(object, out, width, height);
  cudaDeviceSynchronize();
  std::puts("done");
}
