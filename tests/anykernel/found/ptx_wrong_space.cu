// out-of-bounds in line 6: --kernel space --block 32 --arg 'float[32]'
// Shared memory is no global memory: a GPU reports an illegal address.
__global__ void space(float* C) {
  __shared__ float tile[32];
  tile[threadIdx.x] = 1;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(&tile[threadIdx.x]), "f"(2.0f) : "memory");
  C[threadIdx.x] = tile[threadIdx.x];
}
