// check: --kernel 'lab::scale<double>' --grid 2 --block 32 --arg 'double[64]=random' --arg 'double[64]' --arg double=2.5 --arg size_t=64
namespace lab {

template <typename T>
struct Scaled {
  T factor;
  __device__ T operator()(T x) const { return x * factor; }
};

template <typename T>
__global__ void scale(const T* A, T* C, T factor, size_t n) {
  const Scaled<T> scaled{factor};
  const auto at = [=](size_t i) { return scaled(A[i]); };
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < n) C[i] = at(i);
}

template __global__ void scale<float>(const float*, float*, float, size_t);

}  // namespace lab
