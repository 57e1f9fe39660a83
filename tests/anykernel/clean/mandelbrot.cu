// check: --kernel mandelbrot --grid 4,4 --block 8,8 --arg 'uchar4[30][32]' --arg int=32 --arg int=30 --arg 'double=-2' --arg 'double=0.09375'
struct Complex {
  double re, im;
  __device__ Complex operator*(const Complex& other) const { return {re * other.re - im * other.im, re * other.im + im * other.re}; }
  __device__ Complex operator+(const Complex& other) const { return {re + other.re, im + other.im}; }
  __device__ double norm() const { return re * re + im * im; }
};

template <typename Number>
__device__ int steps(Number c, int most) {
  Number z{0, 0};
  int step = 0;
  while (step < most && z.norm() <= 4) {
    z = z * z + c;
    ++step;
  }
  return step;
}

__global__ void mandelbrot(uchar4* picture, int width, int height, double corner, double pixel) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const auto shade = [](int step) { return static_cast<unsigned char>(step * 8); };
  const int step = steps(Complex{corner + pixel * x, corner / 2 + pixel * y}, 31);
  picture[y * width + x] = make_uchar4(shade(step), shade(31 - step), 0, 255);
}
