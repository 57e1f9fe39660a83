"""Reads a launch function's text: what it gives for the grid and the block of one case, and by which expressions. Pure.

It follows declarations and assignments of whole numbers and dim3, one after the other. Where there is anything else (a condition, a
loop, a call), it knows nothing, and the numbers that came out have to speak for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.engines.causes.whole_number import UnknownValueError, whole_number
from grader.engines.student_text.student_code import Place, StudentCode

_INTEGER = r"(?:(?:static|constexpr|const|unsigned|signed|long|short|int|size_t|auto|u?int\d+_t)\s+)+"
_NUMBER = re.compile(rf"{_INTEGER}(\w+)\s*=\s*(.+)", re.DOTALL)
_DIM3 = re.compile(
    r"(?:(?:const|constexpr|auto)\s+)*(?:dim3\s+)?(\w+)\s*(?:=\s*(?:dim3\s*(?=[({])|(?=\{)))?[({](.*)[)}]", re.DOTALL
)
_CONFIG = re.compile(r"LaunchConfig\s+\w+\s*(?:\{\s*\})?")
_PART = re.compile(r"\w+\.(grid|block|shared_bytes)\s*=\s*(.+)", re.DOTALL)
_MEMBER = re.compile(r"(\w+)\.([xyz])\s*=\s*(.+)", re.DOTALL)
_RETURN = re.compile(r"return\s+(?:(?:LaunchConfig\s*)?[({](.*)[)}]|\w+)", re.DOTALL)
_MOST = 60  # lines of a launch function


@dataclass(frozen=True)
class Extent:
    """A dim3 as it is written: its three expressions, and what they give."""

    name: str
    place: Place  # where it is written
    terms: tuple[str, ...]
    numbers: tuple[int, ...]


@dataclass
class LaunchText:
    """`values`: names of this function and their values in the case."""

    name: str
    head: Place
    last: Place  # its last `return`, or its head
    values: dict[str, int] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)  # of these names, as they are written
    extents: dict[str, Extent] = field(default_factory=dict)
    returned: tuple[str, ...] = ()  # the members of what it returns, as they are written
    grid: Extent | None = None
    block: Extent | None = None


def launch_text(code: StudentCode, name: str, sizes: Sequence[int]) -> LaunchText | None:
    """None where the file has no such function. `sizes`: the values of its parameters in one case."""
    head = _head(code, name)
    if head is None:
        return None
    text, starts = _joined(code, head)
    opening = text.find("{")
    found = LaunchText(name, head, _last_return(text, starts) or head)
    names = re.findall(r"(\w+)\s*(?=[,)])", text[text.find("(", head.end) : opening])
    found.values |= constants(code, head.line)
    found.values |= dict(zip(names, sizes, strict=False)) if len(names) == len(sizes) else {}
    at = opening + 1
    for statement in re.finditer(r"[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*;", text[at:]):
        start = at + statement.start() + len(statement[0]) - len(statement[0].lstrip())
        if not _follow(found, statement[0].strip().rstrip(";").strip(), _place(starts, start)):
            break
    if (
        not found.returned
        and (last := re.findall(r"\breturn\b[^;]*", text))
        and (match := _RETURN.fullmatch(last[-1].strip()))
    ):
        found.returned = tuple(part.strip() for part in _split(match[1] or ""))
    return found


def _head(code: StudentCode, name: str) -> Place | None:
    for number, bare in enumerate(code.bare, 1):
        match = re.search(rf"\bLaunchConfig\s+({re.escape(name)})\s*\(", bare)
        if match:
            return Place(number, *match.span(1))
    return None


def _joined(code: StudentCode, head: Place) -> tuple[str, list[tuple[int, int]]]:
    """The text from the head's line to the end of the function, and where each of its lines starts in it."""
    text, starts, depth = "", [], 0
    for number in range(head.line, min(head.line + _MOST, len(code.bare)) + 1):
        bare = code.line(number)
        starts.append((len(text), number))
        text += bare + "\n"
        depth += bare.count("{") - bare.count("}")
        if depth == 0 and "{" in text:
            break
    return text, starts


