// out-of-bounds in line 4: --kernel put --grid 2 --block 32 --arg 'float[40]'
__global__ void put(float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(C + i), "f"(1.0f) : "memory");
}
