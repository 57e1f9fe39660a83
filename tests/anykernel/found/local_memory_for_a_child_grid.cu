// launch-error in line 7: --kernel parent --grid 1 --block 1 --arg 'int[1]'
__global__ void child(int* result, int n) { *result = n; }

__global__ void parent(int* out) {
  int result = 0;
  out[0] = 1;
  child<<<1, 1>>>(&result, 3);
}
