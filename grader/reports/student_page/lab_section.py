"""A lab's part of a student's page: verdict, why, what to do next, and everything that supports it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.model.result import Case, Explanation, LabResult, Verdict
from grader.reports.findings.finding_card import FindingCard, finding_card, may_show
from grader.reports.findings.mismatch_figure import MismatchFigure, mismatch_figures
from grader.reports.speed_figures.gpu_facts import GpuFacts, gpu_facts
from grader.reports.speed_figures.speed_figure import SpeedFigure, speed_figure
from grader.reports.student_page.case_row import CaseRow, case_row
from grader.reports.student_page.traffic_section import TrafficSection, traffic_section
from grader.reports.text import visible
from grader.reports.text.number_format import points, share
from grader.reports.text.verdict_style import LOOKS, Look

_OPEN_CARDS = 3  # the rest is folded away: after the first few, findings repeat each other
_MOST_CARDS = 24
_OPEN_FIGURES = 1
_MOST_FIGURES = 6
_MOST_PRINTS = 3
_PRINTED_LINES = 40
_LOG_LINES = 80
NOTHING_RAN = frozenset(
    {
        Verdict.REJECTED,
        Verdict.MISSING_FILE,
        Verdict.COMPILE_ERROR,
        Verdict.MISSING_ENTRY_POINT,
    }
)


@dataclass(frozen=True)
class Printed:
    shape: str
    block: visible.Block


@dataclass(frozen=True)
class LabSection:
    anchor: str
    id: str
    title: str
    file: str
    look: Look
    points: str
    max_points: str
    share: float  # percent of the points
    extra_credit: bool
    sentence: str
    advice: str
    cards: tuple[FindingCard, ...]
    more_cards: tuple[FindingCard, ...]
    unshown_cards: int
    explained: tuple[str, ...]  # what the kernel does wrong, where one mistake reproduces its output
    figures: tuple[MismatchFigure, ...]
    more_figures: tuple[MismatchFigure, ...]
    ran: bool  # whether any case could run
    cases: tuple[CaseRow, ...]
    log: visible.Block | None
    log_open: bool
    printed: tuple[Printed, ...]
    performance: str
    performance_points: str  # "2 / 3"; empty: not in this batch's points
    traffic: TrafficSection | None
    speed: SpeedFigure | None
    gpu: GpuFacts | None


def lab_section(
    number: int, lab_id: str, lab: LabResult, sources: Mapping[str, str], *, instructor: bool
) -> LabSection:
    """`number` counts the labs of the page from 1."""
    cards = [finding_card(one, lab, sources, instructor=instructor) for one in lab.findings[:_MOST_CARDS]]
    figures = mismatch_figures(lab, instructor=instructor)[:_MOST_FIGURES]
    log = lab.build.log.strip("\n") if lab.build else ""
    return LabSection(
        anchor=f"lab-{number}",
        id=visible.words(lab_id, 60),
        title=visible.words(lab.title, 120),
        file=visible.words(lab.file, 80),
        look=LOOKS[lab.verdict],
        points=points(lab.points),
        max_points=points(lab.max_points),
        share=share(lab.points, lab.max_points),
        extra_credit=lab.extra_credit,
        sentence=what_happened(lab),
        advice=advice(lab, instructor=instructor),
        cards=tuple(cards[:_OPEN_CARDS]),
        more_cards=tuple(cards[_OPEN_CARDS:]),
        unshown_cards=max(0, len(lab.findings) - _MOST_CARDS),
        explained=tuple(visible.words(one.sentence, 600) for one in explanations(lab, instructor=instructor)),
        figures=tuple(figures[:_OPEN_FIGURES]),
        more_figures=tuple(figures[_OPEN_FIGURES:]),
        ran=lab.verdict not in NOTHING_RAN,
        cases=tuple(case_row(case, findings=lab.findings[:_MOST_CARDS], instructor=instructor) for case in lab.cases),
        log=visible.block(log, lines=_LOG_LINES) if log.strip() else None,
        log_open=lab.build is not None and not lab.build.ok,
        printed=tuple(_printed(lab, instructor=instructor)),
        performance=visible.words(lab.performance, 600),
        performance_points=f"{points(lab.performance_points)} / {points(lab.performance_max)}"
        if lab.performance_max
        else "",
        traffic=traffic_section(lab, instructor=instructor),
        speed=speed_figure(lab, instructor=instructor),
        gpu=gpu_facts(lab),
    )


def what_happened(lab: LabResult) -> str:
    """One sentence or two; a pass without full points says what is missing."""
    sentence = LOOKS[lab.verdict].sentence
    if lab.verdict is Verdict.PASS and (missed := _missed_technique(lab)):
        why = visible.words(missed.message, 600)
        return f"The result is right in every case, but the technique check is not met{': ' + why if why else '.'}"
    return sentence


def advice(lab: LabResult, *, instructor: bool = False) -> str:
    """What to look at next: a recognised mistake's own, else the first error's, the first failed case's, the verdict's. What
    is worse than a wrong result comes before the mistake that explains one.
    """
    from_mistakes = [one.advice for one in explanations(lab, instructor=instructor)]
    from_findings = [one.advice for one in lab.findings if one.severity == "error" and one.advice]
    from_cases = [case.advice for case in lab.cases if not case.passed and case.advice]
    mistake_first = lab.verdict in {Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS}
    seen = [*from_mistakes, *from_findings] if mistake_first else [*from_findings, *from_mistakes]
    either = [*seen, *from_cases, LOOKS[lab.verdict].advice]
    return visible.words(next(iter(either)), 600)


def explanations(lab: LabResult, *, instructor: bool = False) -> list[Explanation]:
    """Of the launches that may be shown, each once, in the order of the cases."""
    launches = (launch for case in lab.cases if may_show(case, instructor=instructor) for launch in case.launches)
    return list(dict.fromkeys(launch.explanation for launch in launches if launch.explanation))


def _missed_technique(lab: LabResult) -> Case | None:
    return next((case for case in lab.cases if case.role == "technique" and not case.passed), None)


def _printed(lab: LabResult, *, instructor: bool) -> Iterator[Printed]:
    """What kernels printed, each different text once."""
    seen: set[str] = set()
    launches = (launch for case in lab.cases if may_show(case, instructor=instructor) for launch in case.launches)
    for launch in launches:
        if launch.printed.strip() and launch.printed not in seen and len(seen) < _MOST_PRINTS:
            seen.add(launch.printed)
            yield Printed(visible.words(launch.shape, 80), visible.block(launch.printed, lines=_PRINTED_LINES))
