// misaligned of A in line 5: --kernel odd --block 8 --arg 'float[64]=iota' --arg 'float[8]'
__global__ void odd(const float* A, float* C) {
  float x, y;
  const float* from = A + 2 * threadIdx.x + 1;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(from));
  C[threadIdx.x] = x + y;
}
