// check: --kernel turn --block 64 --arg 'const float[64]=random' --arg 'float[64]' --arg 'double[64]'
struct Angle {
  float sine, cosine;
  Angle() = default;
  __device__ explicit Angle(float turns) { sincospif(2 * turns, &sine, &cosine); }
};
union Word {
  float number;
  unsigned bits;
};
template <int N>
struct Pool {
  Angle angles[N];
  Word words[N];
};
__device__ unsigned calls[2];

__device__ __noinline__ unsigned long long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

__global__ void turn(const float* A, float* C, double* D) {
  __shared__ Angle angles[64];
  __shared__ Pool<64> pool;
  const unsigned t = threadIdx.x;
  angles[t] = Angle(A[t]);
  pool.angles[63 - t] = angles[t];
  pool.words[t].number = A[t];
  atomicInc(&calls[t % 2], 1000u);
  __syncthreads();
  const Angle& other = pool.angles[t];
  C[t] = other.sine * angles[63 - t].cosine + __uint_as_float(pool.words[t ^ 1].bits);
  D[t] = __dsqrt_rn(factorial(t % 10)) + normcdf(A[t]) + __hiloint2double(0x3FF00000, 0);
}
