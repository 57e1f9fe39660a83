// run:
// prints: the picture is inverted, 37 x 21\n
#include <cstdio>
#include <vector>

__global__ void invert(unsigned char *picture, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    unsigned char *row = picture + y * pitch;
    row[x] = 255 - row[x];
  }
}

int main() {
  const int width = 37, height = 21;
  std::vector<unsigned char> picture(width * height), inverted(width * height);
  for (int i = 0; i < width * height; ++i) picture[i] = i * 7;
  unsigned char *device;
  size_t pitch;
  if (cudaMallocPitch(&device, &pitch, width, height) != cudaSuccess) return 1;
  cudaMemcpy2D(device, pitch, picture.data(), width, width, height, cudaMemcpyHostToDevice);
  invert<<<dim3(3, 2), dim3(16, 16)>>>(device, pitch, width, height);
  cudaMemcpy2D(inverted.data(), width, device, pitch, width, height, cudaMemcpyDeviceToHost);
  bool right = pitch >= width;
  for (int i = 0; i < width * height; ++i) right = right && inverted[i] == 255 - picture[i];
  if (right) printf("the picture is inverted, %d x %d\n", width, height);
  cudaFree(device);
}
