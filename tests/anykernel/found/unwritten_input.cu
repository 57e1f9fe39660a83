// uninitialized-read in line 2: --kernel copy --block 32 --arg 'const int[32]' --arg 'int[32]'
__global__ void copy(const int* A, int* C) { C[threadIdx.x] = A[threadIdx.x]; }
