// check: --kernel multiply --grid 2 --block 128 --arg 'const int[9]=iota' --arg 'const int[64]=random(0,15)' --arg 'const float[64]=random' --arg 'const float[16]=random' --arg 'float[8]' --arg int=8
// Compressed sparse rows, a warp for each: row r has the entries first[r] to first[r + 1].
__global__ void multiply(const int* first, const int* columns, const float* values, const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (int entry = first[row] + lane; entry < first[row + 1]; entry += warpSize) sum += values[entry] * __ldg(&x[columns[entry]]);
  for (int distance = warpSize / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
  if (lane == 0) y[row] = sum;
}
