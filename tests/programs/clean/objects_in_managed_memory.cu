// run:
// prints: 3 names, total 57\n
// A base class puts objects into managed memory, so that host and kernels share them, pointers inside them included.
#include <cstdio>
#include <cstring>
#include <new>

class Managed {
 public:
  void *operator new(size_t bytes) {
    void *memory = nullptr;
    if (cudaMallocManaged(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
    cudaDeviceSynchronize();
    return memory;
  }
  void operator delete(void *memory) {
    cudaDeviceSynchronize();
    cudaFree(memory);
  }
};

class Text : public Managed {
 public:
  explicit Text(const char *from) : size_(strlen(from)) {
    cudaMallocManaged(&letters_, size_ + 1);
    memcpy(letters_, from, size_ + 1);
  }
  ~Text() { cudaFree(letters_); }
  __host__ __device__ size_t size() const { return size_; }
  __host__ __device__ char &operator[](size_t i) { return letters_[i]; }

 private:
  size_t size_;
  char *letters_ = nullptr;
};

namespace {
__global__ void add_up(Text *text, int *total) {
  int sum = 0;
  for (size_t i = 0; i < text->size(); ++i) {
    sum += (*text)[i] - 'a' + 1;
    (*text)[i] -= 'a' - 'A';
  }
  *total += sum;
}
}  // namespace

int main() {
  int *total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  int names = 0;
  for (const char *name : {"ada", "bob", "eve"}) {
    Text *text = new Text(name);
    add_up<<<1, 1>>>(text, total);
    cudaDeviceSynchronize();
    names += (*text)[0] == name[0] - 'a' + 'A';
    delete text;
  }
  printf("%d names, total %d\n", names, *total);
  cudaFree(total);
}
