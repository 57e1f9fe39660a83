"""Which part of a corpus of kernels a test takes, and which tests of a file that takes long: by default every so many, and all with
TILELAB_WHOLE_CORPUS=1.

Each commit takes others: its name is the seed, so that in time everything runs. The summary of a run says the seed and how many were
taken; TILELAB_SAMPLE_SEED takes the same again.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TypeVar
from zlib import crc32

_T = TypeVar("_T")
WHOLE = os.environ.get("TILELAB_WHOLE_CORPUS", "0") not in {"", "0"}


def seed_of_commit(root: Path) -> int:
    """0 where there is no commit, as in an unpacked archive."""
    command = ["git", "-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    return int(said[:7] or "0", 16)


SEED = int(os.environ.get("TILELAB_SAMPLE_SEED") or seed_of_commit(Path(__file__).resolve().parent))
_taken: dict[tuple[str, int], int] = {}  # how many of a corpus, which is told by its first member and its size


def sample(corpus: Sequence[_T], every: int) -> Sequence[_T]:
    """One of the corpus and each `every`-th after it; all of them where the whole corpus is asked for."""
    return _noted(corpus, corpus if WHOLE else corpus[SEED % max(1, min(every, len(corpus))) :: every])


def covering(corpus: Sequence[_T], *kinds: Callable[[_T], Hashable]) -> Sequence[_T]:
    """Of each kind in the corpus one: a member is taken if one of `kinds` says something of it that it said of none before. The seed
    says in which order they are looked at, so that each has its turn.
    """
    if WHOLE:
        return _noted(corpus, corpus)
    seen: set[tuple[int, Hashable]] = set()
    taken: set[int] = set()
    for place in random.Random(SEED).sample(range(len(corpus)), len(corpus)):
        said = {(number, kind(corpus[place])) for number, kind in enumerate(kinds)}
        if said - seen:
            taken.add(place)
            seen |= said
    return _noted(corpus, [corpus[place] for place in sorted(taken)])


def in_turn(file: str, tests: Sequence[_T], every: int) -> Sequence[_T]:
    """Of a file's tests, in their order, those whose turn it is: files begin at different places, so that a commit has some of each."""
    turn = (SEED + crc32(file.encode())) % every
    return _noted(tests, tests if WHOLE else tests[turn::every])


def taken() -> tuple[int, int]:
    """How many of all corpora's members this run takes, and how many there are."""
    return sum(_taken.values()), sum(size for _, size in _taken)


def summary(some: int, of: int) -> str:
    """What a run says of its samples at the end; empty: it took everything."""
    if some == of:
        return ""
    again = f"TILELAB_SAMPLE_SEED={SEED} takes these again"
    return f"sampled with seed {SEED}: {some} of {of} cases; TILELAB_WHOLE_CORPUS=1 runs all, {again}"


def _noted(corpus: Sequence[_T], part: Sequence[_T]) -> Sequence[_T]:
    if corpus:
        _taken[str(corpus[0]), len(corpus)] = len(part)
    return part
