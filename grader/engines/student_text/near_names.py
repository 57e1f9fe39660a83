"""The name that was probably meant: by the fewest letters that differ, CUDA's names before all others. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.engines.student_text.cuda_vocabulary import CPP, CUDA, ELSEWHERE, LIBRARY
from grader.engines.student_text.student_code import StudentCode

_SHORT = 2  # letters: such names differ from all others too little
_NEAR = 0.34  # share of its letters that a misspelt name may have wrong


def nearest_name(word: str, code: StudentCode, line: int) -> str:
    """Empty where nothing is near. A name of the file counts where it is declared above `line`."""
    if word in ELSEWHERE:
        return ELSEWHERE[word]
    own = [name for name, lines in code.declared.items() if name != word and min(lines) <= line]
    for names in (own, (*CUDA, *CPP, *LIBRARY)):
        if same := next((name for name in names if _plain(name) == _plain(word)), ""):
            return same
    longer = [name for name in own if len(word) > _SHORT and (name.startswith(f"{word}_") or name.endswith(f"_{word}"))]
    if len(longer) == 1:
        return longer[0]
    return nearest(word, (*CUDA, *own, *CPP, *LIBRARY))


def nearest(word: str, names: Iterable[str]) -> str:
    """The first of the nearest; empty where none is near."""
    plain = _plain(word)
    if len(plain) <= _SHORT:
        return ""
    room = max(1, int(len(plain) * _NEAR)) if len(plain) > 3 else 1  # noqa: PLR2004 -- "sun" may be "sum", and not "row"
    rated = [
        (distance(plain, _plain(name)), abs(len(name) - len(word)), name)
        for name in names
        if len(_plain(name)) > _SHORT
    ]
    near = [one for one in rated if one[0] <= room]
    return min(near, key=lambda one: one[:2])[2] if near else ""


def distance(one: str, other: str) -> int:
    """How many letters to insert, delete, replace or exchange with their neighbour."""
    before, above = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]


def _plain(name: str) -> str:
    """Without the marks that are easily forgotten: underscores, small and capital letters."""
    return re.sub(r"_", "", name).lower()
