// The weights go to the kernel as a struct, which is constant memory too. The halo's four sides and four corners are loaded one by one.
#include <cuda_runtime.h>

struct Mask {
  float weight[5][5];
};

constexpr int T = 16, R = 2;

__global__ void convolution(const float* __restrict__ image, float* __restrict__ out, const Mask mask, int height, int width) {
  __shared__ float s[T + 2 * R][T + 2 * R];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
  auto pixel = [&](int py, int px) -> float {
    if (py < 0 || px < 0 || py > height - 1 || px > width - 1) return 0.0f;
    return image[(size_t)py * width + px];
  };
  s[ty + R][tx + R] = pixel(y, x);
  if (ty < R) s[ty][tx + R] = pixel(y - R, x);
  if (ty >= T - R) s[ty + 2 * R][tx + R] = pixel(y + R, x);
  if (tx < R) s[ty + R][tx] = pixel(y, x - R);
  if (tx >= T - R) s[ty + R][tx + 2 * R] = pixel(y, x + R);
  if (ty < R && tx < R) s[ty][tx] = pixel(y - R, x - R);
  if (ty < R && tx >= T - R) s[ty][tx + 2 * R] = pixel(y - R, x + R);
  if (ty >= T - R && tx < R) s[ty + 2 * R][tx] = pixel(y + R, x - R);
  if (ty >= T - R && tx >= T - R) s[ty + 2 * R][tx + 2 * R] = pixel(y + R, x + R);
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -R; dy <= R; ++dy)
#pragma unroll
    for (int dx = -R; dx <= R; ++dx) sum += s[ty + R + dy][tx + R + dx] * mask.weight[dy + R][dx + R];
  out[(size_t)y * width + x] = sum;
}

extern "C" void convolve(const float* image, const float* mask, float* out, int height, int width) {
  Mask weights;
  cudaMemcpy(&weights, mask, sizeof(weights), cudaMemcpyDefault);
  convolution<<<dim3((width + T - 1) / T, (height + T - 1) / T), dim3(T, T)>>>(image, out, weights, height, width);
}
