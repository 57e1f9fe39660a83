"""How long a kernel's buffers have to be, and which grid covers them, as far as its own index arithmetic says it: for a proposed launch.

Reads words and runs nothing. What is unknown is None, and nobody relies on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.run.kernels.own_launches import Extent3, constants_of
from grader.source.arithmetic import UnknownValueError, evaluate
from grader.source.lexer import closing_bracket, parts_between, without_comments

_GUARD = re.compile(r"(?:[(;&|,])\s*([A-Za-z_]\w*)\s*(<=?|>=?)(?![<>])\s*")
_BOUND_ENDS = re.compile(r"&&|\|\||[;?{}]")
_TILE = r"blockIdx\.{0}\s*\*\s*(\w+)\s*\+\s*threadIdx\.{0}|threadIdx\.{0}\s*\+\s*blockIdx\.{0}\s*\*\s*(\w+)"
_MOST_DEPTH = 12  # of variables that are set to others


@dataclass(frozen=True)
class KernelIndices:
    """`text`: the kernel's definition. `constants`: what each constant of its file stands for."""

    text: str
    constants: Mapping[str, str]

    @cached_property
    def body(self) -> str:
        return without_comments(self.text[self.text.find("{") :])

    def block(self, usual: Extent3) -> Extent3:
        """As `blockIdx.x * TILE + threadIdx.x` says it, where TILE is a constant."""
        sides = list(usual)
        for number, axis in enumerate("xyz"):
            if found := re.search(_TILE.format(axis), self.text):
                value = _value(found[1] or found[2], self.constants, {})
                sides[number] = value if value and 0 < value <= usual[number] * 4 else usual[number]
        x, y, z = sides
        return (x, y, z) if x * y * z <= 1024 else usual  # noqa: PLR2004 -- CUDA's limit

    def grid(self, side: int, block: Extent3) -> Extent3:
        """That many elements along each axis of which the kernel asks for the block."""
        x, y, z = (
            -(-side // own) if f"blockIdx.{axis}" in self.text else 1 for axis, own in zip("xyz", block, strict=True)
        )
        return x, y, z

    def extents(
        self, buffers: Sequence[str], numbers: Mapping[str, int], grid: Extent3, block: Extent3
    ) -> dict[str, int | None]:
        """The elements of each buffer up to the last that a subscript reaches. `numbers`: the values of parameters."""
        known = dict(numbers)
        for axis, blocks, threads in zip("xyz", grid, block, strict=True):
            known |= {f"blockIdx.{axis}": blocks - 1, f"gridDim.{axis}": blocks}
            known |= {f"threadIdx.{axis}": threads - 1, f"blockDim.{axis}": threads}
        body = self.body
        names, bounds = {**self.constants, **constants_of(body)}, _bounds(body)
        found: dict[str, int | None] = {}
        for name in buffers:
            uses = list(re.finditer(rf"(?<![.\w]){re.escape(name)}\b\s*(\[)?", body))
            ends = [closing_bracket(body, one.end() - 1) for one in uses if one[1]]
            plain = len(ends) == len(uses) and not any(body[end + 1 :].lstrip().startswith("[") for end in ends)
            starts = [one.end() for one in uses]
            tops = (
                [_value(body[at:end], names, known, bounds) for at, end in zip(starts, ends, strict=False)]
                if plain
                else [None]
            )
            whole = [one + 1 for one in tops if one is not None and one >= 0]
            found[name] = max(whole) if whole and len(whole) == len(tops) else None
        return found

    def is_read(self, buffer: str) -> bool:
        """Whether the kernel uses what the buffer holds at first. What only atomics change begins with zeros."""
        body = self.body
        for use in re.finditer(
            rf"(?P<atomic>\batomic\w+\s*\(\s*&\s*)?(?<![.\w]){re.escape(buffer)}\b\s*(?P<bracket>\[)?", body
        ):
            after = body[closing_bracket(body, use.end() - 1) + 1 :].lstrip() if use["bracket"] else ""
            if use["atomic"] is None and not re.match(r"=(?!=)", after):
                return True
        return False


def _bounds(body: str) -> dict[str, list[tuple[str, int]]]:
    """What each variable is compared with, and what to subtract for the largest value that it has then."""
    found: dict[str, list[tuple[str, int]]] = {}
    for match in _GUARD.finditer(body):
        rest = _BOUND_ENDS.split(body[match.end() :], maxsplit=1)[0]
        bound = parts_between(_inside(rest))[0]
        behind = body[match.end() + len(_inside(rest)) :]
        leaves = re.match(r"[\s)&|\w<>=.]*\)\s*\{?\s*(?:return|continue|break)\b", behind) is not None
        if match[2].startswith("<") or leaves:
            found.setdefault(match[1], []).append((bound, 1 if match[2] in {"<", ">="} else 0))
    return found


def _inside(text: str) -> str:
    """Up to a bracket that closes what began before."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth < 0:
            return text[:at]
    return text


def _value(
    expression: str,
    names: Mapping[str, str],
    known: Mapping[str, int],
    bounds: Mapping[str, Sequence[tuple[str, int]]] | None = None,
    depth: int = 0,
) -> int | None:
    """The largest one, where what grows makes it grow."""

    def top(name: str) -> int | None:
        if name in known or depth >= _MOST_DEPTH:
            return known.get(name)
        limits = [
            value - less
            for text, less in (bounds or {}).get(name, ())
            if (value := _value(text, names, known, bounds, depth + 1)) is not None
        ]
        if limits:
            return max(limits)
        return _value(names[name], names, known, bounds, depth + 1) if name in names else None

    try:
        return int(evaluate(expression, top).shown)
    except (UnknownValueError, OverflowError, ValueError):
        return None
