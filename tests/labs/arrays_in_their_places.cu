// Local arrays of threads: those called memory_… belong in a GPU's local memory, and those called register_… in its registers.
#include <tilelab/device.cuh>

struct Held {
  float x[64];
  __device__ float& operator[](int i) { return x[i]; }
};

template <int N>
__device__ void add(float (&sums)[N], const float* x, float factor) {
  for (int i = 0; i < N; ++i) sums[i] += factor * x[i];
}
__device__ void fill(float* x, int count) {
  for (int i = 0; i < count; ++i) x[i] = i;
}
__device__ float* kept;

__device__ void by_number(const float* in, float* out, int n) {
  float memory_bins[64] = {}, memory_part[8][4] = {}, register_whole[8] = {}, register_few[4] = {};
  memory_bins[n] = in[0];
  add(memory_part[n % 8], in, 2);
  add(register_whole, in, 3);
  register_few[n & 3] = in[0];
  fill(register_whole, 8);
  out[0] = memory_bins[1] + memory_part[1][1] + register_whole[1] + register_few[1];
}
__device__ void by_loops(const float* in, float* out, int n) {
  float memory_length[64], memory_block[64], memory_endless[64], memory_sham[64], memory_again[64], memory_wrapped[64], memory_long[64],
      memory_backwards[64];
  for (int i = 0; i < n; ++i) memory_length[i] = in[i];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) memory_block[i] = in[i];
  for (int i = 0; i >= 0; ++i) {
    if (i == n) break;
    memory_endless[i & 63] = in[i];
  }
  for (int k = 0; k < n; ++k) {
    if (k < 8) out[k] = 1;
    memory_sham[k & 63] = in[k];
  }
  int i = 0;
  do {
    do {
      memory_again[i & 63] = in[i];
      ++i;
    } while (i < 8);
  } while (i < n);
  for (unsigned j = 6; j != 5; ++j) {
    if (j == n) break;
    memory_wrapped[j & 63] = in[j];
  }
  for (int j = 0; j < 100000; ++j) {
    if (j == n) break;
    memory_long[j & 63] = in[j];
  }
  const int step = n > 0 ? -1 : 1;
  for (int j = 0; j < 8; j += step) {
    if (j < -n) break;
    memory_backwards[j & 63] = in[0];
  }
  out[0] = memory_length[3] + memory_block[3] + memory_endless[3] + memory_sham[3] + memory_again[3] + memory_wrapped[3] + memory_long[3] +
           memory_backwards[3];
}
__device__ void by_pointers(const float* in, float* out, int n) {
  float memory_walked[64], memory_stored[64], memory_address[64], memory_copied[64], memory_called[64], memory_one[64], memory_other[64];
  float* p = memory_walked;
  for (int i = 0; i < n; ++i) *p++ = in[i];
  kept = memory_stored;
  kept[n] = in[n];
  const auto number = reinterpret_cast<unsigned long long>(&memory_address[0]);
  *reinterpret_cast<float*>(number + 4 * n) = in[n];
  memcpy(memory_copied + n, in, 4);
  void (*called)(float*, int) = fill;
  called(memory_called, n);
  float* rows[2] = {memory_one, memory_other};
  rows[n][3] = in[0];
  Held memory_object;
  memory_object[n] = in[n];
  out[0] = memory_walked[3] + memory_stored[3] + memory_address[3] + memory_copied[3] + memory_called[3] + memory_one[3] + memory_other[3] +
           memory_object[3];
}
__device__ void by_choice(const float* in, float* out, int n) {
  float memory_chosen[64], memory_looked_up[64];
  memory_chosen[n > 3 ? 1 : 2] = in[0];
  int order[8];
  order[0] = n;
  memory_looked_up[order[0]] = in[0];
  float memory_large[300];
  for (int i = 0; i < 300; ++i) memory_large[i] = in[i];
  out[0] = memory_chosen[1] + memory_looked_up[1] + memory_large[n % 2 == 0 ? 1 : 1];
}
__device__ void in_registers(const float* in, float* out, int n) {
  float register_tree[64], register_ranged[20], register_tile[8][4], register_captured[8], register_snake[8][8] = {};
  Held register_object;
  for (int i = 0; i != 64; ++i) register_tree[i] = in[i];
  for (int s = 32; s > 0; s >>= 1)
    for (int i = 0; i < s; ++i) register_tree[i] += register_tree[i + s];
  int i = 0;
  while (i < 20) {
    register_ranged[i] = in[i];
    i++;
  }
  for (float& x : register_ranged) x *= 2;
  for (int r = 0; r < 20 && r + n < 77; r++) out[r] = register_ranged[r];
  int rows = 8;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < 4; ++c) register_tile[r][c] = in[r * n + c];
  for (std::size_t r = 0; r < 8; ++r)
    for (int c = 0; c < 4; ++c) {
      if (r + n > 9) continue;
      out[r] += register_tile[r][c];
    }
  const auto put = [&](int at, float value) { register_captured[at] = value; };
  for (int k = 0; k < n; ++k)
    for (int at = 7; at >= 0; --at) put(at, in[k + at]);
  for (int r = 0; r < 8; ++r)
    for (int place = 0; place < 8; ++place) register_snake[r][r % 2 == 1 ? 7 - place : place] += in[r];
  for (int at = 0; at < 64; ++at) register_object.x[at] = in[at];
  out[0] = register_tree[0] + register_captured[0] + register_object.x[0] + register_snake[1][1];
}

