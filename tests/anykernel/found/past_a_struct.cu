// out-of-bounds in line 7: --kernel shift --block 64 --arg 'Point[64]=iota' --arg int=64
struct Point {
  double x, y;
};

__global__ void shift(Point* points, int n) {
  if (threadIdx.x < n) points[threadIdx.x].x = points[threadIdx.x + 1].y;
}
