// check: --kernel apply_to_all --block 32 --arg 'float[32]=iota' --arg float=2
// Lambdas with and without CUDA's words (nvcc asks for --extended-lambda), in every form that has parameters.
template <class F>
__device__ void each(float* values, F f) {
  values[threadIdx.x] = f(values[threadIdx.x]);
}

__global__ void apply_to_all(float* values, float factor) {
  const auto scaled = [=] __device__(float x) { return factor * x; };
  const auto shifted = [&] __host__ __device__(float x) -> float { return x + factor; };
  auto counted = [n = 0] __device__(float x) mutable { return x + ++n; };
  const auto plain = [](float x) { return x; };
  each(values, scaled);
  each(values, shifted);
  each(values, counted);
  each(values, plain);
}
