// check: --kernel smooth --grid 3,2,4 --block 4,4,2 --arg 'const float[7][8][10]=random' --arg 'float[7][8][10]' --arg int=10 --arg int=8 --arg int=7
__device__ int place(int x, int y, int z, int nx, int ny) { return (z * ny + y) * nx + x; }

__global__ void smooth(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  float sum = 0;
  int count = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int qx = x + dx, qy = y + dy, qz = z + dz;
        if (qx < 0 || qx >= nx || qy < 0 || qy >= ny || qz < 0 || qz >= nz) continue;
        sum += in[place(qx, qy, qz, nx, ny)];
        ++count;
      }
    }
  }
  out[place(x, y, z, nx, ny)] = sum / count;
}
