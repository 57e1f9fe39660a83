// input-modified of counter in line 7: --kernel update --block 4 --arg 'int[4]'
namespace settings {
__constant__ int counter = 1;
}

__global__ void update(int* out) {
  atomicAdd(const_cast<int*>(&settings::counter), 1);
  out[threadIdx.x] = 0;
}
