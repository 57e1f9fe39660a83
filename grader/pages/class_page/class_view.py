"""What the sections of the class page are made from: the results, and what the batch knows of the class as a whole; and the sections that
are groups of students. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from urllib.parse import quote

from grader.model import visible_text
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight
from grader.model.result import GradeChange, LabResult, Result
from grader.model.verdicts import LOOKS, Verdict, VerdictFacts
from grader.model.visible_text import counted, points, share
from grader.pages.page_section import Shown
from grader.pages.student_page.lab_sections import late_words


@dataclass(frozen=True)
class ClassView:
    results: Sequence[Result]
    insight: ClassInsight = NOTHING_KNOWN

    @cached_property
    def handed_in(self) -> tuple[Result, ...]:
        """Without those whom only the roster knows."""
        return tuple(result for result in self.results if result.submission.handed_in)

    @cached_property
    def by_id(self) -> Mapping[str, Result]:
        return {result.submission.id: result for result in self.results}

    @cached_property
    def by_lab(self) -> Mapping[str, Sequence[tuple[Result, LabResult]]]:
        """What each student has of each lab."""
        found: dict[str, list[tuple[Result, LabResult]]] = {}
        for result in self.results:
            for lab_id, lab in result.labs.items():
                found.setdefault(lab_id, []).append((result, lab))
        return found

    @cached_property
    def labs(self) -> Mapping[str, LabResult]:
        """Each lab as its first student has it: for titles and maxima."""
        return {lab_id: each[0][1] for lab_id, each in self.by_lab.items()}

    @cached_property
    def looks(self) -> Sequence[VerdictFacts]:
        """What there is of them, in the order of the verdicts."""
        seen = {lab.look for each in self.by_lab.values() for _, lab in each}
        return [one for one in LOOKS if one in seen]

    def title(self, lab_id: str) -> str:
        return self.labs[lab_id].title if lab_id in self.labs else lab_id

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The course's sections by name; empty where the roster names none."""
        return tuple(sorted({one for result in self.results if (one := result.submission.student.section)}))


def handed_in_nothing(result: Result) -> bool:
    """Whether there is no upload, or none of a lab's files in it."""
    if not result.submission.handed_in:
        return True
    return result.submission.refused is None and all(
        lab.verdict is Verdict.MISSING_FILE for lab in result.labs.values()
    )


def is_open(result: Result) -> str:
    """Why the total may still change; empty where it does not."""
    verdicts = {lab.verdict for lab in result.labs.values()}
    if Verdict.INTERNAL_ERROR in verdicts:
        return "the grader failed on a lab"
    return "a lab is still to be graded on a GPU" if Verdict.NEEDS_GPU in verdicts else ""


def report_link(result: Result) -> str:
    """The link relative to the class page. The id is quoted as a whole, so it can neither leave its folder nor name a scheme."""
    return f"students/{_quoted(result)}/report.html"


def full_link(result: Result) -> str:
    """The same to the instructor's page."""
    return f"instructor/{_quoted(result)}.html"


def _quoted(result: Result) -> str:
    return quote(result.submission.id, safe="", errors="replace")


Said = tuple[Result, str]  # a student, and what there is to say


def group(
    title: str, remedy: str, found: Iterable[Said], *, most: int, few: int, letters: int = 240, **more: object
) -> Shown:
    """Students of whom the same is to be said. A list longer than `few` is folded, and one longer than `most` is cut."""
    told = ((one.submission, report_link(one), visible_text.line(detail, letters)) for one, detail in found)
    of = [
        Shown(name=visible_text.person(who), link=link, detail=detail, section=who.student.section)
        for who, link, detail in told
    ]
    shown = {"title": title, "remedy": remedy, "entries": of[:most], "count": len(of), "more": max(0, len(of) - most)}
    return Shown(**{**shown, "unfolded": len(of) <= few, "look": None, "tone": "", "anchor": "", **more})


def people(view: ClassView, students: Sequence[str], most: int, link: Callable[[Result], str] = full_link) -> Shown:
    """Names with links, of those whom the class holds."""
    known = [view.by_id[one] for one in students if one in view.by_id]
    names = [(visible_text.person(one.submission, 60), link(one)) for one in known[:most]]
    return Shown(names=names, more=max(0, len(known) - most))


# What a person has to look at after a batch, as groups of students: failures of ours, labs that need a GPU, refused uploads; what policy
# and people decided; and whom to write to. Pure.

