// check: --kernel apply --block 32 --arg 'float[32]=random' --arg 'float[32]' --arg int=1
using Function = float (*)(float);
__device__ const Function table[] = {cosf, sinf, fabsf, sqrtf};
__device__ float twice(float x) { return 2 * x; }
__device__ float both(double (*of_double)(double), Function of_float, float x) { return static_cast<float>(of_double(x)) + of_float(x); }

__global__ void apply(const float* in, float* out, int which) {
  const int i = threadIdx.x;
  Function chosen = i % 2 == 0 ? expf : twice;
  float (*power)(float, float) = powf;
  const float x = in[i];
  out[i] = table[which](x) + chosen(x) + power(2.0f, x) + both(cos, floorf, x);
  assert(table[which](x) == sinf(x) && chosen(x) == (i % 2 == 0 ? expf(x) : x + x));
}
