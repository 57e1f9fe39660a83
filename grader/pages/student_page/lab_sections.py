"""The sections of a lab: its findings, its cases, what the compiler said, what a kernel printed, and wrong outputs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from grader.model import visible_text
from grader.model.outcome import NOTHING_HANDED_IN
from grader.model.result import Case, Finding, LabAnswers, LabResult, Launch, QuestionAnswer, Standing, StepView
from grader.model.verdicts import Verdict, VerdictFacts
from grader.model.visible_text import counted, points
from grader.pages.findings.finding_card import (
    excerpt,
    facts_of,
    lane_figure,
    launch_of,
    launch_text,
    may_show,
    place_of,
    shown_launches,
    suspect_changes,
    suspect_sentence,
)
from grader.pages.findings.mismatch_figure import mismatch_figures
from grader.pages.findings.one_cause import (
    SPOILS,
    advice,
    cause_groups,
    explains_all_wrong_outputs,
    explanations,
    what_happened,
    wrong_outputs,
)
from grader.pages.page_section import Shown
from grader.run.lab_verdict import NOT_RUN


@dataclass(frozen=True)
class LabView:
    """What every section about a lab is made from: the lab's result, the submission's files, and who the reader is."""

    lab: LabResult
    sources: Mapping[str, str] = field(default_factory=dict)  # name to text
    instructor: bool = False  # whether to show what hidden cases withhold
    # The folder of pages that step through a block, as a link begins; None: there are none beside this page.
    steps: str | None = None

    def step_link(self, kind: Verdict, line: int | None, shows: StepView = "block") -> str:
        """Where a page shows this finding step by step; empty: nowhere."""
        if self.steps is None:
            return ""
        found = (
            f"{self.steps}{page.name}{link.fragment}"
            for page in self.lab.step_pages
            for link in page.links
            if link.kind is kind and link.line == line and link.shows == shows
        )
        return next(found, "")

    def step_size(self, finding: Finding) -> str:
        """The sizes of the launch that these pages show, where the finding stands beside another one's."""
        launch, place = launch_of(finding, self.launches()), (finding.kind, finding.line)
        sizes = (page.shape for page in self.lab.step_pages for link in page.links if (link.kind, link.line) == place)
        size = next(sizes, "")
        return visible_text.line(size, 80) if launch is not None and size != launch.shape else ""

    def launches(self) -> Iterator[Launch]:
        return shown_launches(self.lab, instructor=self.instructor)


# The findings, and what may be the cause. Those of one cause are drawn once, with what follows from it.

_MOST_CARDS = 24
_STORIES_OF_KINDS = {
    Verdict.BARRIER_DIVERGENCE: "See who waits where",
    Verdict.UNINITIALIZED_READ: "See who should have written it",
    Verdict.OUT_OF_BOUNDS: "See where it lies",
}
_LANES = "See who reads from whom"


def finding_section(view: LabView) -> Shown | None:
    lab = view.lab
    # A file that is missing, without a guess where it may be, is said by the verdict.
    again = {f"{lab.file} was not handed in", NOTHING_HANDED_IN}
    said = [one for one in lab.findings if one.kind is not Verdict.MISSING_FILE or one.message not in again]
    cards = [
        Shown(
            sentence=group.sentence,
            first=first,  # told in full, and drawn
            figure=lane_figure(first.finding),
            wrong=wrong_outputs(view.lab, group.findings, instructor=view.instructor),
            others=others,  # folded
        )
        for group in cause_groups(said[:_MOST_CARDS])
        for first, *others in [[_card(one, view) for one in group.findings]]
    ]
    if not cards and not lab.causes:
        return None
    says_all = bool(cards) and cards[0].first.finding.kind is lab.verdict  # then nothing has to be said above
    if says_all:
        cards[0].first.facts = {lab.look.label: what_happened(lab), **cards[0].first.facts}
    return Shown(
        causes=[_card(one, replace(view, steps=None)) for one in lab.causes],
        cards=cards,  # the first in the open
        unshown_cards=max(0, len(said) - _MOST_CARDS),
        advice=advice(lab, instructor=view.instructor),  # cards do not repeat it
        named=lab.look.label,  # stands above
        says_all=says_all,
    )


