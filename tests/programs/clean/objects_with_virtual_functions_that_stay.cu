// run:
// prints: corners: 4 3 5\nareas: 4 6 25\nin one block: 8\nlast: 12\n
// Objects with virtual functions and memory of their own, made by one launch, used by two others and deleted by the last one; in shared
// memory as well; and a function that one launch chooses and another calls.
#include <cstdio>
#include <new>

template <class T>
struct Shape {
  __device__ virtual int corners() const = 0;
  __device__ virtual T area() const = 0;
  __device__ virtual ~Shape() {}
};

template <class T>
struct Square : Shape<T> {
  T side;
  __device__ explicit Square(T of) : side(of) {}
  __device__ int corners() const override { return 4; }
  __device__ T area() const override { return side * side; }
};

template <class T>
struct Polygon : Shape<T> {
  int count;
  T *parts;
  __device__ explicit Polygon(int of) : count(of), parts(new T[of]) {
    for (int i = 0; i < count; ++i) parts[i] = T(i + count - 2);
  }
  __device__ ~Polygon() override { delete[] parts; }
  __device__ int corners() const override { return count; }
  __device__ T area() const override {
    T sum = 0;
    for (int i = 0; i < count; ++i) sum += parts[i];
    return sum;
  }
};

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*chosen)(int);

__global__ void make(Shape<int> **all) {
  if (threadIdx.x == 0) all[0] = new Square<int>(2);
  if (threadIdx.x == 1) all[1] = new Polygon<int>(3);
  if (threadIdx.x == 2) all[2] = new Polygon<int>(5);
}

__global__ void count(Shape<int> *const *all, int *out) { out[threadIdx.x] = all[threadIdx.x]->corners(); }

__global__ void measure(Shape<int> *const *all, int *out) { out[threadIdx.x] = all[threadIdx.x]->area(); }

__global__ void in_one_block(int *out) {
  __shared__ __align__(16) unsigned char room[sizeof(Square<int>)];
  __shared__ Shape<int> *one;
  if (threadIdx.x == 0) one = new (room) Square<int>(2);
  __syncthreads();
  if (threadIdx.x == 1) out[0] = one->corners() + one->area();
}

// Its name is also that of a function of the C library.
__global__ void remove(Shape<int> **all) { delete all[threadIdx.x]; }

__global__ void choose(bool small) { chosen = small ? twice : thrice; }
__global__ void call(int *out) { out[0] = chosen(4); }

int main() {
  Shape<int> **all;
  int *out, host[3];
  cudaMalloc(&all, 3 * sizeof *all);
  cudaMalloc(&out, sizeof host);
  make<<<1, 3>>>(all);
  count<<<1, 3>>>(all, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("corners: %d %d %d\n", host[0], host[1], host[2]);
  measure<<<1, 3>>>(all, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("areas: %d %d %d\n", host[0], host[1], host[2]);
  remove<<<1, 3>>>(all);
  in_one_block<<<1, 2>>>(out);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("in one block: %d\n", host[0]);
  choose<<<1, 1>>>(true);
  choose<<<1, 1>>>(false);
  call<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("last: %d\n", host[0]);
  cudaFree(all);
  cudaFree(out);
}
