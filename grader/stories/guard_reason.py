"""Why a thread does not reach a line: the conditions around it in the source, with the numbers of one thread put in. Pure.

It reads plain integer arithmetic and nothing else. What it does not understand, and what the run contradicts, it does not tell.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.step_page.story import Index3

_COMMENT = re.compile(r"//.*|/\*.*?\*/")
_IF = re.compile(r"\bif\s*\(")
_TYPE = r"(?:\b(?:const|constexpr|static|unsigned|signed|bool|int|long|short|auto|size_t|u?int(?:32|64)_t)\b\s*)+"
_DECLARED = re.compile(rf"{_TYPE}((?:\w+\s*=[^;=][^;]*?)(?:,\s*\w+\s*=[^;=][^;]*?)*);")
_DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)\s+(.+)$")
_CHANGED = r"(?<![\w.]){0}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{0}\b|\b{0}\s*(?:\+\+|--)"
_LONGEST = 200  # characters of an expression; a submission may hold any
_LARGEST = 1 << 40
_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Place:
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


def guard_reason(source: Sequence[str], line: int, missing: Place, writer: Place) -> GuardReason | None:
    """The first condition that keeps `missing` from the statement in `line` and lets `writer` through."""
    for at, condition, leaves in _conditions(source, line):
        here, there = (_truth(condition, _numbers(source, at, one)) for one in (missing, writer))
        if here is None or there is None or here == there or here != leaves:
            continue
        numbers = _numbers(source, at, missing)
        named = tuple((name, numbers[name]) for name in _names(condition) if name in numbers)
        return GuardReason(at, condition, named, leaves)
    return None


def _conditions(source: Sequence[str], line: int) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether it ends the thread: those before `line` that decide whether a thread gets there."""
    if not 1 <= line <= len(source):
        return
    code = [_COMMENT.sub("", one) for one in source[:line]]
    depth = _depth(code)
    for at in range(len(code), 0, -1):
        text = code[at - 1]
        before = _depth(code[: at - 1])
        if at < line and text.startswith("}"):
            return  # the function before
        depth = min(depth, before + 1)
        for found in _IF.finditer(text):
            condition, rest = _in_parentheses(text, found.end())
            if condition is None:
                continue
            if re.match(r"\s*\{?\s*return\b", rest) or (at < len(code) and not rest.strip(" {") and _returns(code, at)):
                if at < line:
                    yield at, condition, True
            elif (at == line and rest.strip()) or _holds(code, at, rest, before):
                yield at, condition, False


def _returns(code: Sequence[str], at: int) -> bool:
    return re.match(r"\s*return\b", code[at]) is not None


def _holds(code: Sequence[str], at: int, rest: str, before: int) -> bool:
    """Whether the last line of `code` belongs to the statement of an `if` in line `at`."""
    if at == len(code):
        return False
    if rest.strip().startswith("{"):
        return all(_depth(code[:end]) > before for end in range(at, len(code)))
    return not rest.strip() and at == len(code) - 1


def _depth(code: Sequence[str]) -> int:
    return sum(one.count("{") - one.count("}") for one in code)


def _in_parentheses(text: str, start: int) -> tuple[str | None, str]:
    """What stands between them, and what follows; None where they do not close in this line."""
    open_ = 1
    for at in range(start, len(text)):
        open_ += {"(": 1, ")": -1}.get(text[at], 0)
        if open_ == 0:
            return text[start:at].strip(), text[at + 1 :]
    return None, ""


def _numbers(source: Sequence[str], line: int, place: Place) -> dict[str, int]:
    """Names that hold one number from their declaration on, before `line`."""
    found = dict(place.sizes)
    for name, index in (
        ("threadIdx", place.thread),
        ("blockIdx", place.at),
        ("blockDim", place.block),
        ("gridDim", place.grid),
    ):
        found |= {f"{name}.{axis}": value for axis, value in zip("xyz", index, strict=True)}
    whole = "\n".join(_COMMENT.sub("", one) for one in source)
    for text in source[:line]:
        plain = _COMMENT.sub("", text)
        if defined := _DEFINED.match(plain):
            _declare(found, defined[1], defined[2])
        for declared in _DECLARED.finditer(plain):
            for one in re.split(r",(?![^()]*\))", declared[1]):
                name, _, value = one.partition("=")
                _declare(found, name.strip(), value)
    return {name: value for name, value in found.items() if "." in name or not _changes(whole, name)}


def _declare(found: dict[str, int], name: str, text: str) -> None:
    value = _value(text, found)
    if value is None:
        found.pop(name, None)
    else:
        found[name] = value


def _changes(text: str, name: str) -> bool:
    """Whether it is set more than once: its declaration is one time."""
    return len(re.findall(_CHANGED.format(re.escape(name)), text)) > 1


def _names(condition: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?:\.[xyz]\b)?", condition)))


def _truth(condition: str, numbers: Numbers) -> bool | None:
    value = _value(condition, numbers)
    return None if value is None else bool(value)


def _value(text: str, numbers: Numbers) -> int | None:
    text = text.strip()
    if len(text) > _LONGEST or re.search(r"[^\w\s.+\-*/%<>=!&|(),]|!(?![=(])|\*\*|//|<<|>>", text):
        return None
    python = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
    if "&" in python or "|" in python:
        return None
    python = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", re.sub(r"!(?!=)", " not ", python))
    try:
        return _of(ast.parse(python.strip(), mode="eval").body, numbers)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _of(node: ast.expr, numbers: Numbers) -> int:  # noqa: PLR0911 -- one for each kind of expression
    """Raises KeyError for a name that is not known, and ValueError for what is no plain arithmetic of whole numbers."""
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name):
            return numbers[name]
        case ast.Attribute(value=ast.Name(id=name), attr=axis):
            return numbers[f"{name}.{axis}"]
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_of(one, numbers) for one in values))
        case ast.BoolOp(values=values):
            return int(any(_of(one, numbers) for one in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return int(not _of(operand, numbers))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_of(operand, numbers)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            return int(_COMPARED[type(op)](_of(left, numbers), _of(right, numbers)))
        case ast.BinOp(left=left, op=arithmetic, right=right) if type(arithmetic) in _BINARY:
            return _arithmetic(_BINARY[type(arithmetic)], _of(left, numbers), _of(right, numbers))
    message = "no plain arithmetic"
    raise ValueError(message)


def _arithmetic(does: Callable[[int, int], int], one: int, other: int) -> int:
    rounds = does in {operator.floordiv, operator.mod}
    result = does(one, other) if not rounds or min(one, other) >= 0 else None  # C rounds towards zero
    if result is None or abs(result) > _LARGEST:
        message = "not a number that an int holds, or one that C rounds differently"
        raise ValueError(message)
    return result
