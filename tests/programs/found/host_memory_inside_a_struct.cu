// out-of-bounds in line 13:
// says: belongs to no buffer
#include <cstdio>
#include <cstdlib>

struct Vector {
  int size;
  float *data;
};

__global__ void fill(Vector *v) {
  const int i = threadIdx.x;
  if (i < v->size) v->data[i] = 1;
}

int main() {
  Vector v, *d_v;
  v.size = 16;
  v.data = (float *)malloc(16 * sizeof(float));
  cudaMalloc(&d_v, sizeof(Vector));
  cudaMemcpy(d_v, &v, sizeof(Vector), cudaMemcpyHostToDevice);
  fill<<<1, 16>>>(d_v);
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
  (void)cudaFree(d_v);
  free(v.data);
}
