"""Arithmetic of floating-point numbers of PTX as calls of the kit's functions."""

from __future__ import annotations

from grader.engines.inline_ptx.ptx_operands import kind_of, modifiers, operands, refuse, truth
from grader.engines.inline_ptx.ptx_registers import KIT, Registers
from grader.engines.inline_ptx.ptx_syntax import Instruction
from grader.engines.inline_ptx.ptx_words import FLOAT_OPERATIONS, NUMBER_OF_NAN, ROUNDINGS, SATURATED

PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}
_OF_PAIRS = 32
_APPROXIMATE = frozenset({"rsqrt", "ex2", "lg2", "sin", "cos"})


def floating(instruction: Instruction, registers: Registers, kind: str) -> list[str]:
    name = instruction.opcode[0]
    if name not in FLOAT_OPERATIONS or (name == "mad" and kind not in {"f32", "f64"}):
        raise refuse(instruction)
    said = modifiers(instruction, "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN")
    single = name in {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "neg", "abs"}
    count = 2 if single else 4 if name in {"fma", "mad"} else 3
    target, *given = operands(instruction, count)
    values = [registers.read(one, kind) for one in given]
    values += ["0ull"] * (3 - len(values))
    operation = NUMBER_OF_NAN[name] if "NaN" in said and name in NUMBER_OF_NAN else FLOAT_OPERATIONS[name]
    if "NaN" in said and name not in NUMBER_OF_NAN:
        raise refuse(instruction)
    roundings = [ROUNDINGS[one] for one in said if one in ROUNDINGS]
    if (
        len(roundings) > 1
        or (name in _APPROXIMATE and "approx" not in said)
        or (said & {"approx", "full"} and roundings)
    ):
        raise refuse(instruction)
    rounding, arguments = (roundings or [0])[0], ", ".join(values)
    if kind in {"f32", "f64"}:
        if kind == "f64" and said & {"ftz", "sat", "approx", "full"}:
            raise refuse(instruction)
        flush = f"{truth('ftz' in said)}, " if kind == "f32" else ""
        function = f"{KIT}{'float' if kind == 'f32' else 'double'}_operation"
        value = f"{function}({operation}, {rounding}, {flush}{arguments})"
        if "sat" in said:
            value = f"{function}({SATURATED}, 0, {flush}{value}, 0ull, 0ull)"
        return [registers.write(target, kind, value)]
    if kind == "tf32" or name not in {"add", "sub", "mul", "fma", "neg", "abs", "min", "max"} or said - {"rn", "NaN"}:
        raise refuse(instruction)
    pairs = _OF_PAIRS if kind in PAIRS else 0
    bfloat = truth(PAIRS.get(kind, kind) == "bf16")
    return [registers.write(target, kind, f"{KIT}half_operation({operation + pairs}, {bfloat}, {arguments})")]


def copysign(instruction: Instruction, registers: Registers) -> list[str]:
    return floating(instruction, registers, kind_of(instruction, "f32", "f64"))
