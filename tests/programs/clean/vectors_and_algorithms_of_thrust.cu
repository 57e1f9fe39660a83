// run:
// prints: sorted: 0 1 1008; sum 504678, scan 504678\nsaxpy 32, twice 21, placeholders 52\nnorm 3.32834e+08, largest at 999\nwith keys 1:4 2:2 3:4, filled 505\nsquares 0 1 4, drawn 79 62\n
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cstdio>

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

__device__ float twice(float x) { return 2 * x; }
struct TwiceAndOne {
  __device__ float operator()(float x) const { return twice(x) + 1; }
};
struct Square {
  float *out;
  __device__ void operator()(int i) const { out[i] = i * i; }
};

__global__ void add_one(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

int main() {
  const int n = 1000;
  thrust::host_vector<int> h(n);
  for (int i = 0; i < n; ++i) h[i] = (i * 7919) % 1009 - 1000;
  thrust::device_vector<int> d = h;
  add_one<<<4, 256>>>(thrust::raw_pointer_cast(d.data()), n);
  thrust::transform(d.begin(), d.end(), thrust::make_constant_iterator(999), d.begin(), thrust::plus<int>());
  thrust::sort(d.begin(), d.end());
  const int smallest = d[0], second = d[1], largest = d.back();
  thrust::device_vector<int> sums(n);
  thrust::inclusive_scan(d.begin(), d.end(), sums.begin());
  const int added = thrust::reduce(d.begin(), d.end(), 1000, thrust::plus<int>()), scanned = sums[n - 1];
  printf("sorted: %d %d %d; sum %d, scan %d\n", smallest, second, largest, added - 1000, scanned);

  thrust::device_vector<float> x(n), y(n, 2.0f), z(n), w(n);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{3});
  thrust::transform(x.begin(), x.end(), z.begin(), TwiceAndOne());
  using namespace thrust::placeholders;
  thrust::transform(x.begin(), x.end(), y.begin(), w.begin(), 2.0f * _1 + _2);
  printf("saxpy %g, twice %g, placeholders %g\n", float(y[10]), float(z[10]), float(w[10]));
  const float norm = thrust::transform_reduce(x.begin(), x.end(), thrust::square<float>(), 0.0f, thrust::plus<float>());
  printf("norm %g, largest at %d\n", norm, int(thrust::max_element(z.begin(), z.end()) - z.begin()));

  thrust::device_vector<int> keys(5), values(5), each(5), totals(5);
  const int given[] = {3, 1, 2, 1, 3};
  thrust::copy(given, given + 5, keys.begin());
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), each.begin(), totals.begin());
  printf("with keys");
  for (int i = 0; i < ends.first - each.begin(); ++i) printf(" %d:%d", int(each[i]), int(totals[i]));
  float *raw;
  cudaMalloc(&raw, n * sizeof(float));
  thrust::device_ptr<float> p = thrust::device_pointer_cast(raw);
  thrust::fill(p, p + n, 0.0f);
  p[3] = 5;
  thrust::fill(thrust::device, raw + 500, raw + n, 1.0f);
  printf(", filled %g\n", thrust::reduce(thrust::device, raw, raw + n, 0.0f));
  thrust::for_each(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), Square{raw});
  thrust::default_random_engine engine(123456);
  thrust::uniform_int_distribution<int> between(10, 99);
  printf("squares %g %g %g", float(p[0]), float(p[1]), float(p[2]));
  const int first = between(engine);
  between(engine);
  printf(", drawn %d %d\n", first, between(engine));
  cudaFree(raw);
}
