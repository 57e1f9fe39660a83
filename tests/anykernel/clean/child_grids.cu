// check: --kernel parent --grid 2 --block 32 --arg 'int[2048]' --arg 'int[2]' --arg int=1024
// A child sees what its thread did before the launch; what is launched into one stream of a block runs in that order; the tail comes last.
template <typename T>
__global__ void fill(T* out, T value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __shared__ T tile[64];
  tile[threadIdx.x] = value;
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x] + i;
}

struct Scale {
  int factor;
  double unused[3];
};

__global__ void scale(int* out, const Scale by, const int n, int* none) {
  extern __shared__ int room[];
  room[threadIdx.x] = by.factor;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] *= room[(threadIdx.x + 1) % blockDim.x];
  if (none != nullptr) __trap();
}

__global__ void add(const int* in, int n, int* sum) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, in[i]);
}

__global__ void proves(const int* out, const int* sum, int n) {
  int all = 5;
  for (int i = 0; i < n; ++i) {
    assert(out[i] == 2 * (1 + i));
    all += out[i];
  }
  assert(*sum == all && gridDim.x == 1 && blockDim.x == 1 && blockIdx.x == 0);
}

__global__ void parent(int* out, int* sums, int n) {
  if (threadIdx.x != 0) return;
  int* mine = out + blockIdx.x * n;
  sums[blockIdx.x] = 5;
  const dim3 grid(n / 64), block(64);
  fill<int><<<grid, block>>>(mine, 1, n);
  scale<<<1, 128, 128 * sizeof(int)>>>(
      mine, Scale{2, {}}, n, NULL);
  if (const cudaError_t error = cudaGetLastError()) printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  add<<<1, 32, 0, cudaStreamTailLaunch>>>(mine, n, &sums[blockIdx.x]);
  proves<<<1, 1, 0, cudaStreamTailLaunch>>>(mine, &sums[blockIdx.x], n);
}
