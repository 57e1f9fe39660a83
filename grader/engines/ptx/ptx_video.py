"""Video instructions of PTX as calls of the kit's functions: bytes and halves of words, one at a time or all lanes of a word at once, with
what is done with the result afterwards.

What each of them computes is in kit/simt/device_impl/video_operations.hpp.
"""

from __future__ import annotations

import re

from grader.engines.ptx.ptx_reader import Instruction, Negative, Operand, Part
from grader.engines.ptx.ptx_registers import KIT, Emit, Registers, operands, refuse, truth

_OPERATIONS = {"vadd": 0, "vsub": 1, "vabsdiff": 2, "vmin": 3, "vmax": 4, "vavrg": 5, "vshl": 6, "vshr": 7}
_COMPARISONS = {"eq": 10, "ne": 11, "lt": 12, "le": 13, "gt": 14, "ge": 15}
_SECOND = {"add": 1, "min": 2, "max": 3}
_PARTS = {"": 0, "b0": 1, "b1": 2, "b2": 3, "b3": 4, "h0": 5, "h1": 6}
_TYPES = ("u32", "s32")
_SHIFTS = {"shr7": 7, "shr15": 15}
_A_SIGNED, _B_SIGNED, _SIGNED, _SATURATES, _WRAPS = 1, 2, 4, 8, 16  # as the kit's functions know them


def _types(instruction: Instruction, words: list[str], count: int) -> list[str]:
    if len(words) < count or any(one not in _TYPES for one in words[:count]):
        raise refuse(instruction)
    return words[:count]


def _signs(result: str, a: str, b: str) -> int:
    return (a == "s32") * _A_SIGNED | (b == "s32") * _B_SIGNED | (result == "s32") * _SIGNED


def _taken(words: list[str], *allowed: str) -> str:
    """The next word if it is one of these, and takes it away."""
    return words.pop(0) if words and words[0] in allowed else ""


def _part(operand: Operand) -> tuple[Operand, str]:
    return (operand.of, operand.which) if isinstance(operand, Part) else (operand, "")


def _selected(instruction: Instruction, operand: Operand) -> tuple[Operand, int]:
    whole, which = _part(operand)
    if which not in _PARTS:
        raise refuse(instruction)
    return whole, _PARTS[which]


def _scalar(instruction: Instruction, registers: Registers) -> list[str]:
    name, *words = instruction.opcode
    flags = 0
    if name == "vset":
        a_type, b_type = _types(instruction, words, 2)
        words = words[2:]
        relation = _taken(words, *_COMPARISONS)
        if not relation:
            raise refuse(instruction)
        operation, flags = _COMPARISONS[relation], _signs("u32", a_type, b_type)
    else:
        result, a_type, b_type = _types(instruction, words, 3)
        words = words[3:]
        operation, flags = _OPERATIONS[name], _signs(result, a_type, b_type)
        flags |= _SATURATES if _taken(words, "sat") else 0
        if name in {"vshl", "vshr"}:
            mode = _taken(words, "clamp", "wrap")
            if b_type != "u32" or not mode:
                raise refuse(instruction)
            flags |= _WRAPS if mode == "wrap" else 0
    second = _SECOND.get(_taken(words, *_SECOND), 0)
    if words:
        raise refuse(instruction)
    target, *given = operands(instruction, 3, 4)
    target, into = _selected(instruction, target)
    if bool(second) + bool(into) != len(given) - 2:  # a third operand is there for one of the two
        raise refuse(instruction)
    (a, a_part), (b, b_part) = (_selected(instruction, one) for one in given[:2])
    c = registers.read(given[2], "b32") if given[2:] else "0ull"
    parts = f"{a_part}, {b_part}, {into}"
    value = f"{KIT}video({operation}, {flags}, {parts}, {second}, {registers.read(a, 'b32')}, {registers.read(b, 'b32')}, {c})"
    return [registers.write(target, "b32", value)]


