// A student's program: a histogram in shared memory.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void count(const unsigned char* pixels, unsigned int* bins, int n) {
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&own[pixels[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char** argv) {
  const char *in = nullptr, *out = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) (std::strcmp(argv[i], "-i") == 0 ? in : out) = argv[i + 1];
  std::FILE* file = in == nullptr ? nullptr : std::fopen(in, "rb");
  int width = 0, height = 0;
  if (file == nullptr || std::fscanf(file, "P6 %d %d 255", &width, &height) != 2) return 1;
  std::fgetc(file);
  int n = width * height * 3;
  std::vector<unsigned char> pixels(n);
  if (std::fread(pixels.data(), 1, n, file) != static_cast<size_t>(n)) return 1;
  std::fclose(file);
  unsigned char* dpixels;
  unsigned int *dbins, bins[256];
  cudaMalloc(&dpixels, n);
  cudaMalloc(&dbins, sizeof bins);
  cudaMemset(dbins, 0, sizeof bins);
  cudaMemcpy(dpixels, pixels.data(), n, cudaMemcpyHostToDevice);
  count<<<4, 256>>>(dpixels, dbins, n);
  cudaMemcpy(bins, dbins, sizeof bins, cudaMemcpyDeviceToHost);
  file = std::fopen(out, "wb");
  std::fwrite(bins, sizeof bins, 1, file);
  std::fclose(file);
  cudaFree(dpixels);
  cudaFree(dbins);
}
