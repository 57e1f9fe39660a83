// check: --kernel apply --block 32 --arg 'float[32]=random' --arg int=1
__device__ float twice(float x) { return 2 * x; }
static __device__ float square(float x) { return x * x; }
namespace lab {
__device__ float next(float x) { return x + 1; }
}
typedef float (*Function)(float);

__device__ Function table[] = {twice, square, lab::next};
__constant__ Function fixed[2] = {square, twice};
__device__ Function chosen = lab::next;

struct Pair {
  Function first, second;
};

__device__ Function pick(int which) { return which ? twice : square; }
__device__ float both(Function one, Function other, float x) { return other(one(x)); }
static __device__ float power(float x, int n) { return n == 0 ? 1.0f : x * power(x, n - 1); }

__global__ void apply(float* v, int which) {
  int i = threadIdx.x;
  Pair pair = {table[i % 3], fixed[i % 2]};
  __shared__ Function shared[2];
  if (i < 2) shared[i] = table[i];
  __syncthreads();
  Function lambda = [](float x) { return x - 1; };
  float (*to_power)(float, int) = &power;
  v[i] = pair.first(pair.second(v[i])) + pick(which)(v[i]) + both(shared[0], chosen, v[i]) + lambda(v[i]) + to_power(v[i], 3);
}
