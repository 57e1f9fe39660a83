"""The section of labs on the class page: a panel for each lab, with its results and its most common findings. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from statistics import fmean, median

from grader.model import visible_text
from grader.model.result import Finding, LabResult
from grader.model.verdicts import LOOKS, Verdict, VerdictFacts
from grader.model.visible_text import counted, points, share
from grader.pages.class_page.class_view import ClassView
from grader.pages.page_section import Shown

# Findings that several students of a class share: the same kind on the same line of code. Pure.

_MOST = 5


def recurring(labs: Iterable[LabResult]) -> list[Shown]:
    """The most common findings, those of most students first. A student counts once, however often a finding repeats."""
    tally: Counter[tuple[Verdict, str, bool]] = Counter()
    for lab in labs:
        tally.update({_key(finding) for finding in lab.findings if _is_a_mistake(finding)})
    order = list(Verdict)
    ranked = sorted(tally.items(), key=lambda item: (-item[1], order.index(item[0][0]), item[0][1]))
    return [
        Shown(look=kind.facts, text=text, is_code=is_code, students=counted(count, "student"))
        for (kind, text, is_code), count in ranked[:_MOST]
    ]


def _is_a_mistake(finding: Finding) -> bool:
    """Whether a lecturer can discuss it in class: no missing file, no failure of ours, no attempt at cheating."""
    told_elsewhere = finding.kind is Verdict.REJECTED or finding.kind.facts.tone in {"absent", "ours"}
    return finding.severity == "error" and not told_elsewhere


def _key(finding: Finding) -> tuple[Verdict, str, bool]:
    """The line without its indentation and outer spaces, and that it is code. Where there is no line, the message."""
    if finding.source and finding.source.strip():
        return finding.kind, visible_text.code(" ".join(finding.source.split()), 120), True
    return finding.kind, visible_text.line(finding.message, 160), False


_TONES = ("good", "partial", "bad", "absent", "waiting", "ours")


def verdict_bar(looks: Sequence[VerdictFacts]) -> list[Shown]:
    """Passes first, then the submissions' mistakes by number, then what was not judged. Places in percent of the bar."""
    counts = sorted(Counter(looks).items(), key=lambda one: (_TONES.index(one[0].tone), -one[1], LOOKS.index(one[0])))
    place = partial(share, maximum=len(looks))
    return [
        Shown(look=look, count=count, start=place(end - count), width=place(count), middle=place(end - count / 2))
        for (look, count), end in zip(counts, accumulate(count for _, count in counts), strict=True)
    ]


def lab_panels(view: ClassView) -> list[Shown]:
    return [_panel(lab_id, [lab for _, lab in each]) for lab_id, each in view.by_lab.items()]


def _panel(lab_id: str, labs: Sequence[LabResult]) -> Shown:
    earned = [lab.points for lab in labs]
    passed = sum(lab.passed for lab in labs)
    return Shown(
        id=lab_id,
        lab=labs[0],
        mean=points(round(fmean(earned), 1)),
        median=points(round(median(earned), 1)),
        passed=f"{share(passed, len(labs)):.0f} %",
        bar=verdict_bar([lab.look for lab in labs]),
        recurring=recurring(labs),
    )


# How many students have how many points, as bars. Pure.

HISTOGRAM_WIDTH, HEIGHT = 420.0, 120.0  # the drawing's own units
_MOST_BINS = 10
_STEPS = (1.0, 2.0, 2.5, 5.0)  # times powers of ten: round ends of bins
_HISTOGRAM_GAP = 4.0
_HISTOGRAM_ROOM = 50  # letters below all bars together


def histogram(totals: Sequence[float], maximum: float) -> Shown:
    """At most ten equal bins up to `maximum`. The last one holds full marks and, with extra credit, more than that."""
    step, bins = _bins(maximum)
    counts = [0] * bins
    for total in totals:
        counts[min(bins - 1, max(0, math.floor(total / step + 1e-9)))] += 1
    slot, top = HISTOGRAM_WIDTH / bins, max([1, *counts])
    bars = [
        Shown(
            x=round(at * slot + _HISTOGRAM_GAP / 2, 2),
            y=round(HEIGHT - HEIGHT * count / top, 2),
            width=round(slot - _HISTOGRAM_GAP, 2),
            height=round(HEIGHT * count / top, 2),
            middle=round((at + 0.5) * slot, 2),
            count=count,
            label=_label(at, step, last=at == bins - 1),
            title=f"{_range(at, step, last=at == bins - 1)}: {counted(count, 'student')}",
        )
        for at, count in enumerate(counts)
    ]
    return Shown(
        bars=bars,
        alternative="; ".join(bar.title for bar in bars if bar.count) or "nobody handed in anything",
        roomy=all(len(bar.label) * len(bars) <= _HISTOGRAM_ROOM for bar in bars),  # for larger letters below the bars
    )


def _bins(maximum: float) -> tuple[float, int]:
    """The width and the number of bins: the narrowest width with at most ten bins, where the last bin holds full marks."""
    if not (math.isfinite(maximum) and maximum > 0):
        return 1.0, 1
    power = 10.0 ** (math.floor(math.log10(maximum)) - 1)
    steps = (scale * each for scale in (power, 10 * power) for each in _STEPS)
    step = next(step for step in steps if maximum / step <= _MOST_BINS)
    return step, math.ceil(maximum / step - 1e-9)


def _label(at: int, step: float, *, last: bool) -> str:
    return f"{points(at * step)}+" if last else f"{points(at * step)}\N{EN DASH}{points((at + 1) * step)}"


def _range(at: int, step: float, *, last: bool) -> str:
    if last:
        return f"{points(at * step)} points and more"
    return f"from {points(at * step)} to under {points((at + 1) * step)} points"
