// check: --block 64 --arg 'float[64]=random' --arg 'double[64]=random' --arg 'int[8]=0'
// Comparisons with numbers that lie in read-only memory, as large as they are and no larger.
__global__ void count(const float* a, const double* b, int* found) {
  const int i = threadIdx.x;
  atomicAdd(&found[0], abs(a[i] - b[i]) >= 0.000001);
  atomicAdd(&found[1], a[i] > 0.1 ? 1 : 0);
  atomicAdd(&found[2], a[i] <= 0.25f);
  if (b[i] < 0.3) atomicAdd(&found[3], 1);
  if (0.7 <= b[i] || b[i] != b[i]) atomicAdd(&found[4], 1);
  if (fabsf(a[i]) >= 1e-3f) atomicAdd(&found[5], 1);
  atomicAdd(&found[6], a[i] == 0.5);
}