def _card(finding: Finding, view: LabView) -> Shown:
    return Shown(
        finding=finding,
        where=place_of(finding),
        facts=facts_of(finding, view.lab, instructor=view.instructor),
        excerpt=excerpt(finding, view.sources),
        steps=view.step_link(finding.kind, finding.line),
        orders=view.step_link(finding.kind, finding.line, "orders"),  # plays both orders of a race
        story=view.step_link(finding.kind, finding.line, "story"),
        size=view.step_size(finding),
        story_words=_LANES if finding.access in {"shuffle", "mask"} else _STORIES_OF_KINDS.get(finding.kind, ""),
    )


# The cases, and what the compiler said and a kernel printed.

_NOT_RUN = "Not run"  # an outcome that needs no other words
_MOST_SHAPES = 40


def case_row(case: Case, *, findings: Sequence[Finding] = (), told: str = "", instructor: bool) -> Shown:
    """`findings`: those that the page shows as cards. The row repeats neither them nor the advice `told`; what follows is folded."""
    launches = case.launches if may_show(case, instructor=instructor) else ()
    look, outcome = _outcome(case)
    message = "" if outcome == _NOT_RUN else _brief(case.message, findings)
    return Shown(
        case=case,
        look=look,
        outcome=outcome,  # the look's label, or "Not met"
        plain=outcome == look.label and case.passed,  # then the sign says enough
        # A technique that is missed is told above the cases.
        unfolded=case.verdict is not Verdict.PASS and not any(explains(one, case) for one in findings),
        has_more=bool(launches or case.advice not in {"", told} or message),
        advice="" if case.advice == told else case.advice,
        message=message,
        shapes=[
            Shown(launch=one, text=launch_text(one), message=_brief(one.message, findings))
            for one in launches[:_MOST_SHAPES]
        ],
        more_shapes=max(0, len(launches) - _MOST_SHAPES),
    )


def explains(finding: Finding, case: Case) -> bool:
    """Whether the case may have failed for nothing else. A race spoils results also where it was not seen."""
    seen = case.name in finding.cases or case.verdict is finding.kind
    return finding.severity == "error" and (seen or (finding.kind in SPOILS and case.verdict is Verdict.WRONG_ANSWER))


def _brief(message: str, findings: Sequence[Finding]) -> str:
    """The message without the part that a finding says in full: `M=32 N=32 K=64: line 21`."""
    for finding in findings:
        if finding.message and finding.message in message:
            message = message.replace(finding.message, "").strip().rstrip(":;")
    return visible_text.line(message, 600)


def _outcome(case: Case) -> tuple[VerdictFacts, str]:
    """The outcome's label. Some outcomes have no verdict: a missed technique with a right result, one that does not count, no run."""
    look = case.verdict.facts
    if case.passed:
        return look, look.label if case.points == case.max_points else "Met, not counted"
    if case.verdict is Verdict.PASS:
        return Verdict.WRONG_ANSWER.facts, "Not met"
    return look, _NOT_RUN if case.message == NOT_RUN and not case.launches else look.label


def case_section(view: LabView) -> Shown | None:
    lab = view.lab
    shown = lab.findings[:_MOST_CARDS]
    told = advice(lab, instructor=view.instructor)
    rows = [case_row(case, findings=shown, told=told, instructor=view.instructor) for case in lab.cases]
    for row in rows:
        row.plain |= row.outcome == lab.look.label
    for row in [one for one in rows if one.unfolded][1:]:
        row.unfolded = False  # the first says enough to begin with
    passed = [one for one in rows if lab.verdict is Verdict.PASS and one.plain and one.case.passed]
    rest = [one for one in rows if one not in passed]
    parts = [("Cases" if lab.ran else "No case could be run", rest, lab.ran), ("Passed cases", passed, False)]
    groups = [Shown(title=title, rows=those, open=is_open) for title, those, is_open in parts if those]
    return Shown(groups=groups) if groups and lab.verdict is not Verdict.MISSING_FILE else None


