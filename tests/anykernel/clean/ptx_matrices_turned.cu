// check: --kernel turn --block 32 --arg 'unsigned short[256]=iota' --arg 'unsigned[128]'
#include <cassert>
#include <cstdint>

// Four matrices of eight by eight, read transposed: a lane gets two neighbours of a column of each.
__global__ void turn(const unsigned short* in, unsigned* out) {
  alignas(16) __shared__ unsigned short before[256];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) before[i] = in[i];
  __syncwarp();
  uint32_t words[4];
  const uint32_t from = static_cast<uint32_t>(__cvta_generic_to_shared(&before[8 * lane]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "r"(from));
  for (int matrix = 0; matrix < 4; ++matrix) {
    const unsigned short* first = before + matrix * 64 + lane % 4 * 2 * 8 + lane / 4;
    assert(words[matrix] == (first[0] | static_cast<uint32_t>(first[8]) << 16));
    out[matrix * 32 + lane] = words[matrix];
  }
}
