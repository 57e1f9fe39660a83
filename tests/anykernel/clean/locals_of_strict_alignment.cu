// check: --kernel mix --grid 2 --block 32 --arg 'float[512]=iota' --arg 'float[64]'
struct alignas(32) Eight {
  float v[8];
  __device__ float sum() const {
    float all = 0.0f;
    for (const float one : v) all += one;
    return all;
  }
};

__device__ Eight loaded(const float* from) {
  Eight eight;
  for (int i = 0; i < 8; ++i) eight.v[i] = from[i];
  return eight;
}

__device__ Eight operator+(const Eight& a, const Eight& b) {
  Eight c;
  for (int i = 0; i < 8; ++i) c.v[i] = a.v[i] + b.v[i];
  return c;
}

__global__ void mix(const float* A, float* C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  alignas(64) float line[16];
  for (int i = 0; i < 16; ++i) line[i] = A[(8 * t + i) % 512];
  const Eight mine = loaded(A + 8 * t), other = loaded(line);
  const bool is_aligned = reinterpret_cast<size_t>(&mine) % 32 == 0 && reinterpret_cast<size_t>(line) % 64 == 0;
  C[is_aligned ? t : -1] = (mine + other).sum();
}
