// check: --kernel video --block 64 --arg 'unsigned[64]=random' --arg 'unsigned[1]'
// The differences of four bytes, and their sum, as the PTX manual says.
#include <cassert>

__global__ void video(const unsigned* input, unsigned* sum) {
  const unsigned i = threadIdx.x, a = input[i] * 2654435761u + i * 0x01030507u, b = input[63 - i] * 40503u ^ (i << 24), c = input[i ^ 5] * 977u;
  unsigned differences, added, expected = 0, total = c;
  for (int at = 0; at < 32; at += 8) {
    const int x = a >> at & 0xFF, y = b >> at & 0xFF;
    const unsigned difference = x < y ? y - x : x - y;
    expected |= difference << at;
    total += difference;
  }
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(differences) : "r"(a), "r"(b), "r"(c));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(added) : "r"(a), "r"(b), "r"(c));
  assert(differences == expected && added == total);
  if (threadIdx.x == 0) sum[0] = added;
}
