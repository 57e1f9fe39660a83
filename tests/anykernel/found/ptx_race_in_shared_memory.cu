// race of tile in line 8: --kernel turn --block 64 --arg 'float[64]=iota' --arg 'float[64]'
__global__ void turn(const float* A, float* C) {
  __shared__ float tile[64];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  float x;
  asm volatile(
      "{\n\t"
      "st.shared.f32 [%1], %3;\n\t"
      "ld.shared.f32 %0, [%2];\n\t"
      "}"
      : "=f"(x)
      : "r"(at + 4 * threadIdx.x), "r"(at + 4 * (63 - threadIdx.x)), "f"(A[threadIdx.x]));
  C[threadIdx.x] = x;
}
