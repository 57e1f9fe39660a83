// copy-direction in line 10:
// says: `weights` is a variable of the device
__device__ float weights[4];

__global__ void sum(float *s) { *s = weights[0] + weights[1] + weights[2] + weights[3]; }

int main() {
  float own[4] = {1, 2, 3, 4}, *s;
  cudaMalloc(&s, sizeof(float));
  cudaMemcpy(weights, own, sizeof(own), cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(s);
  cudaDeviceSynchronize();
  cudaFree(s);
}
