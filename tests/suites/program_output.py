"""Compares what a program printed with what it printed on a GPU. Pure: it runs nothing.

Numbers in lines about time or speed, and lines that differ between two runs on the GPU itself, are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TIME = re.compile(
    r"time|elapsed|duration|speed|bandwidth|throughput|perf|flop|latency|(?<![a-z])(?:[mnuµ]?s|[mnu]?secs?|[gmkt]i?b/s|fps|seconds?|milliseconds?)(?![a-z])",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"nvidia|clock|multiprocessor|capability|driver|runtime version|registers|\bbus\b|\bpci|\bcores\b|cache|pitch|"
    r"(?:global|constant|shared|total|free|used|texture) mem|max(?:imum)?\b.*(?:grid|block|thread|texture|dimension)|\bsms?\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"\S*/([^\s/]+)")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_CLOSE = 1e-3  # sums in another order


class Likeness(StrEnum):
    SAME = "same"
    ROUNDED = "same but for rounding"
    TIMES = "same but for times"
    DEVICE = "same but for times and the device's properties"
    ORDER = "same lines in another order"
    RANDOM = "draws other numbers in each run"
    OTHER = "other output"


def likeness(ours: str, gpu: Sequence[str]) -> Likeness:
    """`gpu`: one or more runs of the same program there. Paths and addresses may differ."""
    if ours in gpu:
        return Likeness.SAME
    mine, runs = _lines(ours), [_lines(one) for one in gpu]
    if any(len(one) == len(mine) for one in runs):
        return min((_by_line(mine, one, runs) for one in runs if len(one) == len(mine)), key=list(Likeness).index)
    if any(Counter(map(_without_numbers, mine)) == Counter(map(_without_numbers, one)) for one in runs):
        return Likeness.ORDER
    if len({len(one) for one in runs}) > 1:
        return Likeness.RANDOM
    return Likeness.OTHER


def _by_line(mine: Sequence[str], theirs: Sequence[str], runs: Sequence[Sequence[str]]) -> Likeness:
    worst = Likeness.SAME
    for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        found = _line(one, other)
        if found is Likeness.OTHER:
            there = {run[place] if place < len(run) else "" for run in runs}
            found = Likeness.RANDOM if len({_result(line) for line in there}) > 1 else found
        worst = max(worst, found, key=list(Likeness).index)
    if worst is Likeness.OTHER and Counter(map(_result, mine)) == Counter(map(_result, theirs)):
        return Likeness.ORDER
    return worst


def _line(one: str, other: str) -> Likeness:
    if one == other:
        return Likeness.SAME
    same_words = _without_numbers(one) == _without_numbers(other)
    if same_words and all(_close(a, b) for a, b in zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)):
        return Likeness.ROUNDED
    if same_words and _TIME.search(one):
        return Likeness.TIMES
    return Likeness.DEVICE if _DEVICE.search(one) and _DEVICE.search(other) else Likeness.OTHER


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").strip().split("\n")
    return [_ADDRESS.sub("0x", _PATH.sub(r"\1", line)).rstrip() for line in lines]


def _result(line: str) -> str:
    """The line, without its numbers if they are about time or speed."""
    return _without_numbers(line) if _TIME.search(line) else line


def _without_numbers(line: str) -> str:
    return " ".join(_NUMBER.sub("#", line).split())


def _close(one: str, other: str) -> bool:
    a, b = float(one), float(other)
    return abs(a - b) <= _CLOSE * max(abs(a), abs(b), _CLOSE)
