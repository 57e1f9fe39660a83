// never-set in line 15:
// says: 400 bytes of `d_out`
#include <cstdio>

__global__ void scale(const int* in, int* out, int n) {
  // the student's lines come here
}

int main() {
  int in[100], out[100], *d_in, *d_out;
  for (int i = 0; i < 100; ++i) in[i] = i;
  cudaMalloc(&d_in, sizeof(in)), cudaMalloc(&d_out, sizeof(out));
  cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
  scale<<<1, 128>>>(d_in, d_out, 100);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%d\n", out[5]);
  cudaFree(d_in), cudaFree(d_out);
}
