// check: --kernel shift --block 32 --arg 'Image={size={rows=4, columns=8}, data=float[32], weights=float[4]=iota, bias={1,2,3}}' --arg 'float4={1,2,3,4}' --arg int2=1 --arg 'Tail={2, 3}' --arg 'Long={values=1}'
struct Size {
  int rows, columns;
  __device__ int count() const { return rows * columns; }
};
struct Image {
  Size size;
  float* data;
  const float* weights;
  float bias[3];
};
struct Tail {
  short first;
  double second;
};
struct Long {
  float values[300];
  __device__ float& at(int i) { return values[i]; }
};

// Each thread has its own copy of what was passed by value.
__global__ void shift(Image image, float4 by, int2 step, Tail tail, Long table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  table.at(i) += i;
  table.values[i + 1] -= 1;
  image.size.rows *= step.x;
  if (i < image.size.count()) image.data[i] = image.weights[i % 4] * by.x + by.w + image.bias[2] + table.values[i];
  if (tail.first != 2 || tail.second != 3 || table.at(i) != 1 + i || table.values[i + 1] != 0) __trap();
}
