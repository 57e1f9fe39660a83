// race in line 3: --kernel parent --grid 2 --block 1 --arg 'int[64]=0'
__global__ void child(int* data, int value) {
  data[threadIdx.x] = value;
}

__global__ void parent(int* data) { child<<<1, 64>>>(data, blockIdx.x); }
