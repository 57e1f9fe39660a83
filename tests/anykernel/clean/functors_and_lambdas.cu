// check: --kernel 'lab::transform<lab::Line>' --block 64 --arg 'lab::Line={slope=2, offset=0.5}' --arg 'lab::Less={}' --arg 'float[50]=random' --arg int=50
namespace lab {
struct Line {
  float slope, offset;
  Line(float a, float b) : slope(a), offset(b) {}
  __host__ __device__ float operator()(float x) const { return slope * x + offset; }
};
struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

template <typename F>
__device__ void for_each_element(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}

template <typename F>
__global__ void transform(F f, Less less, float* x, int n) {
  for_each_element(n, [=](int i) {
    if (less(i, n)) x[i] = f(x[i]);
  });
}
}  // namespace lab

int main() { lab::transform<<<1, 64>>>(lab::Line{2, 1}, lab::Less{}, static_cast<float*>(nullptr), 0); }
