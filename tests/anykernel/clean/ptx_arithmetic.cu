// check: --kernel arithmetic --block 64 --arg 'unsigned[64]=random' --arg 'unsigned[1]'
// Instructions of inline PTX compute what CUDA's functions and C++ compute.
#include <cassert>
#include <cstdint>
#include <cuda_fp16.h>

#define TWO(name, result, a, b) asm(name " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b))

__global__ void arithmetic(const unsigned* input, unsigned* sum) {
  const unsigned a = input[threadIdx.x] * 2654435761u + threadIdx.x, b = input[63 - threadIdx.x] * 40503u + 7;
  const int s = static_cast<int>(a), q = static_cast<int>(b);
  unsigned r, low, high;
  TWO("add.u32", r, a, b);
  assert(r == a + b);
  TWO("sub.s32", r, a, b);
  assert(r == a - b);
  TWO("mul.lo.u32", r, a, b);
  assert(r == a * b);
  TWO("mul.hi.u32", r, a, b);
  assert(r == __umulhi(a, b));
  TWO("mul.hi.s32", r, a, b);
  assert(static_cast<int>(r) == __mulhi(s, q));
  TWO("min.s32", r, a, b);
  assert(static_cast<int>(r) == (s < q ? s : q));
  TWO("max.u32", r, a, b);
  assert(r == (a < b ? b : a));
  TWO("xor.b32", r, a, b);
  assert(r == (a ^ b));
  TWO("shr.u32", r, a, 40u);
  assert(r == 0);
  TWO("shr.s32", r, a, 3u);
  assert(static_cast<int>(r) == s >> 3);
  TWO("rem.u32", r, a, b);
  assert(r == a % b);
  TWO("div.s32", r, a, b);
  assert(static_cast<int>(r) == s / q);
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(7u));
  assert(r == a * b + 7);
  long long wide;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(s), "r"(q));
  assert(wide == static_cast<long long>(s) * q);
  asm("bfe.u32 %0, %1, 5, 9;" : "=r"(r) : "r"(a));
  assert(r == (a >> 5 & 0x1FF));
  asm("bfe.s32 %0, %1, 28, 8;" : "=r"(r) : "r"(a));
  assert(static_cast<int>(r) == s >> 28);
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(r) : "r"(b), "r"(a));
  assert(r == ((a & ~0xF00u) | (b & 15) << 8));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(a), "r"(b));
  assert(r == __byte_perm(a, b, 0x5410));
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(a), "r"(b), "r"(s * 3));
  assert(r == ((a & b) | (a & (a * 3)) | (b & (a * 3))));
  asm("shf.r.wrap.b32 %0, %1, %2, 9;" : "=r"(r) : "r"(a), "r"(b));
  assert(r == __funnelshift_r(a, b, 9));
  asm("popc.b32 %0, %1;" : "=r"(r) : "r"(a));
  assert(r == static_cast<unsigned>(__popc(a)));
  asm("clz.b32 %0, %1;" : "=r"(r) : "r"(a));
  assert(r == static_cast<unsigned>(__clz(s)));
  asm("brev.b32 %0, %1;" : "=r"(r) : "r"(a));
  assert(r == __brev(a));
  asm("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.b32 %0, %1, %2, q; }" : "=r"(r) : "r"(s), "r"(q));
  assert(static_cast<int>(r) == (s < q ? q : s));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(wide));
  assert(low == static_cast<unsigned>(wide) && high == static_cast<unsigned>(wide >> 32));
  unsigned long long both;
  asm("mov.b64 %[both], {%[low], %[high]};" : [both] "=l"(both) : [low] "r"(low), [high] "r"(high));
  assert(both == static_cast<unsigned long long>(wide));
  asm("add.u32 %0, %0, %1;" : "+r"(r) : "n"(5));
  assert(r == (s < q ? b : a) + 5);

  const float x = static_cast<float>(a % 1000) / 7, y = static_cast<float>(b % 100) + 1;
  float f;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(x), "f"(y), "f"(1.0f));
  assert(f == __fmaf_rn(x, y, 1.0f));
  asm("add.rz.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
  assert(f == __fadd_rz(x, y));
  asm("div.rn.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
  assert(f == x / y);
  asm("sqrt.approx.f32 %0, %1;" : "=f"(f) : "f"(y));
  assert(fabsf(f - sqrtf(y)) < 1e-5f);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(3.0f));
  assert(f == 8.0f);
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x));
  assert(static_cast<int>(r) == __float2int_rn(x));
  asm("cvt.rn.f32.u32 %0, %1;" : "=f"(f) : "r"(a));
  assert(f == static_cast<float>(a));
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  assert(h == __half_as_ushort(__float2half(x)));
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  assert(f == __half2float(__float2half(x)));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x));
  assert((r & 0xFFFF) == h && r >> 16 == __half_as_ushort(__float2half(y)));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(1.00048828125f));
  assert(r == 0x3F802000u);
  double d;
  asm("fma.rn.f64 %0, %1, %1, %1;" : "=d"(d) : "d"(1.5));
  assert(d == 3.75);
  if (threadIdx.x == 0) *sum = a;
}
