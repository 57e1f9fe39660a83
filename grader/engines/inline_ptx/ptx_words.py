"""The words of PTX that are understood, with the numbers that the kit's functions know them by (`kit/simt/device_impl/inline_ptx/`)."""

from __future__ import annotations

SPACES = {"": 0, "global": 1, "shared": 2, "local": 3, "const": 4}
TYPES = {
    name: number
    for number, name in enumerate(
        ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64", "f16", "bf16", "tf32"]
    )
}
WIDTHS = {
    "pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32, "u32": 32,
    "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64,
}  # fmt: skip
CONSTRAINTS = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
ROUNDINGS = {"rn": 0, "rz": 1, "rm": 2, "rp": 3, "rni": 4, "rzi": 5, "rmi": 6, "rpi": 7, "rna": 0}
RELATIONS = {
    "eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5, "equ": 6, "neu": 7, "ltu": 8, "leu": 9, "gtu": 10, "geu": 11,
    "num": 12, "nan": 13, "lo": 2, "ls": 3, "hi": 4, "hs": 5,
}  # fmt: skip
FLOAT_OPERATIONS = {
    "add": 0, "sub": 1, "mul": 2, "fma": 3, "mad": 3, "div": 4, "rcp": 5, "sqrt": 6, "rsqrt": 7, "ex2": 8, "lg2": 9,
    "sin": 10, "cos": 11, "min": 13, "max": 14, "neg": 15, "abs": 16, "copysign": 17,
}  # fmt: skip
NUMBER_OF_NAN = {"min": 18, "max": 19}  # with .NaN
SATURATED = 20
SPECIAL_REGISTERS = {
    "tid.x": 0, "tid.y": 1, "tid.z": 2, "ntid.x": 3, "ntid.y": 4, "ntid.z": 5, "ctaid.x": 6, "ctaid.y": 7, "ctaid.z": 8,
    "nctaid.x": 9, "nctaid.y": 10, "nctaid.z": 11, "laneid": 12, "warpid": 13, "nwarpid": 14, "smid": 15, "nsmid": 16,
    "lanemask_eq": 17, "lanemask_lt": 18, "lanemask_le": 19, "lanemask_gt": 20, "lanemask_ge": 21, "clock": 22,
    "clock64": 23, "clock_hi": 24, "globaltimer": 23, "globaltimer_lo": 22, "globaltimer_hi": 24, "WARP_SZ": 25,
    "dynamic_smem_size": 26, "total_smem_size": 27,
}  # fmt: skip
WIDE_SPECIAL = frozenset({"clock64", "globaltimer"})  # the others have 32 bits


class NotUnderstoodError(Exception):
    """Why a PTX text cannot be run here: an instruction, by its name, or what is wrong with it."""


def base_type(name: str) -> str:
    """The type whose arithmetic an untyped one has."""
    return f"u{name[1:]}" if name.startswith("b") and name[1:].isdigit() else name


def is_float(name: str) -> bool:
    return name in {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2", "tf32"}


def is_signed(name: str) -> bool:
    return name.startswith("s")
