"""The verdicts of a class in one lab as a stacked bar. The width of a segment is the share of its verdict. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.verdicts import LOOKS, VerdictFacts
from grader.reports.text.number_format import counted

WIDTH = 420.0  # the drawing's own units
_GAP = 2.0  # between segments, so that neighbours of the same colour are separate
_ROOM = 18.0  # the least width that a glyph needs


@dataclass(frozen=True)
class Segment:
    look: VerdictFacts
    count: int
    x: float
    width: float
    middle: float
    labelled: bool  # whether it is wide enough for its glyph
    title: str  # "Data race: 32 students"


@dataclass(frozen=True)
class VerdictBar:
    segments: tuple[Segment, ...]
    alternative: str


def verdict_bar(looks: Sequence[VerdictFacts]) -> VerdictBar:
    """Passes first, then the submissions' mistakes by number, then what was not judged."""
    counts = Counter(looks)
    place = ["good", "partial", "bad", "absent", "waiting", "ours"]
    order = sorted(counts, key=lambda one: (place.index(one.tone), -counts[one], LOOKS.index(one)))
    room = WIDTH - _GAP * max(0, len(order) - 1)
    segments, x = [], 0.0
    for look in order:
        width = room * counts[look] / len(looks)
        segments.append(
            Segment(
                look,
                counts[look],
                round(x, 2),
                round(width, 2),
                round(x + width / 2, 2),
                width >= _ROOM,
                f"{look.label}: {counted(counts[look], 'student')}",
            )
        )
        x += width + _GAP
    return VerdictBar(tuple(segments), "; ".join(segment.title for segment in segments))
