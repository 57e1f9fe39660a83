"""Which part of a corpus of kernels a test takes: by default every so many, and all with TILELAB_WHOLE_CORPUS=1."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
WHOLE = os.environ.get("TILELAB_WHOLE_CORPUS", "0") not in {"", "0"}


def sample(corpus: Sequence[_T], every: int) -> Sequence[_T]:
    """The first of the corpus and each `every`-th after it; all of them where the whole corpus is asked for."""
    return corpus if WHOLE else corpus[::every]


def covering(corpus: Sequence[_T], *kinds: Callable[[_T], Hashable]) -> Sequence[_T]:
    """Of each kind in the corpus the first: a member is taken if one of `kinds` says something of it that it said of none before."""
    if WHOLE:
        return corpus
    seen: set[tuple[int, Hashable]] = set()
    taken: list[_T] = []
    for one in corpus:
        said = {(number, kind(one)) for number, kind in enumerate(kinds)}
        if said - seen:
            taken.append(one)
            seen |= said
    return taken
