// check: --kernel mix --grid 2 --block 32 --arg 'float[64]=iota' --arg 'float[64]' --arg int=5
// Everything stays inside its array, to the first and the last element, and addresses past the end are only compared.
#include <array>

struct Window {
  float items[5];
  __device__ float* begin() { return items; }
  __device__ float* end() { return items + 5; }
};

template <class T>
struct Stack {
  T items[16];
  int used = 0;
  __device__ void push(const T& item) { items[used++] = item; }
  __device__ T pop() { return items[--used]; }
};

__device__ float sum(const float* first, const float* last) {
  float all = 0.0f;
  for (; first != last; ++first) all += *first;
  return all;
}

__device__ void sort(float* a, int n) {
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0 && a[j - 1] > a[j]; --j) {
      const float other = a[j];
      a[j] = a[j - 1];
      a[j - 1] = other;
    }
  }
}

__device__ int depth(int n, int* path, int at) {
  int own[3] = {n, n + 1, n + 2}, *mine = own;
  path[at] = mine[2];
  return n == 0 ? own[0] : depth(n - 1, path, at + 1) + mine[1];
}

__device__ Window windowed(const float* A, int at) {
  Window window;
  for (float& item : window) item = A[at++ % 64];
  return window;
}

__device__ void split(float value, float& whole, float* part) {
  whole = floorf(value);
  *part = value - whole;
}

__global__ void mix(const float* A, float* C, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float low[3] = {3, 1, 2}, high[7], *p = high + 7, tile[2][4] = {}, whole, part;
  while (p != high) *--p = A[(t + (p - high)) % 64];
  sort(high, 7);
  sort(low, 3);
  Window window = windowed(A, t);
  Stack<int> stack;
  for (int i = 0; i < 16; ++i) stack.push(i * t);
  while (stack.used > 8) stack.pop();
  std::array<float, 4> four{1, 2, 3, 4};
  for (float* q = &tile[0][0]; q != &tile[0][0] + 8; ++q) *q = 1.0f;
  int path[8] = {};
  split(A[t] / 4, whole, &part);
  float4 wide = make_float4(1, 2, 3, 4);
  const float* lanes = reinterpret_cast<const float*>(&wide);
  char text[3] = {1, 2, 3}, *letter = text;
  double rest;
  const double frac = modf(2.5, &rest);
  float copy[5];
  memcpy(copy, window.begin(), sizeof copy);
  auto inner = [&](int k) {
    float own[2] = {low[k % 3], high[k]};
    float* o = own;
    return o[0] + o[1];
  };
  switch (n) {
    case 5: {
      float last[4];
      float* l = last + 3;
      for (int i = 0; i < 4; ++i) *(l - i) = four[i];
      C[t] = sum(last, l + 1);
      break;
    }
    default: C[t] = 0.0f;
  }
  C[t] += sum(window.begin(), window.end()) + sum(four.begin(), four.end()) + depth(n, path, 0) + path[3] + lanes[3] + letter[2] +
          whole + part + static_cast<float>(frac + rest) + copy[4] + inner(6) + tile[1][3] + stack.items[7];
}
