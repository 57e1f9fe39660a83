"""Headers that a file includes and that are not here: what of them a kernel may still need, and how a user is told.

A library that only the host uses leaves nothing behind. A few give names to types that kernels use as well.
"""

from __future__ import annotations

import re

# What a header declares that kernels use. It takes the place of the #include, in the same line.
_STAND_INS = (
    (r"(opencv\d*|cv|highgui|imgproc|core)([./\\].*)?", "typedef unsigned char uchar;"),
    (r"(cublas|cusparse|cusolver|cudnn)\w*\.h", "#include <cuda_fp16.h>"),  # they include it
    (r"(windows|windef|winnt|stdafx|pch)\.h", "typedef unsigned char BYTE; typedef unsigned int DWORD; typedef unsigned int UINT;"),
)  # fmt: skip
# The names that a missing header is needed for, where an error names one of them.
_NEEDED_FOR = (
    (r"mma\.h", r"nvcuda|wmma"),
    (r"cuda/.*", r"cuda"),
    (r"cub/.*", r"cub"),
    (r"thrust/.*", r"thrust"),
    (r"cooperative_groups.*", r"cooperative_groups|cg"),
    (r"cuda_(fp8|fp6|fp4|bf16|pipeline|awbarrier)\w*\.h(pp)?", r"__nv_\w+|nv_bfloat16\w*|\w*bfloat16\w*|nvcuda|__pipeline_\w+"),
    (r"curand\w*\.h", r"curand\w*"),
    (r"cublas\w*\.h", r"cublas\w*"),
    (r"cutlass/.*|cute/.*", r"cutlass|cute"),
)  # fmt: skip


def stand_in(header: str) -> str:
    """What to write in place of the #include of a header that is not here; often nothing."""
    return next((text for pattern, text in _STAND_INS if re.fullmatch(pattern, header, re.IGNORECASE)), "")


def is_needed(header: str, errors: str) -> bool:
    """Whether the compiler's errors name something of this header."""
    names = next((names for pattern, names in _NEEDED_FOR if re.fullmatch(pattern, header)), None)
    return (
        names is not None and re.search(rf"[\u2018'](?:::)?(?:{names})(?:::[^\u2019']*)?[\u2019']", errors) is not None
    )