_MOST, _FEW = 40, 12  # students of a group; a longer list than the second is folded
_NOTHING_TO_DO = 0  # of a group that needs nothing: it is folded
_REMEDIES = {
    "The grader failed": "It costs no points. Grade again; report it if it happens again.",
    "Still to be graded on a GPU": "These have no points yet. They have neither passed nor failed.",
    "CPU executor and GPU disagree": "A case counts only when both pass it. Find out which one is right; the instructor's result has "
    "both verdicts.",
    "Wrong at a size of the sweep": "Every case passes, so verdict and points do not change. Add a case of that size to the lab to "
    "catch it.",
    "Refused uploads": "Nothing of the upload was graded. Ask the student to hand it in again.",
    "Rejected code": "Look at the line: is it a mistake or an attempt to cheat?",
    "Regrade requests without an answer": "Write the answer into regrade.csv and grade again.",
    "Points that a person decided": "They stand whatever a grading finds: overrides.csv.",
    "Late": "What being late cost, and late days that were used.",
    "Nothing says when they were handed in": "So they are not late. An override can take points.",
    "Grades that changed last": "Found on {} UTC. `tilelab history` shows all.",
}


def attention(results: Sequence[Result]) -> Shown | None:
    taken = [one for one in results if not one.submission.refused]
    refused = ((one, one.submission.refused) for one in results if one.submission.refused)
    rows: tuple[tuple[Verdict, str, Iterable[Said]], ...] = (
        (Verdict.INTERNAL_ERROR, "The grader failed", _each(results, _reason(Verdict.INTERNAL_ERROR))),
        (Verdict.NEEDS_GPU, "Still to be graded on a GPU", _each(results, _reason(Verdict.NEEDS_GPU))),
        (Verdict.NEEDS_GPU, "CPU executor and GPU disagree", _each(results, _difference)),
        (Verdict.WRONG_ANSWER, "Wrong at a size of the sweep", _each(results, _wrong_in_sweep)),
        (Verdict.REJECTED, "Refused uploads", refused),
        (Verdict.REJECTED, "Rejected code", _each(taken, _reason(Verdict.REJECTED))),
    )
    groups = [
        group(title, _REMEDIES[title], found, most=_MOST, few=_FEW, look=verdict.facts, tone=verdict.facts.tone)
        for verdict, title, found in rows
    ]
    return _section("attention", "Needs your attention", groups)


def _section(kind: str, title: str, groups: Sequence[Shown]) -> Shown | None:
    """Of the groups that are not empty."""
    filled = [one for one in groups if one.entries]
    return Shown(kind=kind, title=title, groups=filled) if filled else None


def _each(results: Sequence[Result], say: Callable[[LabResult], Sequence[str]]) -> Iterator[Said]:
    """What there is to say of each lab, behind its id."""
    return ((one, f"{lab_id}{said}") for one in results for lab_id, lab in one.labs.items() for said in say(lab))


def _reason(verdict: Verdict) -> Callable[[LabResult], list[str]]:
    def say(lab: LabResult) -> list[str]:
        messages = [finding.message for finding in lab.findings if finding.kind is verdict]
        messages += [case.message for case in lab.cases if case.verdict is verdict and case.message]
        return [f": {next(iter(messages), verdict.facts.sentence)}"] if lab.verdict is verdict else []

    return say


def _difference(lab: LabResult) -> list[str]:
    """The first difference of the lab. The others are in the result."""
    found = [f", {case.name}: {case.difference}" for case in lab.cases if case.difference][:1]
    if found or not lab.gpu_trouble or lab.verdict is not Verdict.PASS:
        return found
    was_run = any(case.on_gpu for case in lab.cases)
    return [f": {'' if was_run else 'judged by the CPU executor alone: '}{lab.gpu_trouble}"]


def _wrong_in_sweep(lab: LabResult) -> list[str]:
    """The first wrong size of the lab."""
    return [f", {one.shape}: {one.trouble}" for one in (lab.timing.sweep if lab.timing else ()) if one.wrong][:1]


# What the course's policy and people decided in a class: overrides, regrade requests, late work, and which grades changed last. Pure.

_DECISIONS_MOST = 200
_UNANSWERED = "Regrade requests without an answer"


def decisions(results: Sequence[Result]) -> Shown | None:
    last = max((one.date for result in results for one in moved(result)), default="")
    day = last[:16].replace("T", " ")
    rows: dict[str, Callable[[LabResult], Sequence[str]]] = {
        _UNANSWERED: lambda lab: [f": {one.request}" for one in lab.requests if not one.answer],
        "Points that a person decided": _override,
        "Late": _late,
        "Nothing says when they were handed in": _unknown,
        "Grades that changed last": lambda lab: [_change(one) for one in _moved(lab) if one.date == last],
    }
    groups = [
        group(
            title,
            _REMEDIES[title].format(day),
            _each(results, say),
            most=_DECISIONS_MOST,
            few=_FEW if title == _UNANSWERED else _NOTHING_TO_DO,
            letters=400,
        )
        for title, say in rows.items()
    ]
    return _section("attention decisions", "Deadlines and decisions", groups)


