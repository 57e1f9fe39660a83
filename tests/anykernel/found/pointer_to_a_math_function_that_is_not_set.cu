// crash in line 7: --kernel apply --block 32 --arg 'float[32]=1'
using Function = float (*)(float);

__global__ void apply(float* data) {
  Function chosen;
  if (threadIdx.x < 16) chosen = cosf;
  data[threadIdx.x] = chosen(data[threadIdx.x]);
}
