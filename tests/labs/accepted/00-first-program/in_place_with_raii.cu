// Needs only two arrays on the GPU: the sums replace the first summands. Memory is an object's, errors are exceptions.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    check(cudaMalloc(&data_, size_ * sizeof(T)), "allocation");
    try {
      check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    } catch (...) {
      cudaFree(data_);
      throw;
    }
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }
  std::vector<T> on_host() const {
    std::vector<T> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

template <typename T>
__global__ void add_to(T* sum, const T* other, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += other[i];
}

std::vector<float> load(const std::filesystem::path& path) {
  std::vector<float> values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(values.data()), values.size() * sizeof(float));
  return values;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::invalid_argument("three files are needed");
  DeviceArray<float> sum(load(argv[1])), other(load(argv[2]));
  const std::size_t n = std::filesystem::file_size(argv[1]) / sizeof(float);
  add_to<<<(n + 511) / 512, 512>>>(sum.data(), other.data(), n);
  check(cudaGetLastError(), "launch");
  const std::vector<float> sums = sum.on_host();
  std::ofstream(argv[3], std::ios::binary).write(reinterpret_cast<const char*>(sums.data()), n * sizeof(float));
  return 0;
} catch (const std::exception& trouble) {
  std::cerr << trouble.what() << '\n';
  return 1;
}
