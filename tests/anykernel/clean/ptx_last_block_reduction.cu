// check: --kernel total --grid 8 --block 32 --arg 'int[256]=iota' --arg 'int[8]' --arg 'unsigned[1]=0' --arg 'int[1]'
// The last block adds what all blocks stored. A fence and a ticket of inline PTX order the blocks.
#include <cassert>

__global__ void total(const int* values, int* partial, unsigned* tickets, int* sum) {
  const int mine = __reduce_add_sync(0xFFFFFFFFu, values[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x != 0) return;
  asm volatile("st.global.cg.s32 [%0], %1;" ::"l"(partial + blockIdx.x), "r"(mine) : "memory");
  asm volatile("membar.gl;" ::: "memory");
  unsigned ticket;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(tickets) : "memory");
  if (ticket != gridDim.x - 1) return;
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  int all = 0;
  for (int i = 0; i < 8; ++i) {
    int one;
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(one) : "l"(partial + i));
    all += one;
  }
  *sum = all;
  assert(all == 255 * 128);
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(tickets), "r"(0u) : "memory");
}
