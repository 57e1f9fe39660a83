// barrier-divergence of full in line 12: --kernel relay --grid 2 --block 64 --arg 'int[512]=iota' --arg 'int[512]'
#include <cassert>
#include <cstdint>

__device__ uint32_t place(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }

__device__ void wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(place(barrier)),
      "r"(parity)
      : "memory");
}

__device__ bool has_ended(uint64_t* barrier, uint64_t state) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(place(barrier)), "l"(state)
               : "memory");
  return done != 0;
}

// One thread copies in bulk, and all wait for the bytes; a second barrier says that the tile is free again.
__global__ void relay(const int* in, int* out) {
  alignas(16) __shared__ int tile[64];
  __shared__ uint64_t full, empty;
  const int t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&full)), "r"(1));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&empty)), "r"(64));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    const int at = (blockIdx.x * 4 + step) * 64;
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full)), "r"(512) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(tile)),
                   "l"(in + at), "r"(256), "r"(place(&full))
                   : "memory");
    }
    wait(&full, step % 2);
    out[at + t] = tile[63 - t];
    uint64_t state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(place(&empty)) : "memory");
    while (!has_ended(&empty, state)) {
    }
  }
  assert(out[blockIdx.x * 256 + t] == int(blockIdx.x) * 256 + 63 - t);
}
