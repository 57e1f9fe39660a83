"""Which header declares a name that a file did not include: of C++ and of CUDA, as far as kernels use them. Pure."""

from __future__ import annotations

import re

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
        ("cuda_fp16.h", r"half2?|__half2?|__(float|double|int)2half\w*|__half2float"),
        ("cuda_bf16.h", r"(__)?nv_bfloat162?|__float2bfloat16\w*|__bfloat162float"),
        ("cooperative_groups.h", r"cooperative_groups|cg"),
        ("mma.h", r"nvcuda|wmma"),
        ("curand_kernel.h", r"curand\w*"),
    )
)


def header_of(name: str) -> str:
    """The header, without brackets, or "" where none is known."""
    return next((header for header, names in _HEADERS if names.fullmatch(name)), "")
