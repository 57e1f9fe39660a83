"""Names that a kernel may mean: CUDA's first, then words of C++ and of its library that kernels use. Data only."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize")
_CUDA = """
    threadIdx blockIdx blockDim gridDim warpSize dim3
    __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __noinline__ __launch_bounds__ __managed__
    __align__
    __syncthreads __syncthreads_and __syncthreads_or __syncthreads_count __syncwarp __threadfence __threadfence_block
    __threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync
    __activemask __match_any_sync __match_all_sync __reduce_add_sync __ldg __popc __clz __ffs __brev
    atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS atomicAnd atomicOr atomicXor atomicInc atomicDec
    float2 float3 float4 int2 int3 int4 uint2 uint3 uint4 double2 make_float2 make_float3 make_float4 make_int2 make_int4
    LaunchConfig __fmaf_rn __fdividef __expf __logf __sinf __cosf __powf rsqrtf __float2int_rn __float2half __half2float
    cooperative_groups this_thread_block tiled_partition thread_block
"""
_CPP = """
    alignas auto bool break case char class const constexpr continue default do double else enum extern false float for if inline int
    long namespace nullptr return short signed sizeof static static_assert static_cast struct switch template this true typedef
    typename union unsigned using void volatile while size_t int32_t uint32_t int64_t uint64_t NULL
"""
_LIBRARY = """
    printf assert min max abs fabsf fabs fmaf fma fminf fmaxf sqrtf sqrt expf exp logf log powf pow sinf cosf tanf floorf ceilf roundf
    isnan isinf memcpy memset
"""
CUDA = tuple(_CUDA.split())
CPP = tuple(_CPP.split())
LIBRARY = tuple(_LIBRARY.split())
STD = ("min", "max", "abs", "swap", "size_t", "numeric_limits", "sqrt", "fma", "pow", "exp", "move", "is_same_v")
_HEADER_NAMES = """
    tilelab/device.cuh cuda_runtime.h cuda_fp16.h cuda.h cooperative_groups.h device_launch_parameters.h math.h cmath stdio.h cstdio
    assert.h cassert stdint.h cstdint limits.h float.h algorithm
