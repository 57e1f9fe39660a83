// run:
// prints: 0.145467639 0.820180893\n0.781606317 0.927\n0.7391 -0.0041 -0.5300\n0.621 0.39 0.17 0.39\n105 101\n
#include <curand.h>
#include <cstdio>
#include <vector>

#define CHECK(call)                                            \
  do {                                                         \
    curandStatus_t status = (call);                            \
    if (status != CURAND_STATUS_SUCCESS) {                     \
      printf("cuRAND says %d in line %d\n", status, __LINE__); \
      return 1;                                                \
    }                                                          \
  } while (0)

int main() {
  const int n = 8192;
  float *numbers;
  double *fine;
  cudaMalloc(&numbers, n * sizeof(float));
  cudaMalloc(&fine, n * sizeof(double));
  curandGenerator_t generator;
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
  std::vector<float> h(n);
  std::vector<double> d(n);
  CHECK(curandGenerateUniform(generator, numbers, 10));
  cudaMemcpy(h.data(), numbers, 10 * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%.9g %.9g\n", h[0], h[1]);
  CHECK(curandGenerateUniform(generator, numbers, 6));
  cudaMemcpy(h.data(), numbers, 6 * sizeof(float), cudaMemcpyDeviceToHost);
  CHECK(curandGenerateUniformDouble(generator, fine, 5000));
  cudaMemcpy(d.data(), fine, 5000 * sizeof(double), cudaMemcpyDeviceToHost);
  printf("%.9g %.3f\n", h[0], d[0]);
  CHECK(curandDestroyGenerator(generator));
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
  CHECK(curandGenerateUniformDouble(generator, fine, 10));
  CHECK(curandGenerateUniformDouble(generator, fine, 10));
  cudaMemcpy(d.data(), fine, 10 * sizeof(double), cudaMemcpyDeviceToHost);
  CHECK(curandDestroyGenerator(generator));
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
  CHECK(curandGenerateNormal(generator, numbers, 10, 0, 1));
  CHECK(curandGenerateNormal(generator, numbers, 10, 0, 1));
  cudaMemcpy(h.data(), numbers, 10 * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%.4f %.4f %.4f\n", d[0], h[0], h[1]);
  CHECK(curandGenerateUniform(generator, numbers, 4090));
  CHECK(curandGenerateNormal(generator, numbers + 4090, 20, 0, 1));
  CHECK(curandGenerateUniform(generator, numbers + 5000, 3));
  cudaMemcpy(h.data(), numbers, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%.3f %.2f %.2f %.2f\n", h[4089], h[4090], h[4109], h[5000]);
  printf("%d %d\n", curandGenerateNormal(generator, numbers, 7, 0, 1), curandDestroyGenerator(nullptr));
  CHECK(curandDestroyGenerator(generator));
  cudaFree(numbers);
  cudaFree(fine);
}
