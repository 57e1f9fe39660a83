"""The launches `kernel<<<grid, block>>>(…)` that a file itself contains, with what its constants say of them: grid, block, sizes of
buffers, numbers.

This reads words and brackets of host code and runs nothing. What is read from a file, from the command line or computed in a loop is
unknown here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.kernel_files.host_expression import Number, value_of
from grader.kernel_files.kernel_source import KernelSource, base_name

Extent3 = tuple[int, int, int]
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"
_END_OF_LAUNCH = re.compile(r">\s?>\s?>")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)$", re.MULTILINE)
_VARIABLE = re.compile(
    r"\b(?:unsigned|int|long|short|size_t|float|double|char|auto|uint|u?int\d+_t)\s+(\w+)\s*=([^;{}]{1,300});"
)
_CHANGED = re.compile(r"\b(\w+)\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*(\w+)|\b(\w+)\s*(?:\+\+|--)|&\s*(\w+)")
_MOST_SIGNS = 400  # of a list of template arguments
_MOST_ELEMENTS = 1 << 26


@dataclass(frozen=True)
class OwnLaunch:
    """What is unknown is None."""

    line: int
    grid: Extent3 | None
    block: Extent3 | None
    shared_bytes: int | None
    bytes: tuple[int | None, ...]  # of the buffer that each argument points to
    values: tuple[Number | None, ...]  # of each argument


def own_launches(source: KernelSource, kernel: str) -> list[OwnLaunch]:
    """The launches of `kernel` in the file and its headers, in their order."""
    texts = [without_comments(text) for text in source.texts.values()]
    names = constants_of("\n".join(texts))
    return [one for text in texts for one in _launches(text, base_name(kernel), names)]


def without_comments(text: str) -> str:
    """The text with blanks in their place."""
    return _COMMENT.sub(_blank, text)


def macro_bodies(text: str) -> dict[str, str]:
    """What each macro without parameters stands for that is defined in one way only."""
    found: dict[str, set[str]] = {}
    for name, body in _DEFINE.findall(text):
        found.setdefault(name, set()).add(body.strip())
    return {name: next(iter(bodies)) for name, bodies in found.items() if len(bodies) == 1}


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def constants_of(text: str) -> dict[str, str]:
    """What each name stands for that has one value in the whole text. The sides of a dim3 are `block.x`, `block.y` and `block.z`."""
    found: dict[str, set[str]] = {}
    for name, body in [*_DEFINE.findall(text), *_VARIABLE.findall(text)]:
        for part, value in _declared_together(name, body):
            found.setdefault(part, set()).add(value.strip())
    changes = Counter(name for match in _CHANGED.findall(text) for name in match if name)
    defined = {name for name, _ in _DEFINE.findall(text)}
    return dict(_sides(text, changes)) | {
        name: next(iter(values))
        for name, values in found.items()
        if len(values) == 1 and changes[name] <= (name not in defined)
    }


def _sides(text: str, changes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Those of each dim3 that is made once and never changed: `dim3 block(16, 16);`."""
    made = list(re.finditer(r"\bdim3\s+(\w+)\s*(=\s*(?:dim3\s*)?)?[({]", text))
    once = Counter(match[1] for match in made)
    for match in made:
        name, parts = match[1], _split(text[match.end() : _closing(text, match.end() - 1)])
        changed = re.search(rf"\b{re.escape(name)}\s*\.\s*[xyz]\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)", text)
        if once[name] > 1 or changed or changes[name] > (match[2] is not None) or not 0 < len(parts) <= 3:  # noqa: PLR2004 -- x, y and z
            continue
        yield from ((f"{name}.{axis}", side) for axis, side in zip("xyz", (*parts, "1", "1"), strict=False))


def _declared_together(name: str, body: str) -> Iterator[tuple[str, str]]:
    """The names in `int n = 4, m = 8;`."""
    first, *others = _split(body)
    yield name, first
    for other in others:
        part, equals, value = other.partition("=")
        if equals and re.fullmatch(r"\s*\w+\s*", part):
            yield part.strip(), value


