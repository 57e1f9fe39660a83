// out-of-bounds of mine.v in line 9: --kernel sums --block 32 --arg 'float[256]=iota' --arg 'float[32]'
struct alignas(32) Eight {
  float v[8];
};

__global__ void sums(const float* A, float* C) {
  Eight mine;
  float* to = mine.v;
  for (int i = 0; i <= 8; ++i) to[i] = A[(threadIdx.x * 8 + i) % 256];
  C[threadIdx.x] = mine.v[0] + mine.v[7];
}
