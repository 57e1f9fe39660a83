"""Barriers, shuffles, votes and matrices of PTX as calls of the kit's functions."""

from __future__ import annotations

from grader.engines.inline_ptx.ptx_matrices import load_matrices, multiply_matrices, store_matrices
from grader.engines.inline_ptx.ptx_operands import Emit, operands, refuse
from grader.engines.inline_ptx.ptx_registers import KIT, Registers
from grader.engines.inline_ptx.ptx_syntax import Both, Instruction, Number, Operand

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
    "stmatrix": store_matrices,
    "mma": multiply_matrices,
}