def _lanes(instruction: Instruction, registers: Registers) -> list[str]:
    name, *words = instruction.opcode
    lanes = int(name[-1])
    letter = "h" if lanes == 2 else "b"  # noqa: PLR2004 -- halves of a word
    if name[:-1] == "vset":
        a_type, b_type = _types(instruction, words, 2)
        words = words[2:]
        relation = _taken(words, *_COMPARISONS)
        if not relation:
            raise refuse(instruction)
        operation, flags = _COMPARISONS[relation], _signs("u32", a_type, b_type)
    else:
        result, a_type, b_type = _types(instruction, words, 3)
        words = words[3:]
        operation, flags = _OPERATIONS[name[:-1]], _signs(result, a_type, b_type)
        flags |= _SATURATES if _taken(words, "sat") else 0
    adds = bool(_taken(words, "add"))
    if words or (adds and flags & _SATURATES):
        raise refuse(instruction)
    target, a, b, c = operands(instruction, 4)
    (target, mask), (a, a_lanes), (b, b_lanes) = _part(target), _part(a), _part(b)
    all_lanes = "".join(map(str, reversed(range(lanes))))
    chosen = _numbers(instruction, mask or letter + all_lanes, letter, lanes)
    if chosen != sorted(set(chosen), reverse=True):
        raise refuse(instruction)
    of_b = "".join(str(lanes + at) for at in reversed(range(lanes)))
    selectors = [
        _selector(instruction, said or letter + usual, letter, lanes)
        for said, usual in ((a_lanes, all_lanes), (b_lanes, of_b))
    ]
    bits = sum(1 << at for at in chosen)
    given = ", ".join(registers.read(one, "b32") for one in (a, b, c))
    value = f"{KIT}video_lanes({lanes}, {operation}, {flags}, {bits}, {truth(adds)}, {selectors[0]:#x}, {selectors[1]:#x}, {given})"
    return [registers.write(target, "b32", value)]


def _numbers(instruction: Instruction, said: str, letter: str, most: int) -> list[int]:
    """The digits behind the letter, each below `most`."""
    if not re.fullmatch(rf"{letter}[0-{most - 1}]{{1,{most}}}", said):
        raise refuse(instruction)
    return [int(one) for one in said[1:]]


def _selector(instruction: Instruction, said: str, letter: str, lanes: int) -> int:
    """Four bits for each lane: a part of {b, a}, the lowest lane in the lowest bits."""
    if not re.fullmatch(rf"{letter}[0-{2 * lanes - 1}]{{{lanes}}}", said):
        raise refuse(instruction)
    return int(said[1:], 16)


def _multiply_add(instruction: Instruction, registers: Registers) -> list[str]:
    result, a_type, b_type = _types(instruction, list(instruction.opcode[1:]), 3)
    words = list(instruction.opcode[4:])
    plus_one = bool(_taken(words, "po"))
    flags = _signs(result, a_type, b_type) | (_SATURATES if _taken(words, "sat") else 0)
    shift = _SHIFTS.get(_taken(words, *_SHIFTS), 0)
    target, *given = operands(instruction, 4)
    negated = [isinstance(one, Negative) for one in given]
    (a, a_part), (b, b_part), (c, c_part) = (
        _selected(instruction, one.of if isinstance(one, Negative) else one) for one in given
    )
    product, sum_ = negated[0] != negated[1], negated[2]
    # Either the product or c may be negated, and neither in .po mode.
    if words or c_part or (product and sum_) or (plus_one and any(negated)):
        raise refuse(instruction)
    read = ", ".join(registers.read(one, "b32") for one in (a, b, c))
    how = f"{flags}, {a_part}, {b_part}, {shift}, {truth(plus_one)}, {truth(product)}, {truth(sum_)}"
    return [registers.write(target, "b32", f"{KIT}video_multiply_add({how}, {read})")]


VIDEO: dict[str, Emit] = {
    **dict.fromkeys((*(one for one in _OPERATIONS if one != "vavrg"), "vset"), _scalar),
    **{
        f"{name}{lanes}": _lanes
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
        for lanes in (2, 4)
    },
    "vmad": _multiply_add,
}
