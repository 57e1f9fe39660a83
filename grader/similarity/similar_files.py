"""Pairs of files with passages in common that few others have. Pure.

What the starter or a model solution holds is left out, and what many of the class wrote: those who solve one small task write much
that is alike. A file with little of its own is compared with nobody. The number of comparisons grows with the passages that are
shared, not with the square of the class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.similarity.passages import Passages

MOST_PAIRS = 40  # of a lab; the most alike
LEAST_SHARE = 0.5  # of the passages that few others have, in the file that has fewer of them
LEAST_NAMELESS_SHARE = 0.7  # where names do not count; without them, work of one's own is more alike
LEAST_PASSAGES = 20  # in common
_FEW = 4  # so many may share a passage
_FEW_SHARE = 0.1  # or this part of the class,
_MOST_FEW = 20  # but not more than these, so that the work does not grow with the square of a class


@dataclass(frozen=True)
class SimilarPair:
    one: str  # ids
    other: str
    share: float
    passages: int  # in common
    lines: tuple[tuple[int, ...], tuple[int, ...]]  # where they begin, in either file
    renamed: bool = False  # only names and comments differ there


@dataclass(frozen=True)
class SimilarFiles:
    pairs: tuple[SimilarPair, ...] = ()
    equal: tuple[tuple[str, ...], ...] = ()  # students whose files are the same, letter by letter
    left_out: int = 0  # pairs beyond the most alike


def similar_files(texts: Mapping[str, str], known: Iterable[str], together: Callable[[str, str], bool]) -> SimilarFiles:
    """`texts`: by student; `known`: starter and solutions; `together`: whether two may hand in one work."""
    holders: dict[str, list[str]] = defaultdict(list)
    known = tuple(known)
    for student, text in texts.items():
        if text.strip() and text not in known:
            holders[text].append(student)
    equal = tuple(tuple(ones) for ones in holders.values() if not _all_together(ones, together))
    if len(holders) < 2:  # noqa: PLR2004 -- a pair
        return SimilarFiles(equal=equal)  # the course's own files need not be read
    files = {ones[0]: Passages(text) for text, ones in holders.items()}  # one stands for all who have the same
    course = [Passages(text) for text in known]
    views: tuple[Callable[[Passages], Mapping[int, int]], ...] = (lambda one: one.plain, lambda one: one.nameless)
    best: dict[tuple[str, str], SimilarPair] = {}
    for renamed, view in enumerate(views):
        of = {student: view(one) for student, one in files.items()}
        for pair in _pairs(of, {passage for one in course for passage in view(one)}, renamed=bool(renamed)):
            key = pair.one, pair.other
            if not together(*key) and (key not in best or best[key].share < pair.share):
                best[key] = pair
    ranked = sorted(best.values(), key=lambda pair: (-pair.share, -pair.passages, pair.one, pair.other))
    return SimilarFiles(tuple(ranked[:MOST_PAIRS]), equal, max(0, len(ranked) - MOST_PAIRS))


def _all_together(students: Sequence[str], together: Callable[[str, str], bool]) -> bool:
    return all(together(one, other) for one, other in combinations(students, 2))


def _pairs(files: Mapping[str, Mapping[int, int]], known: set[int], *, renamed: bool) -> list[SimilarPair]:
    having: dict[int, list[str]] = defaultdict(list)
    for student, passages in files.items():
        for passage in passages:
            if passage not in known:
                having[passage].append(student)
    few = max(_FEW, min(_MOST_FEW, int(_FEW_SHARE * len(files))))
    own: Counter[str] = Counter()
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for passage, students in having.items():
        if len(students) > few:
            continue
        own.update(students)
        for pair in combinations(students, 2):
            shared[pair].append(passage)
    found = []
    for (one, other), common in shared.items():
        share = len(common) / min(own[one], own[other])
        if len(common) >= LEAST_PASSAGES and share >= (LEAST_NAMELESS_SHARE if renamed else LEAST_SHARE):
            lines = _lines(files[one], common), _lines(files[other], common)
            found.append(SimilarPair(one, other, round(share, 3), len(common), lines, renamed))
    return found


def _lines(passages: Mapping[int, int], common: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({passages[one] for one in common}))
