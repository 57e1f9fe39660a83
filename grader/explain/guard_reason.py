"""Why a thread does not reach a line: the conditions around it in the source, with the numbers of one thread put in. Pure.

It reads plain integer arithmetic and nothing else. What it does not understand, and what the run contradicts, it does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from grader.explain.story import Index3
from grader.source.arithmetic import UNSIGNED, UnknownValueError, Value, converted, evaluate, typed
from grader.source.cuda_vocabulary import BUILT_IN
from grader.source.lexer import closing_bracket, parts_between, without_comments

_IF = re.compile(r"\bif\s*\(")
_TYPE = r"((?:\b(?:const|constexpr|static|unsigned|signed|bool|int|long|short|auto|size_t|u?int(?:32|64)_t)\b\s*){1,6})"
_DECLARED = re.compile(rf"{_TYPE}(\w+\s*=(?!=)[^;]*);")
_DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)\s+(.+)$")
_CHANGED = r"(?<![\w.]){0}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{0}\b|\b{0}\s*(?:\+\+|--)"
_ASSIGNED = re.compile(r"(?<![=<>!])=(?!=)")
# A submission may hold any text: beyond these it is told nothing.
_LONGEST_LINE = 1000
_MOST_LINES = 2000
_MOST_CONDITIONS = 32
_MOST_NAMES = 200
Numbers = Mapping[str, Value]


@dataclass(frozen=True)
class LaunchThread:
    """One thread of a launch. `sizes`: what the launch's shape names, as M, N and K."""

    thread: Index3
    at: Index3  # its block
    block: Index3
    grid: Index3
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class GuardReason:
    line: int
    condition: str  # as it stands there
    numbers: tuple[tuple[str, int], ...]  # of the thread: those that the condition names
    leaves: bool  # the condition is true, and its statement ends the thread

    @property
    def words(self) -> str:
        known = [f"{name} = {value}" for name, value in self.numbers]
        listed = " and ".join(filter(None, (", ".join(known[:-1]), *known[-1:])))
        of = f" With {listed}" if listed else " It"
        holds = "is true, and it returns" if self.leaves else "is false"
        return f"Line {self.line} asks `{self.condition}`.{of}{' it' if listed else ''} {holds}."


def guard_reason(source: Sequence[str], line: int, missing: LaunchThread, writer: LaunchThread) -> GuardReason | None:
    """The first condition that keeps `missing` from the statement in `line` and lets `writer` through."""
    return _first_reason(source, islice(_conditions(source, line), _MOST_CONDITIONS), missing, writer)


def _first_reason(
    source: Sequence[str], conditions: Iterable[tuple[int, str, bool]], missing: LaunchThread, other: LaunchThread
) -> GuardReason | None:
    """`conditions`: line, text, and what it is for a thread that does not go on; the first that is so for `missing` alone."""
    if len(source) > _MOST_LINES or any(len(one) > _LONGEST_LINE for one in source):
        return None
    known, whole = _declarations(source), "\n".join(source)
    sizes = {name: value for name, value in missing.sizes.items() if not _sets(whole, name)}
    for at, condition, stops in conditions:
        numbers, others = (_numbers(known, at, replace(one, sizes=sizes)) for one in (missing, other))
        here, there = _value(condition, numbers), _value(condition, others)
        if here and there and bool(there.number) != bool(here.number) == stops:
            names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?:\.[xyz]\b)?", condition))
            named = tuple((name, numbers[name].whole) for name in names if name in numbers)
            return GuardReason(at, condition, named, leaves=stops)
    return None


def _conditions(source: Sequence[str], line: int) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether it ends the thread: those before `line` that decide whether a thread gets there."""
    if not 1 <= line <= len(source):
        return
    code = _code(source)[:line]
    braces = [one.count("{") - one.count("}") for one in code]
    depths = [0, *accumulate(braces)]  # before each line, and behind the last one
    lowest = depths[line - 1]  # from behind this line to before the last one
    for at in range(line, 0, -1):
        text = code[at - 1]
        if at < line:
            lowest = min(lowest, depths[at])
            if text.startswith("}"):
                return  # the function before
        for found in _IF.finditer(text):
            end = closing_bracket(text, found.end() - 1, "()")
            if end == len(text):  # it goes on in the next line
                continue
            condition, after = text[found.end() : end].strip(), text[end + 1 :].strip()
            returns = re.match(r"\{?\s*return\b", after) is not None
            leaves = returns or (at < line and not after.strip("{ ") and re.match(r"\s*return\b", code[at]) is not None)
            guards = lowest > depths[at - 1] if after.startswith("{") else not after and at == line - 1
            if (bool(after) and not leaves) if at == line else (leaves or guards):
                yield at, condition, leaves


def _code(source: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in without_comments("\n".join(source)).split("\n")]


_Declaration = tuple[int, str, str, str]  # line, name, value, type


def _declarations(source: Sequence[str]) -> list[_Declaration]:
    """Of names that hold one number from there on."""
    code = _code(source)
    found: list[_Declaration] = []
    for line, text in enumerate(code, 1):
        if defined := _DEFINED.match(text):
            found.append((line, defined[1], defined[2], ""))
        for declared in _DECLARED.finditer(text):
            for one in parts_between(declared[2], brackets="()"):
                name, _, value = one.partition("=")
                found.append((line, name.strip(), value, declared[1]))
    if len(found) > _MOST_NAMES:
        return []
    whole = "\n".join(code)
    return [one for one in found if _sets(whole, one[1]) <= 1]  # its declaration is one time


def _numbers(declarations: Sequence[_Declaration], line: int, place: LaunchThread) -> dict[str, Value]:
    """What `place` knows in `line`, by its name."""
    found = {name: typed(size) for name, size in place.sizes.items()}
    for name, index in zip(BUILT_IN, (place.thread, place.at, place.block, place.grid), strict=False):
        found |= {f"{name}.{axis}": Value(UNSIGNED, value) for axis, value in zip("xyz", index, strict=True)}
    for at, name, text, type_name in declarations:
        if at <= line and (value := _value(text, found, type_name)) is not None:
            found[name] = value
        elif at <= line:
            found.pop(name, None)
    return found


def _sets(text: str, name: str) -> int:
    """How often it gets a value."""
    return len(re.findall(_CHANGED.format(re.escape(name)), text))


def _value(text: str, numbers: Numbers, type_name: str = "") -> Value | None:
    try:
        return converted(evaluate(text, numbers), type_name)
    except UnknownValueError:
        return None


# Why a thread stored what it did in `tile[y][x] = inside ? in[...] : 0`: the part of the condition that is false for it.


def load_reason(
    source: Sequence[str], line: int, load_line: int, missing: LaunchThread, loader: LaunchThread
) -> GuardReason | None:
    """`line`: where `missing` stored what it did; `load_line`: where `loader` loaded."""
    text = source[line - 1] if 1 <= line <= len(source) and len(source[line - 1]) <= _LONGEST_LINE else ""
    code = text.partition("//")[0]
    condition = _bare(_ASSIGNED.split(code.partition("?")[0])[-1]) if code.count("?") == 1 else ""
    parts = map(_bare, parts_between(condition, "&&", "()"))
    reason = _first_reason(source, ((line, part, False) for part in parts), missing, loader)
    return reason or (guard_reason(source, load_line, missing, loader) if load_line != line else None)


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    text = text.strip()
    while text.startswith("(") and closing_bracket(text, 0, "()") == len(text) - 1:
        text = text[1:-1].strip()
    return text
