// run:
// prints: .....\n..#..\n..#..\n..#..\n.....\n
#include <cstdio>
#include <cstring>

struct Board {
  int width, height;
  unsigned char *cells;  // in device memory
  __device__ int at(int x, int y) const { return cells[(y + height) % height * width + (x + width) % width]; }
};

__global__ void generation(Board from, Board to) {
  const int x = threadIdx.x, y = threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += from.at(x + dx, y + dy);
  to.cells[y * to.width + x] = alive == 3 || (alive == 2 && from.at(x, y));
}

int main() {
  const int width = 5, height = 5, cells = width * height;
  unsigned char start[cells];
  memset(start, 0, cells);
  start[2 * width + 1] = start[2 * width + 2] = start[2 * width + 3] = 1;
  Board boards[2];
  for (Board &board : boards) {
    board.width = width;
    board.height = height;
    cudaMalloc(&board.cells, cells);
  }
  cudaMemcpy(boards[0].cells, start, cells, cudaMemcpyHostToDevice);
  for (int k = 0; k < 5; ++k) generation<<<1, dim3(width, height)>>>(boards[k % 2], boards[1 - k % 2]);
  cudaMemcpy(start, boards[1].cells, cells, cudaMemcpyDeviceToHost);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) putchar(start[y * width + x] ? '#' : '.');
    putchar('\n');
  }
  for (Board &board : boards) cudaFree(board.cells);
  return 0;
}
