"""Why a thread stored what it did in `tile[y][x] = inside ? in[...] : 0`: the part of the condition that is false for it. Pure.

As in guard_reason.py, numbers of the thread are put in, and what is not understood is not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.source_conditions.guard_reason import GuardReason, Place, false_part, guard_reason

_LONGEST_LINE = 400


def load_reason(source: Sequence[str], line: int, load_line: int, missing: Place, loader: Place) -> GuardReason | None:
    """`line`: where `missing` stored what it did; `load_line`: where `loader` loaded."""
    if 1 <= line <= len(source) and len(source[line - 1]) <= _LONGEST_LINE:
        for condition in _conditions(source[line - 1]):
            for part in _parts(condition):
                if (reason := false_part(source, line, part, missing, loader)) is not None:
                    return reason
    return guard_reason(source, load_line, missing, loader) if load_line != line else None


def _conditions(text: str) -> Iterator[str]:
    """What stands before a `?`, back to the `=` of its assignment."""
    text = text.partition("//")[0]
    end = text.find("?")
    if end < 0 or text.find("?", end + 1) >= 0:
        return
    start = 0
    for at in range(end):
        if (
            text[at] == "="
            and "=" not in text[at + 1 : at + 2]
            and text[max(0, at - 1) : at] not in {"=", "<", ">", "!"}
        ):
            start = at + 1
    yield _bare(text[start:end].strip())


def _parts(condition: str) -> Iterator[str]:
    """What stands between the `&&` that are in no parentheses."""
    depth = start = 0
    for at, letter in enumerate(condition):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and condition[at : at + 2] == "&&":
            yield _bare(condition[start:at].strip())
            start = at + 2
    yield _bare(condition[start:].strip())


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    while text.startswith("(") and text.endswith(")") and _closes_at_the_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_the_end(text: str) -> bool:
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return at == len(text) - 1
    return False
