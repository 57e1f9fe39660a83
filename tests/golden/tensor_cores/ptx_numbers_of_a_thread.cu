// Arithmetic and conversions of inline PTX.
#include "tensor_inputs.cuh"

__global__ void shows() {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 24; ++i) {
    const float x = input(i), y = input(i + 500);
    float f;
    unsigned u;
    unsigned short h;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(x));
    show("rcp", i, f);
    asm("sqrt.approx.f32 %0, %1;" : "=f"(f) : "f"(x * x));
    show("sqrt", i, f);
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(f) : "f"(x * x));
    show("rsqrt", i, f);
    asm("ex2.approx.f32 %0, %1;" : "=f"(f) : "f"(x));
    show("ex2", i, f);
    asm("lg2.approx.f32 %0, %1;" : "=f"(f) : "f"(x * x));
    show("lg2", i, f);
    asm("sin.approx.f32 %0, %1;" : "=f"(f) : "f"(x));
    show("sin", i, f);
    asm("fma.rz.f32 %0, %1, %2, %2;" : "=f"(f) : "f"(x), "f"(y));
    show("fma", i, f);
    asm("min.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
    show("min", i, f);
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x * 1.1f));
    show("f16", i, static_cast<float>(h));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(x * 1.1f), "f"(y));
    show("bf16", i, __uint_as_float(u));
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(u) : "f"(x * 7));
    show("s32", i, static_cast<float>(static_cast<int>(u)));
    asm("bfe.s32 %0, %1, 9, 7;" : "=r"(u) : "r"(__float_as_uint(x)));
    show("bfe", i, static_cast<float>(static_cast<int>(u)));
    asm("prmt.b32 %0, %1, %2, 0x9a43;" : "=r"(u) : "r"(__float_as_uint(x)), "r"(__float_as_uint(y)));
    show("prmt", i, __uint_as_float(u & 0x7F7FFFFF));
  }
}
