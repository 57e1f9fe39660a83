// verdict: wrong-answer
#include <wb.h>

#define TILE_WIDTH 16

#define wbCheck(stmt)                                                \
  do {                                                               \
    cudaError_t err = stmt;                                          \
    if (err != cudaSuccess) {                                        \
      wbLog(ERROR, "This failed: ", #stmt);                          \
      wbLog(ERROR, "CUDA says: ", cudaGetErrorString(err));          \
      return -1;                                                     \
    }                                                                \
  } while (0)

__global__ void matrixMultiplyShared(float *A, float *B, float *C, int numARows, int numAColumns, int numBRows,
                                     int numBColumns, int numCRows, int numCColumns) {
  __shared__ float tileA[TILE_WIDTH][TILE_WIDTH];
  __shared__ float tileB[TILE_WIDTH][TILE_WIDTH];

  int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  int col = blockIdx.x * TILE_WIDTH + threadIdx.x;
  float sum = 0;

  for (int tile = 0; tile < (numAColumns + TILE_WIDTH - 1) / TILE_WIDTH; ++tile) {
    int colA = tile * TILE_WIDTH + threadIdx.x;
    int rowB = tile * TILE_WIDTH + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = row < numARows && colA < numAColumns ? A[row * numAColumns + colA] : 0;
    tileB[threadIdx.y][threadIdx.x] = rowB < numBRows && col < numBColumns ? B[rowB * numBColumns + col] : 0;
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  if (row < numCRows && col < numCColumns) C[row * numCColumns + col] = sum;
}

int main(int argc, char **argv) {
  wbArg_t args;
  float *hostA, *hostB, *hostC;
  float *deviceA, *deviceB, *deviceC;
  int numARows, numAColumns, numBRows, numBColumns, numCRows, numCColumns;

  args = wbArg_read(argc, argv);

  wbTime_start(Generic, "Reading the matrices");
  hostA = (float *)wbImport(wbArg_getInputFile(args, 0), &numARows, &numAColumns);
  hostB = (float *)wbImport(wbArg_getInputFile(args, 1), &numBRows, &numBColumns);
  numCRows = numARows;
  numCColumns = numBColumns;
  hostC = (float *)malloc(numCRows * numCColumns * sizeof(float));
  wbTime_stop(Generic, "Reading the matrices");

  wbLog(TRACE, "A is ", numARows, " x ", numAColumns);
  wbLog(TRACE, "B is ", numBRows, " x ", numBColumns);

  wbTime_start(GPU, "Allocating memory");
  wbCheck(cudaMalloc((void **)&deviceA, numARows * numAColumns * sizeof(float)));
  wbCheck(cudaMalloc((void **)&deviceB, numBRows * numBColumns * sizeof(float)));
  wbCheck(cudaMalloc((void **)&deviceC, numCRows * numCColumns * sizeof(float)));
  wbTime_stop(GPU, "Allocating memory");

  wbTime_start(Copy, "Copying to the GPU");
  wbCheck(cudaMemcpy(deviceA, hostA, numARows * numAColumns * sizeof(float), cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(deviceB, hostB, numBRows * numBColumns * sizeof(float), cudaMemcpyHostToDevice));
  wbTime_stop(Copy, "Copying to the GPU");

  dim3 dimGrid(ceil(1.0 * numCColumns / TILE_WIDTH), ceil(1.0 * numCRows / TILE_WIDTH), 1);
  dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);

  wbTime_start(Compute, "Multiplying");
  matrixMultiplyShared<<<dimGrid, dimBlock>>>(deviceA, deviceB, deviceC, numARows, numAColumns, numBRows, numBColumns,
                                              numCRows, numCColumns);
  wbCheck(cudaGetLastError());
  cudaDeviceSynchronize();
  wbTime_stop(Compute, "Multiplying");

  wbTime_start(Copy, "Copying from the GPU");
  wbCheck(cudaMemcpy(hostC, deviceC, numCRows * numCColumns, cudaMemcpyDeviceToHost));
  wbTime_stop(Copy, "Copying from the GPU");

  cudaFree(deviceA);
  cudaFree(deviceB);
  cudaFree(deviceC);

  wbSolution(args, hostC, numCRows, numCColumns);

  free(hostA);
  free(hostB);
  free(hostC);
  return 0;
}
