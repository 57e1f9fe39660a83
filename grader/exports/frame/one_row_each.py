"""One row for each of a platform's students. Pure.

Where several results are one student's, because nothing says which upload is the last, a platform would silently keep the last row. So
none of them is exported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.exports.frame.export_notices import about
from grader.model.result import Result


@dataclass(frozen=True)
class Rows:
    results: tuple[Result, ...]  # with a key of their own
    notices: list[str]  # about all others


def rows_by(results: Sequence[Result], keys_of: Callable[[Result], Sequence[str]], unknown: str) -> Rows:
    """`keys_of`: what the platform may find the student by; empty ones do not count. `unknown`: about those who have none."""
    keys = [{(place, key.casefold()) for place, key in enumerate(keys_of(one)) if key} for one in results]
    counts = Counter(key for each in keys for key in each)
    nobody = [one for one, own in zip(results, keys, strict=True) if not own]
    several = [one for one, own in zip(results, keys, strict=True) if any(counts[key] > 1 for key in own)]
    kept = [one for one, own in zip(results, keys, strict=True) if own and all(counts[key] == 1 for key in own)]
    told = about(
        several, "left out, because several uploads are one student's: leave the one that counts and grade again"
    )
    empty = ["nobody is in this file, so there is nothing to import"] if results and not kept else []
    return Rows(tuple(kept), [*empty, *about(nobody, unknown), *told])