def moved(result: Result) -> list[GradeChange]:
    return [one for lab in result.labs.values() for one in _moved(lab)]


def _moved(lab: LabResult) -> list[GradeChange]:
    return [one for one in lab.changes if one.before != one.after]


def _override(lab: LabResult) -> list[str]:
    one = lab.standing.override if lab.standing else None
    if lab.standing is None or one is None:
        return []
    by = f"{one.author}{f', {one.date}' if one.date else ''}"
    return [f": {points(lab.standing.judged_points)} → {points(one.points)}, by {by}: {one.reason}"]


def _late(lab: LabResult) -> list[str]:
    standing = lab.standing
    if standing is None or not standing.late_seconds or standing.override is not None:
        return []
    used = f"{counted(standing.days_spent, 'late day')} used" if standing.days_spent else ""
    said = ", ".join(filter(None, [used, late_words(standing)])) or "nothing lost"
    return [f": {standing.late} late; {said}"]


def _unknown(lab: LabResult) -> list[str]:
    if lab.standing is None or not lab.standing.time_unknown or lab.standing.override is not None:
        return []
    return [": marked as late by the platform" if lab.standing.said_late else ""]


def _change(one: GradeChange) -> str:
    before, after = ("no grade" if value is None else points(value) for value in (one.before, one.after))
    return f": {before} → {after}; {'; '.join(one.causes)}"


# Whom to write to after a batch: those who handed in nothing, and those who need help. Each with the reason. Pure.

MOST_PASS = 75.0  # percent of those who handed a lab in: then whoever does not pass it is behind
BEHIND = 0.5  # of the median of all totals
_FOLLOW_UP_MOST = 60
_MOST_REASONS = 3


def follow_up(view: ClassView) -> Shown | None:
    without = "an upload without a lab's file"
    absent = ((one, without if one.submission.handed_in else "") for one in view.results if handed_in_nothing(one))
    behind = ((view.by_id[student], reasons) for student, reasons in needs_help(view).items())
    few_pass = f"a lab is wrong that {MOST_PASS:.0f} % of the class pass, or a lab's technique is missed."
    rows: tuple[tuple[str, str, str, str, Iterable[Said]], ...] = (
        ("nothing", "absent", "Handed in nothing", "No upload, or none of a lab's files in it.", absent),
        ("help", "bad", "Need help", f"Less than half of the median of those who handed in a lab, {few_pass}", behind),
    )
    groups = [
        group(title, rule, found, most=_FOLLOW_UP_MOST, few=_FEW, tone=tone, anchor=anchor)
        for anchor, tone, title, rule, found in rows
    ]
    return _section("follow", "Whom to write to", groups)


def needs_help(view: ClassView) -> Mapping[str, str]:
    """The reasons by student, those with the fewest points first. Not of those who handed in nothing, and of no total that is open."""
    at_work = [one for one in view.results if not handed_in_nothing(one) and not is_open(one)]
    if not at_work:
        return {}
    middle = median(one.total for one in at_work)
    labs = {lab_id: [lab for _, lab in each] for lab_id, each in view.by_lab.items()}
    handed_in = {name: [one for one in each if one.verdict is not Verdict.MISSING_FILE] for name, each in labs.items()}
    passing = {name: share(sum(one.passed for one in each), len(each)) for name, each in handed_in.items()}
    found = {}
    for result in sorted(at_work, key=lambda one: one.total):
        reasons = list(_reasons(result, middle, passing))
        more = [f"and {len(reasons) - _MOST_REASONS} more"] if len(reasons) > _MOST_REASONS else []
        if reasons:
            found[result.submission.id] = "; ".join([*reasons[:_MOST_REASONS], *more])
    return found


def _reasons(result: Result, middle: float, passing: Mapping[str, float]) -> Iterator[str]:
    if result.max and result.total < BEHIND * middle:  # extra credit is voluntary
        yield f"{points(result.total)} points, and the median is {points(round(middle, 1))}"
    for lab_id, lab in ((lab_id, lab) for lab_id, lab in result.labs.items() if not lab.extra_credit):
        fails = not lab.is_open and (lab.verdict.facts.tone == "bad" or lab.verdict is Verdict.MISSING_FILE)
        if lab.missed_technique:
            yield f"{lab_id}: {lab.look.label.lower()}"
        elif fails and passing[lab_id] >= MOST_PASS:
            yield f"{lab_id}: {lab.verdict.facts.label.lower()}, and {passing[lab_id]:.0f} % pass"
