"""Video instructions of PTX for all bytes or halves of words at once, as calls of the kit's function. Those of one number are not
understood.

What each of them computes is in kit/simt/device_impl/arithmetic_functions.cpp.
"""

from __future__ import annotations

import re

from grader.engines.ptx.ptx_reader import Instruction, Operand, Part
from grader.engines.ptx.ptx_registers import KIT, Emit, Registers, operands, refuse, truth

_OPERATIONS = {"vadd": 0, "vsub": 1, "vabsdiff": 2, "vmin": 3, "vmax": 4, "vavrg": 5}
_COMPARISONS = {"eq": 10, "ne": 11, "lt": 12, "le": 13, "gt": 14, "ge": 15}
_TYPES = ("u32", "s32")
_A_SIGNED, _B_SIGNED, _SIGNED, _SATURATES = 1, 2, 4, 8  # as the kit's functions know them


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


VIDEO: dict[str, Emit] = {
    f"{name}{lanes}": _lanes
    for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
    for lanes in (2, 4)
}
