"""Barriers, shuffles, votes and matrices of PTX as calls of the kit's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.ptx.ptx_memory import shared_address
from grader.engines.ptx.ptx_reader import Both, Instruction, Number, Operand
from grader.engines.ptx.ptx_registers import KIT, Emit, Registers, operands, parts_of, refuse, truth

# `ldmatrix` and `mma.sync` of PTX as calls of the kit's functions.


@dataclass(frozen=True)
class _Shape:
    """How many registers a lane gives. `number`: of ptx_matrices.cpp."""

    number: int
    a: int
    b: int


# By shape and by the types of a and b.
_SHAPES = {
    ("m16n8k8", "f16"): _Shape(0, 2, 1),
    ("m16n8k16", "f16"): _Shape(1, 4, 2),
    ("m16n8k8", "bf16"): _Shape(0, 2, 1),
    ("m16n8k16", "bf16"): _Shape(1, 4, 2),
    ("m16n8k4", "tf32"): _Shape(2, 2, 1),
    ("m16n8k8", "tf32"): _Shape(0, 4, 2),
}
_OPERANDS = {"f16": 0, "bf16": 1, "tf32": 2}
_SUMS = {("f32", "f32"): 0, ("f16", "f16"): 1, ("f16", "f32"): 2, ("f32", "f16"): 3}
_WORDS_OF_SUM = {"f32": 4, "f16": 2}
_LETTERS = "xyzw"


def _moved(instruction: Instruction) -> tuple[int, bool]:
    """How many matrices are loaded, and whether they are transposed."""
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


def multiply_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[1:]
    if said[:2] != ("sync", "aligned") or said[3:5] != ("row", "col") or len(said) != 9:  # noqa: PLR2004 -- and four types
        raise refuse(instruction)
    sum_, left, right, added = said[5:]
    shape, sums = _SHAPES.get((said[2], left)), _SUMS.get((sum_, added))
    if shape is None or sums is None or left != right or (left != "f16" and sums != 0):
        raise refuse(instruction)
    d, a, b, c = operands(instruction, 4)
    kinds = {"f16": "b32", "f32": "f32"}
    a_words = _words(registers, parts_of(a, shape.a), "b32")
    b_words = [registers.read(one, "b32") for one in parts_of(b, shape.b)]
    b_words += ["0ull"] * (2 - len(b_words))
    c_words = _words(registers, parts_of(c, _WORDS_OF_SUM[added]), kinds[added])
    kept = f"{registers.variable()}w"
    given = f"{shape.number}, {_OPERANDS[left]}, {sums}, {a_words}, {', '.join(b_words)}, {c_words}"
    code = [f"const uint4 {kept} = {KIT}multiply_matrices({given});"]
    return code + [
        registers.write(part, kinds[sum_], f"{kept}.{letter}")
        for part, letter in zip(parts_of(d, _WORDS_OF_SUM[sum_]), _LETTERS, strict=False)
    ]


def _words(registers: Registers, parts: Sequence[Operand], kind: str) -> str:
    """Up to four words as a uint4."""
    values = [registers.read(one, kind) for one in parts]
    values += ["0ull"] * (4 - len(values))
    return f"uint4{{{', '.join(f'static_cast<unsigned>({value})' for value in values)}}}"


_SHUFFLES = {"up": 0, "down": 1, "bfly": 2, "idx": 3}
_VOTES = {"all": 0, "any": 1, "uni": 2}
_REDUCTIONS = {
    "add.s32": 0, "add.u32": 0, "min.s32": 1, "max.s32": 2, "min.u32": 3, "max.u32": 4, "and.b32": 5, "or.b32": 6,
    "xor.b32": 7,
}  # fmt: skip


def of_the_warp(instruction: Instruction, registers: Registers) -> list[str] | None:
    """The statements for this instruction, or None where it is none of a warp or a block."""
    emit = _TABLE.get(instruction.opcode[0])
    return emit(instruction, registers) if emit else None


def _barrier(instruction: Instruction, registers: Registers) -> list[str]:
    said = tuple(one for one in instruction.opcode[1:] if one not in {"cta", "aligned"})
    if said == ("warp", "sync"):
        (mask,) = operands(instruction, 1)
        return [f"{KIT}sync_warp({registers.read(mask, 'b32')});"]
    if said == ("sync",):
        (number,) = operands(instruction, 1)  # with a count of threads, it is another barrier
        return [_number_0(instruction, number), f"{KIT}barrier();"]
    kinds = {("red", "popc", "u32"): 0, ("red", "and", "pred"): 1, ("red", "or", "pred"): 2}
    if said not in kinds:
        raise refuse(instruction)
    target, number, given = operands(instruction, 3)
    value = f"{KIT}barrier_reduction({kinds[said]}, {registers.predicate(given)} ? 1ull : 0ull)"
    code = registers.write(target, "b32" if said[1] == "popc" else "pred", value)
    return [_number_0(instruction, number), code]


def _number_0(instruction: Instruction, number: Operand) -> str:
    """Of the sixteen barriers of a block, only that of __syncthreads() is known here."""
    if not isinstance(number, Number) or number != Number(0):
        raise refuse(instruction)
    return ""


def _shuffle(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[1:]
    if len(said) != 3 or said[0] != "sync" or said[1] not in _SHUFFLES or said[2] != "b32":  # noqa: PLR2004
        raise refuse(instruction)
    target, *given = operands(instruction, 5)
    value, lane, clamp, mask = (registers.read(one, "b32") for one in given)
    kept = registers.variable()
    code = [f"{kept} = {KIT}shuffle({_SHUFFLES[said[1]]}, {value}, {lane}, {clamp}, {mask});"]
    first = target.first if isinstance(target, Both) else target
    code.append(registers.write(first, "b32", f"{kept} & 0xffffffffull"))
    if isinstance(target, Both):
        code.append(registers.write(target.second, "pred", f"{kept} >> 32"))
    return code


def _vote(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[1:]
    if len(said) != 3 or said[0] != "sync":  # noqa: PLR2004 -- mode and type
        raise refuse(instruction)
    target, given, mask = operands(instruction, 3)
    asked = f"{registers.predicate(given)} ? 1ull : 0ull, {registers.read(mask, 'b32')}"
    if said[1:] == ("ballot", "b32"):
        return [registers.write(target, "b32", f"{KIT}vote(3, {asked})")]
    if said[1] not in _VOTES or said[2] != "pred":
        raise refuse(instruction)
    return [registers.write(target, "pred", f"{KIT}vote({_VOTES[said[1]]}, {asked})")]


def _active_mask(instruction: Instruction, registers: Registers) -> list[str]:
    if instruction.opcode[1:] != ("b32",):
        raise refuse(instruction)
    (target,) = operands(instruction, 1)
    return [registers.write(target, "b32", f"{KIT}active_mask()")]


def _match(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[1:]
    if len(said) != 3 or said[0] not in {"any", "all"} or said[1] != "sync" or said[2] not in {"b32", "b64"}:  # noqa: PLR2004
        raise refuse(instruction)
    target, given, mask = operands(instruction, 3)
    wide = "true" if said[2] == "b64" else "false"
    call = f"{KIT}match_{said[0]}({registers.read(given, said[2])}, {registers.read(mask, 'b32')}, {wide})"
    if not isinstance(target, Both):
        return [registers.write(target, "b32", call)]
    if said[0] == "any":
        raise refuse(instruction)
    kept = registers.variable()
    return [
        f"{kept} = {call};",
        registers.write(target.first, "b32", kept),
        registers.write(target.second, "pred", f"{kept} != 0 ? 1ull : 0ull"),
    ]


def _reduce(instruction: Instruction, registers: Registers) -> list[str]:
    operation = ".".join(instruction.opcode[2:])
    if instruction.opcode[1:2] != ("sync",) or operation not in _REDUCTIONS:
        raise refuse(instruction)
    target, given, mask = operands(instruction, 3)
    values = f"{registers.read(given, 'b32')}, {registers.read(mask, 'b32')}"
    return [registers.write(target, "b32", f"{KIT}reduce({_REDUCTIONS[operation]}, {values})")]


def _sleep(instruction: Instruction, registers: Registers) -> list[str]:
    if instruction.opcode[1:] != ("u32",):
        raise refuse(instruction)
    (time,) = operands(instruction, 1)
    return [f"::__nanosleep(static_cast<unsigned>({registers.read(time, 'b32')}));"]


def _trap(instruction: Instruction, registers: Registers) -> list[str]:
    del registers
    operands(instruction, 0)
    if len(instruction.opcode) != 1:
        raise refuse(instruction)
    return ["::__trap();"]


_TABLE: dict[str, Emit] = {
    "bar": _barrier,
    "barrier": _barrier,
    "shfl": _shuffle,
    "vote": _vote,
    "activemask": _active_mask,
    "match": _match,
    "redux": _reduce,
    "nanosleep": _sleep,
    "trap": _trap,
    "ldmatrix": load_matrices,
    "mma": multiply_matrices,
}
