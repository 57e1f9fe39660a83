// check: --kernel turn --block 32 --arg 'unsigned short[256]=iota' --arg 'unsigned short[256]'
#include <cassert>
#include <cstdint>

// Four matrices of eight by eight: read as they are, stored transposed.
__global__ void turn(const unsigned short* in, unsigned short* out) {
  alignas(16) __shared__ unsigned short before[256];
  alignas(16) __shared__ unsigned short after[256];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) before[i] = in[i];
  __syncwarp();
  uint32_t a, b, c, d;
  const uint32_t from = static_cast<uint32_t>(__cvta_generic_to_shared(&before[8 * lane]));
  const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(&after[8 * lane]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(from));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d));
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    out[i] = after[i];
    const int matrix = i / 64, row = i % 64 / 8, column = i % 8;
    assert(after[i] == before[matrix * 64 + column * 8 + row]);
  }
}