def _last_return(text: str, starts: Sequence[tuple[int, int]]) -> Place | None:
    found = list(re.finditer(r"\breturn\b[^;]*", text))
    if not found:
        return None
    place = _place(starts, found[-1].start())
    return _span(place, found[-1][0])


def _place(starts: Sequence[tuple[int, int]], at: int) -> Place:
    start, number = max((one for one in starts if one[0] <= at), default=(0, 1))
    return Place(number, at - start, at - start)


def constants(code: StudentCode, before: int) -> dict[str, int]:
    values: dict[str, int] = {}
    for number, bare in enumerate(code.bare[: before - 1], 1):
        match = re.match(r"\s*#\s*define\s+(\w+)\s+(.*\S)", bare) or re.match(
            rf"\s*(?:static\s+|__device__\s+)*(?:constexpr|const)\s+{_INTEGER}(\w+)\s*=\s*([^;]*);", bare
        )
        if match and number < before:
            try:
                values[match[1]] = whole_number(match[2], values)
            except UnknownValueError:
                values.pop(match[1], None)
    return values


def _follow(found: LaunchText, statement: str, place: Place) -> bool:
    """Whether the statement was understood, and the next one may be read."""
    if returned := _RETURN.fullmatch(statement):
        _return(found, returned[1] or "", place, statement)
        return False
    try:
        return _CONFIG.fullmatch(statement) is not None or _sets(found, statement, place)
    except UnknownValueError:
        return False


def _sets(found: LaunchText, statement: str, place: Place) -> bool:
    """Whether it gives a value to a number, to a dim3, or to a part of either."""
    extent = _DIM3.fullmatch(statement)
    if number := _NUMBER.fullmatch(statement):
        found.values[number[1]] = whole_number(number[2], found.values)
        found.expressions[number[1]] = number[2]
    elif part := _PART.fullmatch(statement):
        if part[1] != "shared_bytes":
            setattr(found, part[1], _returned(found, part[2].strip(), _span(place, statement)))
    elif member := _MEMBER.fullmatch(statement):
        return _set_member(found, member, place)
    elif extent and "dim3" in statement:
        found.extents[extent[1]] = _extent(found, extent[1], extent[2], _span(place, statement))
        _know(found, found.extents[extent[1]])
    else:
        return False
    return True


def _span(place: Place, statement: str) -> Place:
    return Place(place.line, place.start, place.start + len(statement.split("\n", 1)[0]))


def _extent(found: LaunchText, name: str, inner: str, place: Place) -> Extent:
    terms = tuple(part.strip() for part in _split(inner)) if inner.strip() else ()
    numbers = tuple(whole_number(term, found.values) for term in terms)
    if len(numbers) > 3:  # noqa: PLR2004 -- x, y and z
        raise UnknownValueError(inner)
    return Extent(name, place, terms, (*numbers, 1, 1, 1)[:3])


def _set_member(found: LaunchText, member: re.Match[str], place: Place) -> bool:
    name, part, term = member.groups()
    known = found.extents.get(name)
    if known is None:
        return False
    at = "xyz".index(part)
    numbers, terms = list(known.numbers), [*known.terms, "1", "1", "1"][:3]
    numbers[at], terms[at] = whole_number(term, found.values), term.strip()
    found.extents[name] = Extent(name, place, tuple(terms), tuple(numbers))
    _know(found, found.extents[name])
    return True


def _know(found: LaunchText, extent: Extent) -> None:
    found.values |= {f"{extent.name}.{part}": number for part, number in zip("xyz", extent.numbers, strict=True)}


def _return(found: LaunchText, inner: str, place: Place, statement: str) -> None:
    found.last = _span(place, statement)
    if found.grid or found.block:  # of a LaunchConfig with a name
        return
    found.returned = tuple(part.strip() for part in _split(inner))
    extents = [_returned(found, part, _span(place, statement)) for part in found.returned[:2]]
    found.grid, found.block = (*extents, None, None)[:2]


def _returned(found: LaunchText, part: str, place: Place) -> Extent | None:
    written = re.fullmatch(r"(?:dim3\s*)?[({](.*)[)}]", part, re.DOTALL)
    try:
        if part in found.extents:
            return found.extents[part]
        return _extent(found, "", written[1] if written and not part.startswith("(") else part, place)
    except UnknownValueError:
        return None


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]
