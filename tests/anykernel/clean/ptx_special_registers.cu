// check: --kernel registers --grid 3,2 --block 16,4 --arg 'int[6]'
// What inline PTX reads of a thread, its warp and its block is what the built-in variables say. A single % passes, as with nvcc.
#include <cassert>

__device__ __forceinline__ unsigned lane_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(id));
  return id;
}

#define READ(name, into) asm volatile("mov.u32 %0, %%" name ";" : "=r"(into))

__global__ void registers(int* done) {
  const unsigned rank = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned value, lanes, equal;
  READ("tid.x", value);
  assert(value == threadIdx.x);
  READ("tid.y", value);
  assert(value == threadIdx.y);
  READ("ntid.x", value);
  assert(value == blockDim.x);
  READ("ctaid.y", value);
  assert(value == blockIdx.y);
  READ("nctaid.x", value);
  assert(value == gridDim.x);
  READ("warpid", value);
  assert(value == rank / 32);
  READ("smid", value);
  READ("nsmid", lanes);
  assert(value < lanes);
  assert(lane_id() == rank % 32);
  READ("lanemask_eq", equal);
  assert(equal == 1u << lane_id());
  READ("lanemask_lt", lanes);
  assert(lanes == equal - 1);
  READ("lanemask_le", lanes);
  assert(lanes == (equal | (equal - 1)));
  READ("lanemask_gt", lanes);
  assert(lanes == ~(equal | (equal - 1)));
  READ("lanemask_ge", lanes);
  assert(lanes == ~(equal - 1));
  unsigned before, after;
  unsigned long long wide;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(wide)::"memory");
  READ("clock", after);
  assert(after > before);
  if (rank == 0) done[blockIdx.y * gridDim.x + blockIdx.x] = 1;
}
