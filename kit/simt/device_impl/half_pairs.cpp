// The functions of device/half_functions.hpp for pairs: the same operation on both halves.
#include "simt/device/half_functions.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {
namespace {

__half rounded(float a) { return __float2half_rn(a); }
__half one_if(bool holds) { return rounded(holds ? 1.0f : 0.0f); }

}  // namespace

__half2 make_half2(__half x, __half y) { return {x, y}; }
__half2 __halves2half2(__half low, __half high) { return {low, high}; }
__half2 __half2half2(__half a) { return {a, a}; }
__half2 __float2half2_rn(float a) { return {rounded(a), rounded(a)}; }
__half2 __floats2half2_rn(float low, float high) { return {rounded(low), rounded(high)}; }
__half2 __float22half2_rn(float2 a) { return {rounded(a.x), rounded(a.y)}; }
float2 __half22float2(__half2 a) { return {__half2float(a.x), __half2float(a.y)}; }
float __low2float(__half2 a) { return __half2float(a.x); }
float __high2float(__half2 a) { return __half2float(a.y); }
__half __low2half(__half2 a) { return a.x; }
__half __high2half(__half2 a) { return a.y; }
__half2 __low2half2(__half2 a) { return {a.x, a.x}; }
__half2 __high2half2(__half2 a) { return {a.y, a.y}; }
__half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
__half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
__half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
__half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
__half2 __hadd2_rn(__half2 a, __half2 b) { return {__hadd_rn(a.x, b.x), __hadd_rn(a.y, b.y)}; }
__half2 __hadd2_sat(__half2 a, __half2 b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
__half2 __hsub2(__half2 a, __half2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
__half2 __hsub2_rn(__half2 a, __half2 b) { return {__hsub_rn(a.x, b.x), __hsub_rn(a.y, b.y)}; }
__half2 __hsub2_sat(__half2 a, __half2 b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
__half2 __hmul2(__half2 a, __half2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
__half2 __hmul2_rn(__half2 a, __half2 b) { return {__hmul_rn(a.x, b.x), __hmul_rn(a.y, b.y)}; }
__half2 __hmul2_sat(__half2 a, __half2 b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
__half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
__half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }
__half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }
__half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
__half2 __hneg2(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }
__half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
__half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__half2 __hmax2_nan(__half2 a, __half2 b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }
__half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__half2 __hmin2_nan(__half2 a, __half2 b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }
__half2 __heq2(__half2 a, __half2 b) { return {one_if(__heq(a.x, b.x)), one_if(__heq(a.y, b.y))}; }
bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
unsigned __heq2_mask(__half2 a, __half2 b) { return (__heq(a.x, b.x) ? 0xFFFFu : 0u) | (__heq(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hne2(__half2 a, __half2 b) { return {one_if(__hne(a.x, b.x)), one_if(__hne(a.y, b.y))}; }
bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
unsigned __hne2_mask(__half2 a, __half2 b) { return (__hne(a.x, b.x) ? 0xFFFFu : 0u) | (__hne(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hlt2(__half2 a, __half2 b) { return {one_if(__hlt(a.x, b.x)), one_if(__hlt(a.y, b.y))}; }
bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
unsigned __hlt2_mask(__half2 a, __half2 b) { return (__hlt(a.x, b.x) ? 0xFFFFu : 0u) | (__hlt(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hle2(__half2 a, __half2 b) { return {one_if(__hle(a.x, b.x)), one_if(__hle(a.y, b.y))}; }
bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
unsigned __hle2_mask(__half2 a, __half2 b) { return (__hle(a.x, b.x) ? 0xFFFFu : 0u) | (__hle(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hgt2(__half2 a, __half2 b) { return {one_if(__hgt(a.x, b.x)), one_if(__hgt(a.y, b.y))}; }
bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
unsigned __hgt2_mask(__half2 a, __half2 b) { return (__hgt(a.x, b.x) ? 0xFFFFu : 0u) | (__hgt(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hge2(__half2 a, __half2 b) { return {one_if(__hge(a.x, b.x)), one_if(__hge(a.y, b.y))}; }
bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
unsigned __hge2_mask(__half2 a, __half2 b) { return (__hge(a.x, b.x) ? 0xFFFFu : 0u) | (__hge(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hequ2(__half2 a, __half2 b) { return {one_if(__hequ(a.x, b.x)), one_if(__hequ(a.y, b.y))}; }
bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
unsigned __hequ2_mask(__half2 a, __half2 b) { return (__hequ(a.x, b.x) ? 0xFFFFu : 0u) | (__hequ(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hneu2(__half2 a, __half2 b) { return {one_if(__hneu(a.x, b.x)), one_if(__hneu(a.y, b.y))}; }
bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
unsigned __hneu2_mask(__half2 a, __half2 b) { return (__hneu(a.x, b.x) ? 0xFFFFu : 0u) | (__hneu(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hltu2(__half2 a, __half2 b) { return {one_if(__hltu(a.x, b.x)), one_if(__hltu(a.y, b.y))}; }
bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
unsigned __hltu2_mask(__half2 a, __half2 b) { return (__hltu(a.x, b.x) ? 0xFFFFu : 0u) | (__hltu(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hleu2(__half2 a, __half2 b) { return {one_if(__hleu(a.x, b.x)), one_if(__hleu(a.y, b.y))}; }
bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
unsigned __hleu2_mask(__half2 a, __half2 b) { return (__hleu(a.x, b.x) ? 0xFFFFu : 0u) | (__hleu(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hgtu2(__half2 a, __half2 b) { return {one_if(__hgtu(a.x, b.x)), one_if(__hgtu(a.y, b.y))}; }
bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
unsigned __hgtu2_mask(__half2 a, __half2 b) { return (__hgtu(a.x, b.x) ? 0xFFFFu : 0u) | (__hgtu(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hgeu2(__half2 a, __half2 b) { return {one_if(__hgeu(a.x, b.x)), one_if(__hgeu(a.y, b.y))}; }
bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
unsigned __hgeu2_mask(__half2 a, __half2 b) { return (__hgeu(a.x, b.x) ? 0xFFFFu : 0u) | (__hgeu(a.y, b.y) ? 0xFFFF0000u : 0u); }
__half2 __hisnan2(__half2 a) { return {one_if(__hisnan(a.x)), one_if(__hisnan(a.y))}; }
__half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
__half2 h2rsqrt(__half2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
__half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }
__half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
__half2 h2log2(__half2 a) { return {hlog2(a.x), hlog2(a.y)}; }
__half2 h2log10(__half2 a) { return {hlog10(a.x), hlog10(a.y)}; }
__half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
__half2 h2exp2(__half2 a) { return {hexp2(a.x), hexp2(a.y)}; }
__half2 h2exp10(__half2 a) { return {hexp10(a.x), hexp10(a.y)}; }
__half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
__half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
__half2 h2tanh(__half2 a) { return {htanh(a.x), htanh(a.y)}; }
__half2 h2tanh_approx(__half2 a) { return {htanh_approx(a.x), htanh_approx(a.y)}; }
__half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }
__half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
__half2 h2trunc(__half2 a) { return {htrunc(a.x), htrunc(a.y)}; }
__half2 h2rint(__half2 a) { return {hrint(a.x), hrint(a.y)}; }

}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu
