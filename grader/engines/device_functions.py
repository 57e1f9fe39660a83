"""The functions outside the submission that a kernel may call: those that the kit defines for device code, and pure functions of the
C library. All others are host functions. nvcc would refuse to call those from a kernel.
"""

from __future__ import annotations

import re

DEVICE_PREFIX = "_ZN11cuda_on_cpu"
# What we put into a submission's text, and look for in its object.
LEAVES = "tilelab_leaves"  # a function of kit/executor/device/thread_functions.hpp, called before a kernel returns
GUARD_NAME = "tilelab_guard_"  # how the variable behind an array begins

# Instrumented code calls these. A submission that names them itself is refused earlier.
INSTRUMENTATION_PREFIXES = (
    "__tsan_",
    "__ubsan_handle_alignment_assumption",
    "__ubsan_handle_divrem_overflow",
    "__ubsan_handle_missing_return",
    "__ubsan_handle_out_of_bounds",
    "__ubsan_handle_type_mismatch",
    "__sanitizer_cov_trace_pc",
)

_MATH_NAMES = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod hypot ilogb ldexp lgamma log log10 log1p log2 logb nearbyint nextafter pow remainder rint round scalbn
    scalbln sin sinh sqrt tan tanh tgamma trunc lrint lround llrint llround exp10 j0 j1 jn y0 y1 yn
    sinpi cospi rsqrt
"""
MATH = frozenset(_MATH_NAMES.split())
C_LIBRARY = frozenset(
    [*MATH, *(name + "f" for name in MATH), "abs", "labs", "llabs", "_GLOBAL_OFFSET_TABLE_", "__popcountdi2", "__popcountsi2",
     "__cxa_pure_virtual", "__udivti3", "__umodti3", "__divti3", "__modti3", "__mulsc3", "__muldc3", "__divsc3", "__divdc3",
     # for machines where long double has 128 bits and the processor computes with 64
     "__addtf3", "__subtf3", "__multf3", "__divtf3", "__eqtf2", "__netf2", "__lttf2", "__letf2", "__gttf2", "__getf2",
     "__unordtf2", "__extendsftf2", "__extenddftf2", "__trunctfsf2", "__trunctfdf2", "__floatsitf", "__floatditf",
     "__floatunsitf", "__floatunditf", "__fixtfsi", "__fixtfdi", "__fixunstfsi", "__fixunstfdi"]
)  # fmt: skip

# Those of them that touch no memory, whatever they are given, and that every C library has: a pointer may lead to one.
_EVERYWHERE = MATH - {"exp10", "sinpi", "cospi", "rsqrt", "lgamma"}
PURE = frozenset(name + end for name in _EVERYWHERE for end in ("", "f")) | {"abs", "labs", "llabs"}

# Functions that read or write through a pointer are redirected to our versions, which announce their accesses; clock() means another
# thing.
_WRITERS = "memcpy memmove memset printf puts putchar sincosf sincos modff modf frexpf frexp remquof remquo nanf nan __assert_fail clock"
_ALLOCATORS = "malloc free _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm __cxa_throw_bad_array_new_length"
ALLOCATING = frozenset(_ALLOCATORS.split())
REDIRECTIONS = {name: f"tilelab_{name.strip('_')}" for name in [*_WRITERS.split(), *_ALLOCATORS.split()]}
ALIGNED_COPY = "tilelab_copy"  # `clang_ir.py` puts this call for a copy of an object; a submission cannot use the name

# Calls of CUDA's runtime that mean something else in device code than on the host, as macros by which `tilelab check` and `tilelab run`
# call the kit's: memory from the heap of malloc(). In a lab's file such a call stands in host code, and is refused.
DEVICE_RUNTIME = ("cudaMalloc=__heap_malloc", "cudaFree=__heap_free")

# Device code may call these, but the CPU executor does not have them. Such a kernel needs a GPU.
ONLY_ON_A_GPU = frozenset({"vprintf", "alloca"})


# The executor has these as macros, so that only a call reaches it; a pointer reaches the C library's functions of the same name.
FAST_MATH = frozenset(
    f"__{name}f" for name in ["exp", "exp10", "log", "log2", "log10", "pow", "sin", "cos", "tan", "tanh", "sincos"]
)


# nvcc knows these names and the CPU executor does not. A file that uses one is correct CUDA, so it needs a GPU.
UNSUPPORTED_HEADERS = re.compile(
    r"cuda_(fp8|fp6|fp4|awbarrier)\w*\.h(pp)?|cooperative_groups/.*|cuda/.*|cub/.*|thrust/.*|cutlass/.*|cute/.*"
    r"|sm_\d+_\w+\.h(pp)?|texture_\w+\.h|surface_\w+\.h|curand_\w*\.h|cublas\w*\.h|nv/.*|nvtx\w*/.*|cuda_texture_types\.h"
)
UNSUPPORTED_NAMES = re.compile(
    r"globaltimer|nvcuda|wmma|cooperative_groups|cg|__nv_\w+|nv_bfloat16\w*|cuda|thrust|cub|tex(?:[123]D|Cubemap)\w*|surf(?:[123]D|Cubemap)\w*"
    r"|cudaTextureObject_t|cudaSurfaceObject_t|__dp[24]a\w*|__\w*bfloat16\w*|__v(?:i|abs|add|avg|cmp|hadd|max|min|neg|sad|set|sub)\w+"
    r"|curand\w+|__prof_trigger|__cvta_\w+|__isGridConstant|__pipeline_\w+|__barrier_sync\w*"
    r"|__brkpt|__reduce_\w+"
)
# Functions of a warp without a mask: no compiler knows them for a GPU of compute capability 7.0 or newer.
WITHOUT_A_MASK = frozenset({"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"})
# Parts of <cooperative_groups.h> that our version does not have.
UNSUPPORTED_GROUPS = re.compile(
    r"coalesced_\w+|\w*multi_grid\w*|\w*cluster\w*|\w+_partition|memcpy_async|wait\w*|\w+_scan\w*|invoke_one\w*"
)
UNSUPPORTED_MEMBERS = re.compile(
    r"barrier_(arrive|wait)|get_type|map_shared_rank|query_shared_rank|cluster_\w+|(block|dim)_cluster\w*"
)


def is_device_function(symbol: str) -> bool:
    named = symbol in C_LIBRARY or symbol in REDIRECTIONS or symbol == ALIGNED_COPY
    return named or symbol.startswith((DEVICE_PREFIX, *INSTRUMENTATION_PREFIXES))