"""
HEADERS = tuple(_HEADER_NAMES.split())
# The numbers of C++ and CUDA: their kind, their bytes, and their names.
NumberKind = Literal["signed", "unsigned", "floating"]
_NUMBERS: tuple[tuple[NumberKind, int, str], ...] = (
    ("floating", 2, "half, __half"),
    ("floating", 4, "float"),
    ("floating", 8, "double"),
    ("signed", 1, "char, signed char, int8_t"),
    ("signed", 2, "short, int16_t"),
    ("signed", 4, "int, int32_t"),
    ("signed", 8, "long, long long, long int, int64_t"),
    ("unsigned", 1, "unsigned char, uchar, bool, uint8_t"),
    ("unsigned", 2, "unsigned short, ushort, uint16_t"),
    ("unsigned", 4, "unsigned, unsigned int, uint, uint32_t"),
    ("unsigned", 8, "unsigned long, unsigned long long, size_t, uint64_t"),
)
NUMBER_TYPES = {name: (kind, size) for kind, size, names in _NUMBERS for name in names.split(", ")}
# The bytes of each type that has a name of one word, with vectors of one to four numbers.
TYPE_BYTES = {name: size for name, (_, size) in NUMBER_TYPES.items() if " " not in name} | {"half2": 4, "__half2": 4}
TYPE_BYTES |= {
    f"{name}{count}": TYPE_BYTES[name] * count
    for name in ("char", "uchar", "short", "ushort", "int", "uint", "float", "double")
    for count in (1, 2, 3, 4)
}
# Words of other languages.
ELSEWHERE = {
    "AND": "&&", "and": "&&", "OR": "||", "NOT": "!", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
    "None": "nullptr", "null": "nullptr", "Null": "nullptr", "elseif": "else if", "elsif": "else if", "elif": "else if",
    "boolean": "bool", "Int": "int", "Float": "float", "integer": "int", "string": "const char*", "let": "auto", "var": "auto",
    "def": "void", "function": "void", "mod": "%",
}  # fmt: skip


# Which header declares a name that a file did not include: of C++ and of CUDA, as far as kernels use them. Pure.

# Each header with the names that need it, also where other headers happen to bring it along.
_HEADERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (header, re.compile(names))
    for header, names in (
        ("cfloat", r"(FLT|DBL|LDBL)_(MAX|MIN|EPSILON|TRUE_MIN|DIG|MANT_DIG|MAX_EXP|MIN_EXP|RADIX)"),
        ("climits", r"U?(CHAR|SHRT|INT|LONG|LLONG)_MAX|S?(CHAR|SHRT|INT|LONG|LLONG)_MIN|CHAR_BIT"),
        ("cstdint", r"u?int(_fast|_least)?(8|16|32|64)_t|u?int(ptr|max)_t|U?INT(8|16|32|64)_MAX|SIZE_MAX"),
        ("cstddef", r"size_t|ptrdiff_t|offsetof"),
        ("cassert", r"assert"),
        ("cstdio", r"f?printf|snprintf"),
        ("limits", r"numeric_limits"),
        ("cuda_bf16.h", r"(__)?nv_bfloat162?|__\w*bfloat16\w*"),
        ("cuda_fp16.h", r"half2?|__half2?|__\w*half\w*|__h[a-z]\w+"),
        ("cooperative_groups.h", r"cooperative_groups|cg"),
        ("mma.h", r"nvcuda|wmma"),
        ("curand_kernel.h", r"curand\w*"),
    )
)


def header_of(name: str) -> str:
    """The header, without brackets, or "" where none is known."""
    return next((header for header, names in _HEADERS if names.fullmatch(name)), "")


# The names that CUDA has, wherever they run: those that it has not are typing errors.

_NAMES = Path(__file__).resolve().parents[2] / "kit" / "host" / "headers" / "cuda_names.txt"
_LIKE_CUDA = re.compile(
    r"(?i:cuda)_?[A-Za-z]\w*|cu[A-Z]\w*|cublas[A-Z]\w*|curand(?:Create|Destroy|Set|Get|Generate)\w*|__(?!nv_)[a-z]\w*|atomic[A-Z_]\w*"
)
_VERSION = re.compile(r"(?:_v\d+|_ptsz|_ptds)+$")


@cache
def cuda_names() -> frozenset[str]:
    lines = (line.partition(":") for line in _NAMES.read_text(encoding="utf-8").splitlines() if line[0] != "#")
    return frozenset(first + rest.replace("-", "") for first, _, others in lines for rest in others.split())


def is_of_cuda(name: str) -> bool:
    return _VERSION.sub("", name) in cuda_names()


def is_like_cuda(name: str) -> bool:
    """It begins as CUDA's names do, and CUDA has none of this name."""
    return _LIKE_CUDA.fullmatch(name) is not None and not is_of_cuda(name)


# The headers of the standard library that came after C++17, with the standard that has them.
_LATER = {
    "C++20": "barrier bit compare concepts coroutine format latch numbers ranges semaphore source_location span stop_token syncstream",
    "C++23": "expected flat_map flat_set generator mdspan print spanstream stacktrace stdfloat",
    "C++26": "contracts debugging hazard_pointer hive inplace_vector linalg rcu simd text_encoding",
}
LATER_HEADERS = {header: standard for standard, headers in _LATER.items() for header in headers.split()}


def absent_header(header: str, compiler: str) -> str:
    """Of a header of the standard library: that this compiler has none of it. Empty: it is another header. `compiler`: `g++ 12.2.0`."""
    standard = LATER_HEADERS.get(header)
    return f"<{header}> is a header of {standard}, which {compiler} does not have here." if standard else ""