// nvcc 13.0 for sm_90 keeps all arrays of `by_calculation` in registers, and the three in a loop of `by_other_values` in local memory.
__device__ constexpr int turned(int i) { return (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3; }
__device__ int looked_up(const int* table, int i) { return table[i] & 15; }
__device__ void by_calculation(const float* in, float* out) {
  float register_turned[16], register_ordered[16], register_least[16], register_stepped[16], register_halves[16], register_chosen[16];
  float register_beside[16];
  constexpr int order[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  int k = 3, at = 0;
  for (int i = 0; i < 16; ++i) {
    register_turned[turned(i)] = in[i];
    register_ordered[order[i]] = in[i];
    register_least[min(i + 3, 15)] = in[i];
    register_stepped[k] = in[i];
    k = (k * 5 + 2) & 15;
    register_halves[at] = in[i];
    at = at + 1;
    register_chosen[i + 1 < 16 ? i + 1 : 0] = in[i];
  }
  for (int d = 1; d < 16; d <<= 1)
    for (int i = 0; i + d < 16; i += 2 * d) register_halves[i] += register_halves[i + d];
  for (int to = threadIdx.x; float& x : register_beside) x = in[to++];
  out[0] = register_beside[0] + register_turned[0] + register_ordered[0] + register_least[0] + register_stepped[0] + register_halves[0] +
           register_chosen[0];
}
__device__ void by_other_values(const float* in, float* out, int n, const int* table) {
  __shared__ int shared_table[16];
  float memory_stepped[16], memory_sometimes[16], memory_bounded[16], memory_from_table[16], memory_from_shared[16], memory_given[16];
  int k = 0, s = 0, b = 0, given = 1, own[4];
  for (int i = 0; i < n; ++i) {
    k = (k * 5 + 3) & 15;
    memory_stepped[k] = in[i];
    if (in[i] == 7) s = 0;
    s = s + 1;
    memory_sometimes[s & 15] = in[i];
    if (b == 15) b = 0;
    memory_bounded[b++] = in[i];
  }
  memory_from_table[looked_up(table, 3)] = in[0];
  shared_table[threadIdx.x % 16] = n;
  __syncthreads();
  memory_from_shared[shared_table[3]] = in[0];
  own[1] = n;
  for (int i = 0; i < 4; ++i) given += own[i & 1];
  memory_given[given & 15] = in[0];
  out[0] = memory_stepped[3] + memory_sometimes[3] + memory_bounded[3] + memory_from_table[3] + memory_from_shared[3] + memory_given[3];
}

__global__ void all(const float* in, float* out, int n) {
  by_number(in, out, n);
  by_loops(in, out, n);
  by_pointers(in, out, n);
  by_choice(in, out, n);
  in_registers(in, out, n);
  by_calculation(in, out);
  by_other_values(in, out, n, reinterpret_cast<const int*>(in));
}
