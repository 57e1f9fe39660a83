// out-of-bounds of window in line 7: --kernel slide --block 64 --arg 'float[64]=iota' --arg 'float[64]'
__global__ void slide(const float* A, float* C) {
  const int t = threadIdx.x;
  float window[3];
  float* last = &window[2];
  for (int i = 0; i < 3; ++i) window[i] = A[(t + i) % 64];
  C[t] = last[0] + last[-3];
}
