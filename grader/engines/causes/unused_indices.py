"""Threads that all compute the same, since the kernel never asks for one of their indices. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

_AXES = "xyz"
# Other words for a thread's index, and a whole index in another variable.
_OTHERWISE = re.compile(
    r"thread_rank|thread_index|group_index|block_rank|%tid|%ctaid|\b(?:threadIdx|blockIdx)\b(?!\s*\.\s*[xyz]\b)|##"
)


def unused_indices(
    code: StudentCode, kernel: str, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> Iterator[Said]:
    """Beside a failure alone: a kernel may leave an index out on purpose."""
    text = "\n".join(code.bare)
    if _OTHERWISE.search(text):
        return
    for name, other, counts, what in (
        ("threadIdx", "blockIdx", block, "the block has {} threads in {}: those that differ in {} alone"),
        ("blockIdx", "threadIdx", grid, "the grid has {} blocks in {}: those that differ in {} alone"),
    ):
        for axis, count in zip(_AXES, counts, strict=True):
            if count > 1 and not _uses(name, axis, text):
                place = _first(rf"\b{other}\s*\.\s*{axis}\b", code) or _first(rf"(?<!\w){re.escape(kernel)}\s*\(", code)
                if place is not None:
                    words = what.format(count, axis, axis)
                    said = f"The kernel uses `{name}.{axis}` nowhere, and {words} compute the same."
                    yield Said(place, said, "Which index tells these threads which element is theirs?")


def _uses(name: str, axis: str, text: str) -> bool:
    return re.search(rf"\b{name}\s*\.\s*{axis}\b", text) is not None


def _first(pattern: str, code: StudentCode) -> Place | None:
    for number, bare in enumerate(code.bare, 1):
        if match := re.search(pattern, bare):
            return Place(number, *match.span())
    return None
