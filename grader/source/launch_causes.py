"""What the launch function did in one case: its line, and the arithmetic that led to a grid or a block that CUDA refuses or that is too
small. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.source.arithmetic import UNSIGNED, UnknownValueError, Value, converted, evaluate, typed
from grader.source.compiler_message import Said
from grader.source.lexer import closing_bracket, parts_between
from grader.source.student_code import Span, StudentCode

# Reads a launch function's text: what it gives for the grid and the block of one case, and by which expressions. Pure.
#
# It follows declarations and assignments of whole numbers and dim3, one after the other. Where there is anything else (a condition, a
# loop, a call), it knows nothing, and the numbers that came out have to speak for themselves.

_INTEGER = r"((?:(?:static|constexpr|const|unsigned|signed|long|short|int|size_t|auto|u?int\d+_t)\s+)+)"
_DEFINED = re.compile(r"\s*#\s*define\s+(?P<name>\w+)\s+(?P<value>.*\S)")
_CONSTANT = re.compile(
    rf"\s*(?:static\s+|__device__\s+)*(?:constexpr|const)\s+(?P<type>{_INTEGER})(?P<name>\w+)\s*=\s*(?P<value>[^;]*);"
)
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
    place: Span  # where it is written
    terms: tuple[str, ...]
    numbers: tuple[int, ...]


@dataclass
class LaunchText:
    """`values`: names of this function and their values in the case."""

    name: str
    head: Span
    last: Span  # its last `return`, or its head
    values: dict[str, Value] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)  # of these names, as they are written
    extents: dict[str, Extent] = field(default_factory=dict)
    returned: tuple[str, ...] = ()  # the members of what it returns, as they are written
    grid: Extent | None = None
    block: Extent | None = None


def launch_text(code: StudentCode, name: str, sizes: Sequence[int]) -> LaunchText | None:
    """None where the file has no such function. `sizes`: the values of its parameters in one case."""
    head = next((place for place, _ in code.found(rf"\bLaunchConfig\s+({re.escape(name)})\s*\(", 1)), None)
    if head is None:
        return None
    begin, limit = (sum(len(bare) + 1 for bare in code.bare[: head.line - 1 + more]) for more in (0, _MOST))
    opening = code.whole.find("{", begin, limit)
    if opening < 0:
        return None
    end = min(limit, closing_bracket(code.whole, opening, "{}"))
    returns = list(re.finditer(r"\breturn\b[^;]*", code.whole[:end][begin:]))
    last = code.place(*(begin + at for at in returns[-1].span())) if returns else head
    found = LaunchText(name, head, last)
    names = re.findall(r"(\w+)\s*(?=[,)])", code.whole[code.whole.find("(", begin + head.end) : opening])
    found.values |= constants(code, head.line)
    found.values |= dict(zip(names, map(typed, sizes), strict=False)) if len(names) == len(sizes) else {}
    for statement in re.finditer(r"[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*;", code.whole[:end][opening + 1 :]):
        start = opening + 1 + statement.start() + len(statement[0]) - len(statement[0].lstrip())
        words = statement[0].strip().rstrip(";").strip()
        if not _follow(found, words, code.place(start, start + len(words))):
            break
    if not found.returned and returns and (match := _RETURN.fullmatch(returns[-1][0].strip())):
        found.returned = _stripped(match[1] or "")
    return found


def constants(code: StudentCode, before: int) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for bare in code.bare[: before - 1]:
        match = _DEFINED.match(bare) or _CONSTANT.match(bare)
        if match:
            try:
                values[match["name"]] = converted(evaluate(match["value"], values), match.groupdict().get("type", ""))
            except UnknownValueError:
                values.pop(match["name"], None)
    return values


def _follow(found: LaunchText, statement: str, place: Span) -> bool:
    """Whether the statement was understood, and the next one may be read."""
    if returned := _RETURN.fullmatch(statement):
        _return(found, returned[1] or "", place)
        return False
    try:
        return _CONFIG.fullmatch(statement) is not None or _sets(found, statement, place)
    except UnknownValueError:
        return False


def _sets(found: LaunchText, statement: str, place: Span) -> bool:
    """Whether it gives a value to a number, to a dim3, or to a part of either."""
    extent = _DIM3.fullmatch(statement)
    if number := _NUMBER.fullmatch(statement):
        found.values[number[2]] = converted(evaluate(number[3], found.values), number[1])
        found.expressions[number[2]] = number[3]
    elif part := _PART.fullmatch(statement):
        if part[1] != "shared_bytes":
            setattr(found, part[1], _returned(found, part[2].strip(), place))
    elif member := _MEMBER.fullmatch(statement):
        return _set_member(found, member, place)
    elif extent and "dim3" in statement:
        _keep(found, _extent(found, extent[1], extent[2], place))
    else:
        return False
    return True


def _extent(found: LaunchText, name: str, inner: str, place: Span) -> Extent:
    terms = _stripped(inner)
    numbers = tuple(_side(term, found) for term in terms)
    if len(numbers) > 3:  # noqa: PLR2004 -- x, y and z
        raise UnknownValueError(inner)
    return Extent(name, place, terms, (*numbers, 1, 1, 1)[:3])


def _side(term: str, found: LaunchText) -> int:
    """The members of a dim3 are unsigned."""
    return converted(evaluate(term, found.values), UNSIGNED.name).whole


def _set_member(found: LaunchText, member: re.Match[str], place: Span) -> bool:
    name, part, term = member.groups()
    known = found.extents.get(name)
    if known is None:
        return False
    at = "xyz".index(part)
    numbers, terms = list(known.numbers), [*known.terms, "1", "1", "1"][:3]
    numbers[at], terms[at] = _side(term, found), term.strip()
    _keep(found, Extent(name, place, tuple(terms), tuple(numbers)))
    return True


def _keep(found: LaunchText, extent: Extent) -> None:
    found.extents[extent.name] = extent
    parts = zip("xyz", extent.numbers, strict=True)
    found.values |= {f"{extent.name}.{part}": Value(UNSIGNED, number) for part, number in parts}


def _return(found: LaunchText, inner: str, place: Span) -> None:
    found.last = place
    if found.grid or found.block:  # of a LaunchConfig with a name
        return
    found.returned = _stripped(inner)
    extents = [_returned(found, part, place) for part in found.returned[:2]]
    found.grid, found.block = (*extents, None, None)[:2]


def _returned(found: LaunchText, part: str, place: Span) -> Extent | None:
    written = re.fullmatch(r"(?:dim3\s*)?[({](.*)[)}]", part, re.DOTALL)
    try:
        if part in found.extents:
            return found.extents[part]
        return _extent(found, "", written[1] if written and not part.startswith("(") else part, place)
    except UnknownValueError:
        return None


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in parts_between(text) if part.strip())


_Three = tuple[int, int, int]
_MOST_THREADS, _MOST_DEEP = 1024, 64
# How the two are called: `block`, `threads`, `threadsPerBlock`; `grid`, `blocks`, `numBlocks`.
_OF_BLOCK = re.compile(r"block(?!s|_?per|_?count)|thread|tpb", re.IGNORECASE)
_OF_GRID = re.compile(r"grid|blocks|block_?count", re.IGNORECASE)
_MOST_BLOCKS = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True)
class Started:
    """One launch as it was asked for: the sizes that the function was given, and the numbers that came out."""

    sizes: tuple[int, ...]
    grid: _Three
    block: _Three
    shared_bytes: int = 0
    output: tuple[int, int] | None = None  # rows and columns of an output with elements that nobody wrote
    unwritten: int = 0


def launch_causes(code: StudentCode, name: str, launch: Started) -> Iterator[Said]:
    """`name` is the launch function's. Says nothing of a launch that CUDA accepts and that has threads for all elements."""
    text = launch_text(code, name, launch.sizes)
    if text is None or text.last == text.head:  # a `return` that is missing is told by the compiler
        return
    if len(text.returned) > 1 and _OF_BLOCK.search(text.returned[0]) and _OF_GRID.search(text.returned[1]):
        what = f"`LaunchConfig` holds the grid first and the block second: line {text.last.line} gives `{text.returned[0]}` as the grid."
        yield Said(text.last, what)
    yield from _refused("grid", text.grid, launch.grid, text)
    yield from _refused("block", text.block, launch.block, text)
    yield from _too_few(text, launch)


