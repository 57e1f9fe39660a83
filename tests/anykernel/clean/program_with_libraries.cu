// check: --kernel threshold --grid 2 --block 64 --arg 'unsigned char[128]=random(0,255)' --arg 'unsigned char[128]' --arg int=100 --arg int=128
// A program as a course's students hand it in: libraries that only the host uses, a clock, a pragma, a header of the course that is
// not here, two heads of main(). Nothing of that concerns the kernel, but for the type that OpenCV's header declares.
#pragma GCC optimize("O3")
#include <conio.h>
#include <cublas_v2.h>
#include <opencv2/opencv.hpp>
#include <thrust/device_vector.h>
#include <windows.h>

#include <cub/cub.cuh>
#include < iostream>
#include "course/wb.h"

#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

using namespace cv;

cublasHandle_t handle;
static thrust::host_vector<float> on_host(1 << 20);
enum class Mode { fast, slow };

struct Timer {
  cudaEvent_t start;
  LARGE_INTEGER ticks;
};

static inline unsigned long long rdtsc() {
  unsigned lo, hi;
  __asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi));
  return ((unsigned long long)hi << 32) | lo;
}

__global__ void threshold(const uchar *, uchar *, int);

__global__ void with_tensor_cores(nvcuda::wmma::fragment<int> *f) { f->x[0] = 1; }

__global__ void threshold(const uchar *in, uchar *out, int at_least, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] >= at_least ? 255 : 0;
}

#if 0
__global__ void threshold_old(uchar *in) {
#endif

#ifdef WITHOUT_ARGUMENTS
int main() {
#else
int main(int argc, char **argv) {
#endif
  Mat image = imread(argv[1]);
  checkCudaErrors(cudaMalloc(&handle, 4));
  threshold<<<2, 64>>>(nullptr, nullptr, 100, 128);
  return (int)rdtsc();
}
