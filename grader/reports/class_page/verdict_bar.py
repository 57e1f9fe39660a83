"""How a class did in one lab, as a stacked bar: one segment per verdict, its width its share. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.text.number_format import counted

WIDTH = 420.0  # of the drawing, whatever size it is shown at
_GAP = 2.0  # between segments, so that neighbours of one colour stay apart
_ROOM = 18.0  # the least width that holds a glyph


@dataclass(frozen=True)
class Segment:
    look: VerdictFacts
    count: int
    x: float
    width: float
    middle: float
    labelled: bool  # wide enough for its glyph
    words: str  # "Data race: 32 students"


@dataclass(frozen=True)
class VerdictBar:
    segments: tuple[Segment, ...]
    alternative: str


def verdict_bar(verdicts: Sequence[Verdict]) -> VerdictBar:
    """Passes first, then the submissions' faults by number, then what was not judged."""
    counts = Counter(verdicts)
    place = ["good", "bad", "absent", "waiting", "ours"]
    order = sorted(counts, key=lambda one: (place.index(one.facts.tone), -counts[one], list(Verdict).index(one)))
    room = WIDTH - _GAP * max(0, len(order) - 1)
    segments, x = [], 0.0
    for verdict in order:
        width = room * counts[verdict] / len(verdicts)
        segments.append(
            Segment(
                verdict.facts,
                counts[verdict],
                round(x, 2),
                round(width, 2),
                round(x + width / 2, 2),
                width >= _ROOM,
                f"{verdict.facts.label}: {counted(counts[verdict], 'student')}",
            )
        )
        x += width + _GAP
    return VerdictBar(tuple(segments), "; ".join(segment.words for segment in segments))
