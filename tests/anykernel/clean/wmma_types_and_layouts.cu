// check: --kernel all --block 32 --arg 'signed char[512]=random' --arg 'float[256]=random' --arg 'int[256]' --arg 'float[512]'
// Bytes, tf32 and bfloat16, operands by rows and by columns, all three shapes, tiles in shared memory.
#include <cassert>
#include <mma.h>

using namespace nvcuda;

template <typename Sum, typename Left, typename Right>
__device__ Sum dot(int count, Left left, Right right) {
  Sum sum = 0;
  for (int k = 0; k < count; ++k) sum += left(k) * right(k);
  return sum;
}

__global__ void all(const signed char* bytes, const float* numbers, int* whole, float* single) {
  __shared__ __align__(32) __nv_bfloat16 left[32 * 16], right[16 * 8];
  const int t = threadIdx.x;
  {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
    wmma::fill_fragment(c, 1);
    wmma::load_matrix_sync(a, bytes, 16);
    wmma::load_matrix_sync(b, bytes + 256, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(whole, c, 16, wmma::mem_col_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32) {
      const int row = i % 16, column = i / 16;
      assert(whole[i] == 1 + dot<int>(16, [&](int k) { return bytes[k * 16 + row]; }, [&](int k) { return bytes[256 + column * 16 + k]; }));
    }
  }
  {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, numbers, 8);
    wmma::load_matrix_sync(b, numbers + 128, 8);
    for (float& x : a.x) x = wmma::__float_to_tf32(x);
    for (float& x : b.x) x = wmma::__float_to_tf32(x);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(single, c, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32) {
      const float exact = dot<float>(8, [&](int k) { return numbers[i / 16 * 8 + k]; }, [&](int k) { return numbers[128 + i % 16 * 8 + k]; });
      assert(fabsf(single[i] - exact) < 5e-3f);
    }
  }
  {
    for (int i = t; i < 512; i += 32) left[i] = __float2bfloat16(numbers[i % 256]);
    for (int i = t; i < 128; i += 32) right[i] = __float2bfloat16(numbers[i + 64]);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> c;
    wmma::load_matrix_sync(a, left, 16);
    wmma::load_matrix_sync(b, right, 8);
    wmma::load_matrix_sync(c, numbers, 8, wmma::mem_row_major);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(single + 256, c, 8, wmma::mem_row_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32) {
      const auto of_left = [&](int k) { return __bfloat162float(left[i / 8 * 16 + k]); };
      const auto of_right = [&](int k) { return __bfloat162float(right[k * 8 + i % 8]); };
      assert(fabsf(single[256 + i] - numbers[i] - dot<float>(16, of_left, of_right)) < 1e-4f);
    }
  }
  {
    wmma::fragment<wmma::matrix_a, 8, 32, 16, unsigned char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, unsigned char, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 8, 32, 16, int> c;
    const unsigned char* from = reinterpret_cast<const unsigned char*>(bytes);
    wmma::fill_fragment(c, 0);
    wmma::load_matrix_sync(a, from, 16);
    wmma::load_matrix_sync(b, from, 32);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(whole, c, 32, wmma::mem_row_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32) {
      assert(whole[i] == dot<int>(16, [&](int k) { return from[i / 32 * 16 + k]; }, [&](int k) { return from[k * 32 + i % 32]; }));
    }
  }
}
