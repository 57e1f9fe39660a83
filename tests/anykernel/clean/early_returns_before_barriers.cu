// check: --kernel rows --grid 2 --block 96 --arg 'float[128]=iota' --arg 'float[128]' --arg int=100
#define LEAVE_IF(wrong) \
  do {                  \
    if (wrong) return;  \
  } while (false)

__device__ void meet() { __syncthreads(); }

__global__ void rows(const float* A, float* C, int n) {
  __shared__ float part[96];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  LEAVE_IF(t >= 80);
  if (t >= 64) {
    return;
  } else {
    part[t] = i < n ? A[i] : 0;
    meet();
  }
  for (int step = 0;; ++step) {
    if (step * 16 > t) return;
    meet();
    if (step == 2) {
      C[i] = part[t];
      return;
    }
  }
}
