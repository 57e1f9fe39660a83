// check: --kernel moves --block 32 --arg 'float[256]=iota' --arg 'float[256]' --arg 'int[32]=3' --arg 'short[64]=iota'
// Loads and stores of inline PTX: through caches, as vectors, of small types, in shared memory.
#include <cassert>

struct Four {
  float v[4];
};

__device__ Four load4(const void* from) {
  Four four;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four.v[0]), "=f"(four.v[1]), "=f"(four.v[2]), "=f"(four.v[3])
               : "l"(from));
  return four;
}

__device__ unsigned shared_address(const void* generic) {
  unsigned address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(generic));
  return address;
}

__global__ void moves(const float* A, float* C, int* counts, const short* small) {
  __shared__ __align__(16) float tile[256];
  const int t = threadIdx.x;
  const Four one = load4(A + 4 * t), other = load4(&A[128 + 4 * t]);
  const unsigned at = shared_address(tile);
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at + 16 * t), "f"(one.v[0]), "f"(one.v[1]), "f"(one.v[2]), "f"(one.v[3])
               : "memory");
  asm volatile("st.shared.v2.f32 [%0+512], {%1, %2};\n\t"
               "st.shared.v2.f32 [%0+520], {%3, %4};"
               :
               : "r"(at + 16 * t), "f"(other.v[0]), "f"(other.v[1]), "f"(other.v[2]), "f"(other.v[3])
               : "memory");
  __syncwarp();
  for (int i = 0; i < 8; ++i) {
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at + 4 * (255 - (32 * i + t))));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(C + 32 * i + t), "f"(x) : "memory");
    assert(x == 255 - (32 * i + t));
  }
  int count;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(count) : "l"(counts + t));
  asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(counts + t), "r"(count + 1));
  assert(counts[t] == 4);
  int first;
  unsigned second;
  asm volatile("ld.global.s16 %0, [%2];\n\tld.global.u16 %1, [%2+2];" : "=r"(first), "=r"(second) : "l"(small + 2 * t));
  assert(first == 2 * t && second == 2 * t + 1u);
  unsigned is_global;
  asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_global) : "l"(tile));
  assert(is_global == 0);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(A));
}