def compiler_log(view: LabView, *, ok: bool) -> list[Shown]:
    """Errors that no finding shows are in the open. Warnings are folded, further down the page."""
    build = view.lab.build
    if build is None or build.ok is not ok or not build.log.strip():
        return []
    return [_output("What the compiler said", {build.log.strip("\n"): ""}, 80, folded=ok or bool(view.lab.findings))]


_MOST_TEXTS = 3


def printed_section(view: LabView) -> list[Shown]:
    """What a kernel printed: each different text once, with the first shape that printed it."""
    shapes: dict[str, str] = {}
    for launch in view.launches():
        if launch.printed.strip():
            shapes.setdefault(launch.printed, launch.shape)
    title = f"What the {'kernel' if view.lab.contract == 'kernel' else 'program'} printed"
    return [_output(title, dict(list(shapes.items())[:_MOST_TEXTS]), 40)] if shapes else []


def _output(title: str, shapes: Mapping[str, str], lines: int, *, folded: bool = True) -> Shown:
    """`shapes`: of each text; empty where it belongs to none."""
    texts = [Shown(shape=shape, block=visible_text.block(text, lines=lines)) for text, shape in shapes.items()]
    return Shown(title=title, texts=texts, folded=folded)


# The section of wrong outputs: the mistake that explains them, where it is known, and pictures of the outputs. Pure.

_OPEN_FIGURES = 1
_MOST_FIGURES = 6
_STORIES_OF_PAGES = {  # by the beginning of the page's name
    "untouched": "See which thread should have done it",
    "sum": "Follow the sum in a wrong element",
    "copy": "See where a wrong element comes from",
}


def mismatch_section(view: LabView) -> Shown | None:
    explained = explanations(view.lab, instructor=view.instructor)
    figures = mismatch_figures(view.lab, instructor=view.instructor)[:_MOST_FIGURES]
    if not explained and not figures:
        return None
    story = view.step_link(Verdict.WRONG_ANSWER, None, "story")
    return Shown(
        explained=explained,  # the mistakes that reproduce an output
        where=suspect_sentence(view.lab),
        changes=suspect_changes(view.lab) if view.instructor else [],
        figures=figures[:_OPEN_FIGURES],
        more_figures=figures[_OPEN_FIGURES:],
        folded=any(one.severity == "error" for one in view.lab.findings),  # a finding above is to be corrected first
        follows=not explained and explains_all_wrong_outputs(view.lab),
        steps=view.step_link(Verdict.WRONG_ANSWER, None),
        story=story,
        story_words=_STORIES_OF_PAGES[next((one for one in _STORIES_OF_PAGES if f"{one}-" in story), "sum")],
    )


# How a lab's points came about besides its tests: deadline and lateness, a person's decision, regrade requests, earlier grades. Pure.

_FEW = 3  # changes that are not folded


def standing_section(view: LabView) -> Shown | None:
    """None where nothing but the tests made these points, and they were never other ones."""
    lab, standing = view.lab, view.lab.standing
    changes = [one for one in reversed(lab.changes) if view.instructor or one.before != one.after]
    override = standing.override if standing else None
    if standing is None and not changes and not lab.requests:
        return None
    decision = ""
    if standing is not None and override is not None:
        day = f" ({visible_text.line(override.date, 60)})" if override.date else ""
        judged = points(standing.judged_points)
        decision = f"{points(override.points)} points by decision of {visible_text.line(override.author, 200)}{day}, instead of {judged}."
    return Shown(
        decision=decision,
        reason=override.reason if override is not None else "",
        facts=dict(_facts(standing, lab, instructor=view.instructor)) if standing is not None else {},
        requests=lab.requests,
        changes=changes[:_FEW],  # the newest first
        older=changes[_FEW:],
    )


