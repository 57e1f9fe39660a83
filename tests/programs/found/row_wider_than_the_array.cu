// copy-size in line 10:
// says: picture,64 bytes of each row,32 bytes of each row
#include <cstdio>

int main() {
  static float pixels[4][16];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t picture;
  cudaMallocArray(&picture, &format, 8, 4);
  cudaError_t error = cudaMemcpy2DToArray(picture, 0, 0, pixels, sizeof(pixels[0]), sizeof(pixels[0]), 4, cudaMemcpyHostToDevice);
  printf("%s\n", cudaGetErrorString(error));
  cudaFreeArray(picture);
}
