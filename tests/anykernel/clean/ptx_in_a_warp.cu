// check: --kernel warp --block 64 --arg 'int[64]=iota' --arg 'int[2]'
// Shuffles, votes, matches and reductions of inline PTX.
#include <cassert>

__global__ void warp(const int* values, int* sums) {
  const int lane = threadIdx.x % 32;
  const unsigned all = 0xFFFFFFFFu;
  int sum = values[threadIdx.x], other, inside;
  for (int by = 16; by > 0; by /= 2) {
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;" : "=r"(other) : "r"(sum), "r"(by), "r"(all));
    sum += other;
  }
  assert(sum == __reduce_add_sync(all, values[threadIdx.x]));
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 1, 0, -1; selp.s32 %1, 1, 0, p; }"
               : "=r"(other), "=r"(inside)
               : "r"(lane));
  assert(inside == (lane > 0) && other == (lane > 0 ? lane - 1 : 0));
  asm volatile("shfl.sync.down.b32 %0, %1, 2, 0x181f, 0xffffffff;" : "=r"(other) : "r"(lane));
  assert(other == __shfl_down_sync(all, lane, 2, 8));
  asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(other) : "r"(lane));
  assert(other == 5);
  unsigned lanes;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 7; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(lanes) : "r"(lane));
  assert(lanes == 0x7Fu);
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(lanes) : "r"(lane / 4));
  assert(lanes == 0xFu << (lane / 4 * 4));
  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(other) : "r"(lane));
  assert(other == 31);
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  assert(lanes == all);
  asm volatile("bar.warp.sync 0xffffffff;");
  if (lane == 0) asm volatile("st.global.s32 [%0], %1;" ::"l"(sums + threadIdx.x / 32), "r"(sum));
}
