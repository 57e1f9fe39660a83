"""Which outside functions a kernel may call: what the kit's device surface defines and pure functions of the C library.

The rest are host functions, which nvcc would refuse to call from a kernel.
"""

from __future__ import annotations

SURFACE_PREFIX = "_ZN11cuda_on_cpu"

# Called by instrumented code; a submission that names them itself is refused earlier.
INSTRUMENTATION_PREFIXES = ("__tsan_", "__ubsan_handle_out_of_bounds", "__ubsan_handle_type_mismatch", "__sanitizer_cov_trace_pc")

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod "
    "hypot ilogb ldexp lgamma log log10 log1p log2 logb nearbyint nextafter pow remainder rint round scalbn scalbln sin sinh sqrt "
    "tan tanh tgamma trunc lrint lround llrint llround exp10"
).split()
C_LIBRARY = frozenset(
    [*_MATH, *(name + "f" for name in _MATH), "abs", "labs", "llabs", "_GLOBAL_OFFSET_TABLE_", "__popcountdi2", "__popcountsi2",
     "__udivti3", "__umodti3", "__divti3", "__modti3", "__mulsc3", "__muldc3", "__divsc3", "__divdc3"]
)  # fmt: skip

# Functions that write through a pointer go to versions of ours that announce what they touch.
REDIRECTIONS = {
    name: f"tilelab_{name.strip('_')}"
    for name in "memcpy memmove memset printf puts putchar sincosf sincos modff modf frexpf frexp __assert_fail".split()
}

# Device code may call these, but the CPU executor has none: such a kernel waits for a GPU.
ONLY_ON_A_GPU = frozenset({"malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "clock", "vprintf", "alloca"})


def is_device_function(symbol: str) -> bool:
    return symbol.startswith((SURFACE_PREFIX, *INSTRUMENTATION_PREFIXES)) or symbol in C_LIBRARY or symbol in REDIRECTIONS