def _launches(text: str, kernel: str, names: Mapping[str, str]) -> Iterator[OwnLaunch]:
    for match in re.finditer(rf"\b{re.escape(kernel)}\b", text):
        opening = re.compile(r"\s*<\s?<\s?<").match(text, _past_template(text, match.end()))
        if not opening:
            continue
        start = opening.end()
        end = _END_OF_LAUNCH.search(text, start)
        if not end:
            continue
        after = re.match(r"\s*\(", text[end.end() :])
        if not after:
            continue
        inside = end.end() + after.end()
        arguments = _split(text[inside : _closing(text, inside - 1)])
        config = _split(text[start : end.start()])
        shared = value_of(config[2], names) if len(config) > 2 else 0  # noqa: PLR2004 -- the third is the shared memory
        yield OwnLaunch(
            line=text.count("\n", 0, match.start()) + 1,
            grid=_extent(config[0], text[: match.start()], names),
            block=_extent(config[1], text[: match.start()], names) if len(config) > 1 else None,
            shared_bytes=int(shared) if shared is not None else None,
            bytes=tuple(_allocated(one, text, names) for one in arguments),
            values=tuple(value_of(one, names) for one in arguments),
        )


def _extent(expression: str, before: str, names: Mapping[str, str]) -> Extent3 | None:
    """A number, a dim3, or the name of a dim3 that is made before."""
    name = re.fullmatch(r"\s*(\w+)\s*", expression)
    made = re.match(r"\s*(?:dim3\s*[({]|\{)", expression)
    if made:
        parts = _split(expression[made.end() : _closing(expression, made.end() - 1)])
    elif name:
        parts = _made_before(name[1], before) or [expression]
    else:
        parts = [expression]
    sides = [value_of(part, names) for part in parts]
    if not sides or len(sides) > 3 or any(side is None or side < 1 for side in sides):  # noqa: PLR2004 -- x, y and z
        return None
    x, y, z = (*(int(side) for side in sides if side is not None), 1, 1)[:3]
    return x, y, z


def _made_before(name: str, before: str) -> list[str]:
    """What the last dim3 of this name is made of. Empty: there is none."""
    for match in reversed(list(re.finditer(rf"\b{re.escape(name)}\s*(?:=\s*dim3\s*)?[({{]", before))):
        statement = before[max(before.rfind(sign, 0, match.start()) for sign in ";{}") + 1 : match.end()]
        if re.search(r"\bdim3\b", statement):
            return _split(before[match.end() : _closing(before, match.end() - 1)])
    return []


def _past_template(text: str, at: int) -> int:
    """The position after the `<…>` of template arguments, if some stand at `at`."""
    opening = re.compile(r"\s*<(?!\s?<)").match(text, at)
    if not opening:
        return at
    depth = 0
    for end in range(opening.end() - 1, min(len(text), at + _MOST_SIGNS)):
        depth += (text[end] == "<") - (text[end] == ">")
        if depth == 0:
            return end + 1
    return at


def _allocated(argument: str, text: str, names: Mapping[str, str]) -> int | None:
    """The bytes that cudaMalloc gave to a pointer."""
    name = re.fullmatch(r"\s*(?:\([\w\s*]+\)\s*)?&?\s*(\w+)\s*", argument)
    if not name:
        return None
    found = set[Number | None]()
    for call in re.finditer(r"\bcudaMalloc(?:Managed)?\s*\(", text):
        parts = _split(text[call.end() : _closing(text, call.end() - 1)])
        target = re.fullmatch(r"\s*(?:\([\w\s*]+\)\s*)?&\s*\(?\s*(\w+)\s*\)?\s*", parts[0])
        if target and target[1] == name[1] and len(parts) > 1:
            found.add(value_of(parts[1], names))
    size = next(iter(found)) if len(found) == 1 else None
    return int(size) if size is not None and 0 < size <= _MOST_ELEMENTS else None


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
        if depth == 0:
            return at
    return len(text)


def _split(text: str) -> list[str]:
    """The parts between commas outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
