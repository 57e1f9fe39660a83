// crash in line 11: --kernel apply --block 8 --arg 'float[8]=1' --arg int=2
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }

__global__ void apply(float* v, int which) {
  Function f = nullptr;
  if (which == 0) f = twice;
  if (which == 1) f = half_of;
  int i = threadIdx.x;
  v[i] = f(v[i]);
}
