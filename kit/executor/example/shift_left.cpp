// A kernel with two mistakes: a thread reads what its neighbour writes, and the last one reads past the end.
#include "tilelab/device.cuh"

__global__ void shift_left(float* values) { values[threadIdx.x] = values[threadIdx.x + 1]; }
