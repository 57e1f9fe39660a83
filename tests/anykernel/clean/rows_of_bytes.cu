// check: --grid 2,3 --block 8,8 --arg 'unsigned char[20][16]=random(0,255)' --arg 'short[20][16]' --arg int=20 --arg int=16
// The file's only kernel needs no --kernel; a picture's rows are told apart by its second extent.
__global__ void darken(const unsigned char* picture, short* darker, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) darker[row * columns + column] = picture[row * columns + column] / 2;
}