def _refused(what: str, extent: Extent | None, numbers: _Three, text: LaunchText) -> Iterator[Said]:
    place, known = _where(extent, numbers, text)
    terms = extent.terms if extent and known else ()
    for at, (part, number) in enumerate(zip("xyz", numbers, strict=True)):
        if number == 0 or (what == "grid" and number > _MOST_BLOCKS[at]):
            limit = "must be at least 1" if number == 0 else f"may be at most {_MOST_BLOCKS[at]:,}"
            how = f": {_arithmetic(terms[at], number, text)}" if at < len(terms) else ""
            said = f"In line {place.line} the {what}'s {part}, which {limit}, becomes {number:,}{how}."
            round_up = "How many blocks does a size need that the block's side does not divide? A part of a block counts as a whole one."
            yield Said(place, said, round_up if number == 0 else "")
            return
    threads = numbers[0] * numbers[1] * numbers[2]
    if what == "block" and (threads > _MOST_THREADS or numbers[2] > _MOST_DEEP):
        sides = [f"{number:,}" for number in numbers if number > 1]
        product = f"{' x '.join(sides)} = " if len(sides) > 1 else ""
        named = ", ".join(f"`{term}`" for term in terms if not term.isdigit())
        written, too_many = f" ({named})" if named else "", threads > _MOST_THREADS
        most = f"a block may have at most {_MOST_THREADS:,}" if too_many else f"its z may be at most {_MOST_DEEP}"
        said = f"The block in line {place.line}{written} has {product}{threads:,} threads: {most}."
        yield Said(place, said, "The sides of a block multiply: their product is the number of its threads.")


