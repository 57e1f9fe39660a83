"""How jobs are cut into slices, one for each task. Pure.

A slice is of one lab where it can be, because each task judges the controls of its labs first. What came back unjudged goes into
smaller slices, and at last alone: so one file that ends its task takes no other with it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

MOST_TRIES = 3  # submissions of one job that end without an answer
_SHRINK = 4


@dataclass(frozen=True)
class Slice:
    keys: tuple[str, ...]
    tries: int = 0  # that ended without an answer before


def cut(labs: Mapping[str, str], size: int, tries: int = 0) -> Iterator[Slice]:
    """`labs`: the lab of each key. Slices of at most `size` keys, as equal as they can be."""
    by_lab = sorted(labs, key=lambda key: labs[key])  # stable: in the class's order within a lab
    for _, group in itertools.groupby(by_lab, key=lambda key: labs[key]):
        keys = list(group)
        count = math.ceil(len(keys) / size)
        for number in range(count):
            yield Slice(tuple(keys[number * len(keys) // count : (number + 1) * len(keys) // count]), tries)


def again(
    whole: Slice, left: Iterable[str], labs: Mapping[str, str], *, counts: bool, smaller: bool = True
) -> list[Slice]:
    """Slices for the keys that are `left` of `whole`. `counts`: the try is held against them, because nothing was judged in it.
    `smaller`: one of them may have ended the task.
    """
    keys = list(left)
    if not counts:
        return list(cut({key: labs[key] for key in keys}, max(1, len(whole.keys)), whole.tries)) if keys else []
    tries = whole.tries + 1
    size = len(whole.keys)
    if smaller:
        size = 1 if tries >= MOST_TRIES - 1 else max(1, math.ceil(size / _SHRINK))
    return list(cut({key: labs[key] for key in keys}, size, tries)) if keys else []
