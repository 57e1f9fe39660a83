"""Types in LLVM's intermediate language, as text: where a type ends, and its size. Pointers may have a type or not."""

from __future__ import annotations

import re

_OPENING, _CLOSING = "([{<", ")]}>"
_WORD = re.compile(r'%"[^"]*"|[%\w.$-]+')
_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
_VECTOR = re.compile(r"<(\d+) x (.*)>")
_SUFFIX = re.compile(r"\s*\*+")


def parts_of(text: str) -> list[str]:
    """Splits at commas outside brackets. Ends at a closing bracket that was not opened in `text`."""
    depth, parts, quoted = 0, [""], False
    for character in text:
        if character == '"':
            quoted = not quoted
        elif not quoted:
            depth += (character in _OPENING) - (character in _CLOSING)
            if depth < 0:
                break
            if character == "," and depth == 0:
                parts.append("")
                continue
        parts[-1] += character
    return [part.strip() for part in parts]


def leading_type(text: str) -> str:
    """The type that `text` begins with: `{ i64, i64 }` of `{ i64, i64 } %5`, `void (float*)*` of `void (float*)* @f`."""
    word = _WORD.match(text)
    end = word.end() if word else _after_bracket(text, 0)
    while True:
        if stars := _SUFFIX.match(text, end):
            end = stars.end()
        elif text.startswith(" (", end) and _SUFFIX.match(text, _after_bracket(text, end + 1)):
            end = _after_bracket(text, end + 1)
        else:
            return text[:end]


def _after_bracket(text: str, opening: int) -> int:
    """The position after the bracket that closes the one at `opening`."""
    depth, quoted = 0, False
    for at in range(opening, len(text)):
        quoted ^= text[at] == '"'
        if not quoted:
            depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
            if depth == 0:
                return at + 1
    return len(text)


def bytes_of(kind: str) -> int:
    """The size of a value in memory. 0 for structures and arrays, and for types without a whole number of bytes."""
    if kind.endswith("*"):
        return 8
    if kind == "i1":
        return 1
    if kind in _SCALARS:
        return _SCALARS[kind]
    if integer := re.fullmatch(r"i(\d+)", kind):
        return int(integer[1]) // 8 if int(integer[1]) % 8 == 0 else 0
    vector = _VECTOR.fullmatch(kind)
    return int(vector[1]) * bytes_of(vector[2]) if vector and vector[2] != "i1" else 0