def _where(extent: Extent | None, numbers: _Three, text: LaunchText) -> tuple[Span, bool]:
    """Where it is written, and whether the arithmetic gives what came out."""
    known = extent is not None and extent.numbers == numbers
    return (extent.place if extent and known else text.last), known


def _arithmetic(term: str, value: int, text: LaunchText) -> str:
    """`N / 16` with N = 1 is 0; of a name, the expression that it was given."""
    whole = f"`{term}`"
    if re.search(r"\W", written := text.expressions.get(term, "")):
        whole, term = f"`{term}` or `{written}`", written
    names = [name for name in dict.fromkeys(re.findall(r"[^\W\d]\w*(?:\.[xyz]\b)?", term)) if name in text.values]
    values = " and ".join(f"{name} = {text.values[name].number:,}" for name in names)
    return f"{whole}{f' with {values}' if values else ''} is {value:,}"


def _too_few(text: LaunchText, launch: Started) -> Iterator[Said]:
    """One thread for each element, and not enough of them: exactly the elements without a thread were not written."""
    if launch.output is None or not launch.unwritten:
        return
    rows, columns = launch.output
    across, down = launch.grid[0] * launch.block[0], launch.grid[1] * launch.block[1]
    reached = min(across, columns) * min(down, rows)
    if launch.unwritten != rows * columns - reached or 0 in (*launch.grid, *launch.block):
        return
    place, known = _where(text.grid, launch.grid, text)
    terms = zip(text.grid.terms[:2], text.grid.numbers, strict=False) if known and text.grid else ()
    written = ", ".join(_arithmetic(term, number, text) for term, number in terms)
    what = (
        f"Line {place.line} starts {across:,} x {down:,} threads in x and y{f' ({written})' if written else ''}, "
        f"and the output has {columns:,} columns and {rows:,} rows: the elements outside have no thread."
    )
    is_swapped, axes = across >= rows and down >= columns, "x runs along a row and counts columns; y counts rows."
    yield Said(place, what, axes if is_swapped else "Round up: a part of a block counts as a whole one.")
