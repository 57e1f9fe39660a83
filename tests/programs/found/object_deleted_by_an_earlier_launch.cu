// out-of-bounds in line 13:
// says: freed
// A virtual function of an object that an earlier launch has deleted.
#include <cstdio>

struct Shape {
  __device__ virtual int corners() const = 0;
};
struct Square : Shape {
  __device__ int corners() const override { return 4; }
};
__global__ void make(Shape **all) { all[0] = new Square; }
__global__ void look(Shape **all, int *out) { out[0] = all[0]->corners(); }
__global__ void drop(Shape **all) { delete all[0]; }

int main() {
  Shape **all;
  int *out;
  cudaMalloc(&all, sizeof *all);
  cudaMalloc(&out, sizeof *out);
  make<<<1, 1>>>(all);
  drop<<<1, 1>>>(all);
  look<<<1, 1>>>(all, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(all);
  cudaFree(out);
}
