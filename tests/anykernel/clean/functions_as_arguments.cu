// check: --kernel lab::apply --block 32 --arg 'float[32]=random' --arg 'Function=lab::twice' --arg 'Functions={first=lab::square, others={lab::twice, null}}'
namespace lab {
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
static __device__ float square(float x) { return x * x; }

struct Functions {
  Function first;
  Function others[2];
};

__global__ void apply(float* v, Function f, Functions more) {
  int i = threadIdx.x;
  v[i] = f(more.first(v[i]));
  for (int k = 0; k < 2; ++k) {
    if (more.others[k]) v[i] = more.others[k](v[i]);
  }
}
}  // namespace lab
