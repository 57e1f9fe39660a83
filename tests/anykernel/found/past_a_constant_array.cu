// out-of-bounds of weights in line 9: --kernel blur --block 8 --arg 'float[64]=random' --arg 'float[8]'
// The mask has three elements, and the loop goes to 3.
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__constant__ float scale[4] = {1, 1, 1, 1};

__global__ void blur(const float* in, float* out) {
  const float* w = weights;
  float sum = 0;
  for (int k = 0; k <= 3; ++k) sum += w[k] * in[threadIdx.x + k];
  out[threadIdx.x] = sum * scale[threadIdx.x % 4];
}
