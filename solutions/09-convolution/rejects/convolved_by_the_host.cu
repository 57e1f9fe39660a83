// verdict: rejected
// The host computes, and copies the result where it belongs.
#include <cuda_runtime.h>

#include <vector>

void convolve(const float* image, const float* mask, float* out, int height, int width) {
  std::vector<float> pixels(height * width), weights(25), result(height * width);
  cudaMemcpy(pixels.data(), image, pixels.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(weights.data(), mask, weights.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int k = 0; k < 25; ++k) {
        const int row = y + k / 5 - 2, column = x + k % 5 - 2;
        if (row >= 0 && row < height && column >= 0 && column < width) result[y * width + x] += weights[k] * pixels[row * width + column];
      }
  cudaMemcpy(out, result.data(), result.size() * sizeof(float), cudaMemcpyHostToDevice);
}
