// run:
// prints: error: out of memory\n6 12 18 24\n
// Device memory belongs to objects: a constructor allocates it, the destructor frees it, an exception tells of errors.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(T))); }
  explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  Buffer(Buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cudaFree(data_); }

  T *data() { return data_; }
  std::vector<T> read() const {
    std::vector<T> result(size_);
    check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  T *data_ = nullptr;
  size_t size_ = 0;
};

template <typename T>
__global__ void times(T *x, T by, size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

Buffer<int> filled() {
  Buffer<int> buffer(std::vector<int>{1, 2, 3, 4});
  times<<<1, 4>>>(buffer.data(), 2, 4);
  return buffer;
}

int main() {
  try {
    Buffer<double> too_large(size_t(1) << 50);
  } catch (const std::exception &error) {
    printf("error: %s\n", error.what());
    cudaGetLastError();
  }
  Buffer<int> buffer = filled();
  times<<<1, 4>>>(buffer.data(), 3, 4);
  check(cudaGetLastError());
  for (int one : buffer.read()) printf(one == 24 ? "%d\n" : "%d ", one);
  return 0;
}
