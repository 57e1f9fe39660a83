"""Which functions announce an access, which never return, and which leave a frame as it is: what the proof knows of the kit.

The list must agree with `kit/executor/submission/callbacks.cpp` and `kit/executor/device_impl/`; a test reads both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

# What `object_proof.py` puts into the assembly.
UNSEEN = {kind: f"tilelab_unseen_{kind}" for kind in ("read", "write", "call")}

_SIZED = re.compile(r"__tsan_(?:unaligned_)?(?:volatile_)?(read|write)(1|2|4|8|16)")
_VIRTUAL = {"__tsan_vptr_update": "write", "__tsan_vptr_read": "read"}  # an object's pointer to its virtual functions
_POINTER_BYTES = 8
_RANGE = re.compile(r"__tsan_(read|write)_range|tilelab_unseen_(read|write)")
# They end the thread or the launch. The compiler does not know it, but has nothing to do behind them that matters.
NEVER_RETURN = frozenset(
    {
        "__ubsan_handle_out_of_bounds",
        "__ubsan_handle_type_mismatch_v1",
        "__ubsan_handle_divrem_overflow",
        "__ubsan_handle_missing_return",
        "__assert_fail",
        "_ZN11cuda_on_cpu6__trapEv",
    }
)
_INSTRUMENTATION = frozenset(
    {"__tsan_func_entry", "__tsan_func_exit", "__sanitizer_cov_trace_pc", "__ubsan_handle_alignment_assumption"}
)
# Pure, and what they answer fits in a register: the silent constructors of the kit's headers call them.
_CONVERSION = re.compile(
    r"_ZN11cuda_on_cpu16cuda_fp16_on_cpu\d+__(?:float|double|u?short|u?int|u?ll)2half(?:_r[nzud])?E[fdstijlmxy]"
)
_COPIES = re.compile(r"(?:__tsan_)?mem(?:cpy|move|set)|tilelab_copy")
BUILT_IN_VARIABLES = {
    f"_ZN11cuda_on_cpu{len(name)}{name}E": size
    for name, size in {"threadIdx": 12, "blockIdx": 12, "blockDim": 12, "gridDim": 12, "warpSize": 4}.items()
}


@dataclass(frozen=True)
class KitCall:
    """What a call of a function outside the submission does to what is known."""

    # "read" or "write": the bytes from the first argument on; "call": that this is a function's first byte.
    announces: str = ""
    size: int = 0  # 0: the second argument says
    leaves_frame: bool = False  # writes to no memory of its caller's
    leaves_registers: bool = False
    returns: bool = True
    copies: bool = False  # writes where its first argument points, as many bytes as its third says
    is_silent: bool = False  # announces nothing, and changes nothing but what it answers


_NAMED = {
    **{name: KitCall(kind, _POINTER_BYTES, leaves_frame=True) for name, kind in _VIRTUAL.items()},
    UNSEEN["call"]: KitCall("call", 1, leaves_frame=True, leaves_registers=True),
}


@cache
def kit_call(name: str) -> KitCall:
    if sized := _SIZED.fullmatch(name):
        return KitCall(sized[1], int(sized[2]), leaves_frame=True)
    if name in _NAMED:
        return _NAMED[name]
    if ranged := _RANGE.fullmatch(name):
        return KitCall(ranged[1] or ranged[2], 0, leaves_frame=True, leaves_registers=name.startswith("tilelab"))
    if _COPIES.fullmatch(name):
        return KitCall(copies=True)
    if _CONVERSION.fullmatch(name):
        return KitCall(leaves_frame=True, is_silent=True)
    return KitCall(
        leaves_frame=name in _INSTRUMENTATION,
        returns=name not in NEVER_RETURN,
        is_silent=name in {"__tsan_func_entry", "__tsan_func_exit"},
    )
