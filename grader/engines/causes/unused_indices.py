"""Threads that compute the same: the kernel never asks for one of their indices, or works out a place from them that is not theirs
alone. Pure.
"""

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

_MIXED = re.compile(r"\bblockDim\.([xyz])\s*\*\s*blockIdx\.([xyz])\b|\bblockIdx\.([xyz])\s*\*\s*blockDim\.([xyz])\b")
_SUM = re.compile(r"\bblockIdx\.([xyz])\s*\+\s*\w[\w.]*|(?<![\w.*/])\w[\w.]*\s*\+\s*blockIdx\.([xyz])\b(?!\s*\*)")


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


def shared_places(code: StudentCode, grid: tuple[int, int, int], block: tuple[int, int, int]) -> Iterator[Said]:
    """Beside a failure alone, as above."""
    for number, bare in enumerate(code.bare, 1):
        for found in _MIXED.finditer(bare):
            dimension, index = (found[1], found[2]) if found[1] else (found[4], found[3])
            if dimension != index:
                said = f"`{found[0]}` mixes two axes: blocks along {index} are blockDim.{index} threads wide."
                yield Said(Place(number, *found.span()), said, "Each index belongs with the size of its own axis.")
    text = "\n".join(code.bare)
    for axis, blocks, threads in zip(_AXES, grid, block, strict=True):
        sums = [one for one in _SUM.finditer(text) if one[1] or one[2]]
        found_sum = next((one for one in sums if axis in {one[1], one[2]}), None)
        scaled = re.search(rf"(?:\*|<<)\s*\(?\s*blockIdx\.{axis}|blockIdx\.{axis}\s*\)?\s*(?:\*|<<)", text)
        if blocks > 1 and threads > 1 and found_sum and not scaled:
            place = _first(re.escape(found_sum[0]), code)
            said = (
                f"`{found_sum[0]}` counts blocks as if each had one thread in {axis}, and each has {threads}: neighbouring blocks get the "
                "same places."
            )
            if place is not None:
                yield Said(place, said, "How many places does each block need for itself?")


def _uses(name: str, axis: str, text: str) -> bool:
    return re.search(rf"\b{name}\s*\.\s*{axis}\b", text) is not None


def _first(pattern: str, code: StudentCode) -> Place | None:
    for number, bare in enumerate(code.bare, 1):
        if match := re.search(pattern, bare):
            return Place(number, *match.span())
    return None
