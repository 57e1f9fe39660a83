"""What stands in the source for an access. It is text of a submission: each look at it takes time in proportion to its length. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_LONGEST_LINE = 400
_LONGEST = 80  # an expression that is quoted


def subscripted(source: Sequence[str], line: int, array: str) -> str:
    """`A[i][j]`: the array with its subscripts, where the line has one such expression; else empty."""
    if not 1 <= line <= len(source) or len(source[line - 1]) > _LONGEST_LINE:
        return ""
    text = source[line - 1].partition("//")[0]
    found = set(_expressions(text, array))
    only = found.pop() if len(found) == 1 else ""
    return only if len(only) <= _LONGEST else ""


def _expressions(text: str, array: str) -> Iterator[str]:
    at = text.find(array)
    while at >= 0:
        end = at + len(array)
        whole = not (at and (text[at - 1].isalnum() or text[at - 1] in "_.>")) and text[end : end + 1] == "["
        while whole and text[end : end + 1] == "[":
            end = _closing(text, end) + 1
        if whole and text[end - 1] == "]":
            yield text[at:end]
        at = text.find(array, max(end, at + 1))


def _closing(text: str, at: int) -> int:
    """The bracket that closes the one at `at`, or the text's end."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)
