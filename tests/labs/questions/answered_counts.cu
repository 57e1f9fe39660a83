// Does the accesses that the questions of the labs ask about, each on a line of its own that a name marks, `[like this]`. One launch counts
// them line by line; a test compares the counts with solutions/<lab>/numbers.toml. Blocks of 256 threads. It computes nothing of use.

__global__ void answered_counts(const float* A, const float* B, const float* in, float* out) {
  __shared__ float As[16][16], Bs[16][16], unpadded[16][16], padded[16][17];
  __shared__ float rows_of_32[32][32], rows_of_33[32][33], rows_of_34[32][34], rows_of_40[32][40];
  __shared__ float as[64][16], bs[16][64];
  int t = threadIdx.x, x = t % 16, y = t / 16, lane = t % 32, warp = t / 32;
  int block = blockIdx.x, blocks_across = 4, number = block * blockDim.x + t;
  int row = block / blocks_across * 16 + y, column = block % blocks_across * 16 + x;
  float sum = 0;

  // Lab 01, M = N = K = 64: each k is one request of a warp into A, and one into B.
  for (int k = 0; k < 64; ++k) {
    sum += A[row * 64 + k];     // [01 row of A]
    sum += B[k * 64 + column];  // [01 row of B]
  }
  // Lab 02: the same product in tiles.
  for (int start = 0; start < 64; start += 16) {
    As[y][x] = A[row * 64 + start + x];       // [02 tile of A]
    Bs[y][x] = B[(start + y) * 64 + column];  // [02 tile of B]
    __syncthreads();
    sum += As[y][0] + Bs[0][x];
    __syncthreads();
  }
  // Lab 04: one phase of a tile of 64 by 64, 16 along K.
  for (int i = t; i < 64 * 16; i += 256) as[i / 16][i % 16] = A[i / 16 * 64 + i % 16];  // [04 tile of A]
  for (int i = t; i < 16 * 64; i += 256) bs[i / 64][i % 64] = B[i];                     // [04 tile of B]

  for (int r = warp; r < 32; r += 8) {
    rows_of_32[r][lane] = rows_of_33[r][lane] = rows_of_34[r][lane] = rows_of_40[r][lane] = 1;
  }
  unpadded[y][x] = padded[y][x] = 1;
  __syncthreads();
  sum += as[y][x] + bs[y][x];
  // Labs 04 and 05: columns of tiles.
  sum += rows_of_32[lane][warp];  // [column of 32]
  sum += rows_of_33[lane][warp];  // [column of 33]
  sum += rows_of_34[lane][warp];  // [column of 34]
  sum += rows_of_40[lane][warp];  // [column of 40]
  sum += unpadded[x][y];          // [column of 16]
  sum += padded[x][y];            // [column of 17]

  // Lab 08, for each number: scan and store it, then load it again and add; or sum, then load it again and store it scanned.
  float mine = in[number];  // [08 scan: loads]
  out[number] = mine + 1;   // [08 scan: stores]
  mine = out[number];       // [08 add: loads]
  out[number] = mine + 2;   // [08 add: stores]
  sum += in[number];        // [08 sum: loads]
  mine = in[number];        // [08 scan of sums: loads]
  out[number] = mine + 3;   // [08 scan of sums: stores]

  // Lab 10: for the maxima, for the sums, for the division; or once into shared memory.
  sum += in[number];  // [10 maxima]
  sum += in[number];  // [10 sums]
  sum += in[number];  // [10 division]
  sum += in[number];  // [10 one kernel]
  out[number] = mine + sum;
}
