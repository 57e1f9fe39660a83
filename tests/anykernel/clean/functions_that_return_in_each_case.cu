// check: --kernel sort_out --block 64 --arg 'float[64]=iota' --arg 'float[64]' --arg 'int[64]'
__device__ int kind_of(float value) {
  switch (static_cast<int>(value) % 3) {
    case 0: return 10;
    case 1: return 11;
    default: break;
  }
  for (int i = 0;; ++i) {
    if (i * 2.0f > value) return i;
  }
}

struct Pair {
  float first, second;
};

__device__ Pair halves(float value) {
  if (value > 32.0f) return {value, 0.0f};
  else return {0.0f, value};
}

// It has no value, so it needs no `return`.
__device__ void add(float* to, Pair what) {
  if (what.first == 0.0f) return;
  *to += what.first;
}

__device__ int sign(float value) {
  if (value < 0.0f) return -1;
  if (value >= 0.0f) return 1;
  __builtin_unreachable();
}

__global__ void sort_out(const float* A, float* C, int* kinds) {
  const int t = threadIdx.x;
  float sum = 1.0f;
  add(&sum, halves(A[t]));
  C[t] = sum;
  kinds[t] = kind_of(A[t]) * sign(A[t]);
}