def shown_moment(text: str) -> str:
    """ISO 8601 for people: "2026-10-19 23:59 (UTC+02:00)"."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return visible_text.line(text, 40)
    zone = f" (UTC{found:%z})".replace("(UTC+0000)", "(UTC)") if found.tzinfo is not None else ""
    if len(zone) > len(" (UTC)"):
        zone = f"{zone[:-3]}:{zone[-3:]}"
    return f"{found:%Y-%m-%d %H:%M}{f':{found:%S}' if found.second else ''}{zone}"


def late_words(standing: Standing) -> str:
    """What being late cost: "2 points less for 2 days"; empty: nothing."""
    if standing.closed:
        return f"too late to count: {_fewer(standing.lost)}"
    left = standing.late_days - standing.days_spent
    return f"{_fewer(standing.lost)} for {counted(left, 'day')} late" if standing.lost else ""


def _fewer(lost: float) -> str:
    return f"{points(lost)} point{'' if lost == 1 else 's'} less"


def _facts(standing: Standing, lab: LabResult, *, instructor: bool) -> Iterator[tuple[str, str]]:
    if standing.due:
        moved = f", extended from {shown_moment(standing.extended_from)}" if standing.extended_from else ""
        yield ("Deadline", f"{shown_moment(standing.due)}{moved}")
    if instructor and standing.extension:
        yield ("Reason for the extension", visible_text.line(standing.extension, 1000))
    if standing.at:
        late = f", {standing.late} late" if standing.late else ", in time" if standing.due else ""
        yield ("Handed in", f"{shown_moment(standing.at)}{late}")
    elif standing.time_unknown:
        said = "late, as the platform says, but not how late" if standing.said_late else "nothing says when: not late"
        yield ("Handed in", said)
    if standing.days_left is not None:
        used = f"{standing.days_spent} used here, " if standing.days_spent else ""
        yield ("Late days", f"{used}{standing.days_left} left")
    if words := late_words(standing):
        yield ("Being late", words)
    if standing.judged_points != lab.points:
        yield ("The tests gave", f"{points(standing.judged_points)} of {points(lab.max_points)}")


# The section of the lab's questions: for a student which were found, for the instructor what was written. Pure.

_STATES = {
    "right": ("✓", "good", "right"),
    "wrong": ("✗", "bad", "not right"),
    "unclear": ("?", "waiting", "no number"),
    "unchecked": ("·", "absent", "not checked"),
    "open": ("·", "absent", "not answered"),
}


def answer_section(view: LabView) -> Shown | None:
    """None where there is nothing to say: the lab asks nothing, or there is no file and the course does not want that said."""
    answers = view.lab.answers
    if answers is None or not (answers.found or answers.listed):
        return None
    unfolded = bool(answers.trouble) or (view.instructor and answers.begun)
    return Shown(
        answers=answers, summary=answer_summary(answers), unfolded=unfolded, states=_STATES, look=_look_of_question
    )


def answer_summary(answers: LabAnswers) -> str:
    """In words: "3 of 6 answered, 2 of 3 numbers right". Without a file it says so."""
    if not answers.found:
        return f"no answers.md was found: {counted(len(answers.questions), 'question')} open"
    said = f"{answers.answered} of {len(answers.questions)} answered"
    given = sum(one.state in {"right", "wrong"} for one in answers.numbers)
    return f"{said}, {answers.right} of {counted(given, 'number')} right" if given else said


def _look_of_question(one: QuestionAnswer) -> tuple[str, str, str]:
    """Glyph, tone and words."""
    if not one.answered:
        return ("◐", "waiting", "partly answered") if one.begun else ("·", "absent", "not answered")
    wrong = any(number.state in {"wrong", "unclear"} for number in one.numbers)
    return ("✓", "waiting", "answered, see its numbers") if wrong else ("✓", "good", "answered")
