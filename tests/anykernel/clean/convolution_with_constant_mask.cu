// check: --kernel blur --grid 3,3 --block 16,16 --arg 'const float[40][44]=random' --arg 'float[40][44]' --arg int=44 --arg int=40
#define RADIUS 2
#define SIDE 16

__constant__ float mask[2 * RADIUS + 1][2 * RADIUS + 1] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

// Each block loads its tile with a rim of RADIUS; what lies outside the picture counts as zero.
__global__ void blur(const float* picture, float* blurred, int width, int height) {
  __shared__ float tile[SIDE + 2 * RADIUS][SIDE + 2 * RADIUS];
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  for (int row = threadIdx.y; row < SIDE + 2 * RADIUS; row += SIDE) {
    for (int column = threadIdx.x; column < SIDE + 2 * RADIUS; column += SIDE) {
      const int px = blockIdx.x * SIDE + column - RADIUS, py = blockIdx.y * SIDE + row - RADIUS;
      tile[row][column] = px >= 0 && px < width && py >= 0 && py < height ? picture[py * width + px] : 0.0f;
    }
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = 0; dy <= 2 * RADIUS; ++dy) {
    for (int dx = 0; dx <= 2 * RADIUS; ++dx) sum += mask[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  }
  blurred[y * width + x] = sum / 256;
}
