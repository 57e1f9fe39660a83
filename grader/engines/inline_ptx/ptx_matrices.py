"""`ldmatrix`, `stmatrix` and `mma.sync` of PTX as calls of the kit's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.inline_ptx.ptx_memory import shared_address
from grader.engines.inline_ptx.ptx_operands import operands, refuse, truth
from grader.engines.inline_ptx.ptx_registers import KIT, Registers, parts_of
from grader.engines.inline_ptx.ptx_syntax import Instruction, Operand


@dataclass(frozen=True)
class _Shape:
    """How many registers a lane gives and gets, and what kind they are of. `number`: of ptx_matrices.cpp."""

    number: int
    a: int
    b: int
    kind: str = "b32"


# By shape and by the types of a and b.
_SHAPES = {
    ("m16n8k8", "f16"): _Shape(0, 2, 1),
    ("m16n8k16", "f16"): _Shape(1, 4, 2),
    ("m16n8k8", "bf16"): _Shape(0, 2, 1),
    ("m16n8k16", "bf16"): _Shape(1, 4, 2),
    ("m16n8k4", "tf32"): _Shape(2, 2, 1),
    ("m16n8k8", "tf32"): _Shape(0, 4, 2),
    ("m8n8k16", "s8"): _Shape(4, 1, 1),
    ("m16n8k16", "s8"): _Shape(1, 2, 1),
    ("m16n8k32", "s8"): _Shape(3, 4, 2),
    ("m8n8k4", "f64"): _Shape(5, 1, 1, "f64"),
}
_OPERANDS = {("f16", "f16"): 0, ("bf16", "bf16"): 1, ("tf32", "tf32"): 2, ("f64", "f64"): 7}
_OPERANDS |= {("s8", "s8"): 3, ("u8", "u8"): 4, ("s8", "u8"): 5, ("u8", "s8"): 6}
_SUMS = {
    ("f32", "f32"): 0,
    ("f16", "f16"): 1,
    ("f16", "f32"): 2,
    ("f32", "f16"): 3,
    ("s32", "s32"): 4,
    ("f64", "f64"): 6,
}
_SATURATED = 5
_LETTERS = "xyzw"


def _moved(instruction: Instruction) -> tuple[int, bool]:
    """How many matrices are loaded or stored, and whether they are transposed."""
    said = [one.removesuffix(":cta") for one in instruction.opcode[1:]]
    transposed = "trans" in said
    said = [one for one in said if one != "trans"]
    counts = {"x1": 1, "x2": 2, "x4": 4}
    if (
        said[:2] != ["sync", "aligned"]
        or said[2:3] != ["m8n8"]
        or said[4:] != ["shared", "b16"]
        or said[3] not in counts
    ):
        raise refuse(instruction)
    return counts[said[3]], transposed


def load_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    count, transposed = _moved(instruction)
    target, where = operands(instruction, 2)
    kept = f"{registers.variable()}w"
    place = shared_address(registers, where)
    code = [f"const uint4 {kept} = {KIT}load_matrices({count}, {truth(transposed)}, {place});"]
    return code + [
        registers.write(part, "b32", f"{kept}.{letter}")
        for part, letter in zip(parts_of(target, count), _LETTERS, strict=False)
    ]


def store_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    count, transposed = _moved(instruction)
    where, given = operands(instruction, 2)
    words = _words(registers, parts_of(given, count), "b32")
    return [f"{KIT}store_matrices({count}, {truth(transposed)}, {shared_address(registers, where)}, {words});"]


def multiply_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    said = [one for one in instruction.opcode[1:] if one != "satfinite"]
    if said[:2] != ["sync", "aligned"] or said[3:5] != ["row", "col"] or len(said) != 9:  # noqa: PLR2004 -- and four types
        raise refuse(instruction)
    sum_, a_type, b_type, added = said[5:]
    shape = _SHAPES.get((said[2], "s8" if a_type == "u8" else a_type))
    kinds, sums = _OPERANDS.get((a_type, b_type)), _SUMS.get((sum_, added))
    whole, double = a_type in {"s8", "u8"}, a_type == "f64"
    saturated = "satfinite" in instruction.opcode
    if shape is None or kinds is None or sums is None or (saturated and not whole):
        raise refuse(instruction)
    if whole != (sum_ == "s32") or double != (sum_ == "f64") or (a_type in {"bf16", "tf32"} and sums != 0):
        raise refuse(instruction)
    d, a, b, c = operands(instruction, 4)
    small = said[2].startswith("m8")
    counts = {"f32": 4, "f16": 2, "s32": 2 if small else 4, "f64": 2}
    kind = {"f16": "b32", "s32": "b32"}
    a_words = _words(registers, parts_of(a, shape.a), shape.kind)
    b_words = [registers.read(one, shape.kind) for one in parts_of(b, shape.b)]
    c_words = _words(registers, parts_of(c, counts[added]), kind.get(added, added))
    b_words += ["0ull"] * (2 - len(b_words))
    sums = _SATURATED if saturated else sums
    kept = f"{registers.variable()}w"
    given = f"{shape.number}, {kinds}, {sums}, {a_words}, {', '.join(b_words)}, {c_words}"
    code = [f"const uint4 {kept} = {KIT}multiply_matrices({given});"]
    results = [f"{kept}.{letter}" for letter in _LETTERS]
    if double:
        pairs = (results[:2], results[2:])
        results = [f"({low} | static_cast<unsigned long long>({high}) << 32)" for low, high in pairs]
    return code + [
        registers.write(part, kind.get(sum_, sum_), result)
        for part, result in zip(parts_of(d, counts[sum_]), results, strict=False)
    ]


def _words(registers: Registers, parts: Sequence[Operand], kind: str) -> str:
    """Four words as a uint4, of operands of one or two words."""
    values = [registers.read(one, kind) for one in parts]
    if kind == "f64":
        values = [half for value in values for half in (f"{value} & 0xffffffffull", f"{value} >> 32")]
    values += ["0ull"] * (4 - len(values))
    return f"uint4{{{', '.join(f'static_cast<unsigned>({value})' for value in values)}}}"
