"""What a person has to look at after a batch: failures of ours, labs that need a GPU, refused uploads. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted, points, share
from grader.pages.class_page.class_view import ClassView, Group, brought_nothing, entries, group, is_open
from grader.pages.student_page.standing_section import late_words

_MOST = 40
_FEW = 12  # a longer list is folded


def attention(results: Sequence[Result]) -> tuple[Group, ...]:
    """The groups that are not empty."""
    groups = [
        _group(
            Verdict.INTERNAL_ERROR,
            "The grader failed",
            "Nobody loses points because of this. Grade again; report it if it happens again.",
            _labs_with(results, Verdict.INTERNAL_ERROR),
        ),
        _group(
            Verdict.NEEDS_GPU,
            "Still to be graded on a GPU",
            "These have no points yet. They have neither passed nor failed.",
            _labs_with(results, Verdict.NEEDS_GPU),
        ),
        _group(
            Verdict.NEEDS_GPU,
            "CPU executor and GPU disagree",
            "A case counts only when both pass it. Find out which one is right; the instructor's result has both verdicts.",
            _differences(results),
        ),
        _group(
            Verdict.WRONG_ANSWER,
            "Wrong at a size of the sweep",
            "Every case passes, so verdict and points do not change. Add a case of that size to the lab to catch it.",
            _wrong_in_sweep(results),
        ),
        _group(
            Verdict.REJECTED,
            "Refused uploads",
            "Nothing of the upload was graded. Ask the student to hand it in again.",
            ((result, result.submission.refused) for result in results if result.submission.refused),
        ),
        _group(
            Verdict.REJECTED,
            "Rejected code",
            "Look at the line: is it a mistake or an attempt to cheat?",
            (pair for pair in _labs_with(results, Verdict.REJECTED) if not pair[0].submission.refused),
        ),
    ]
    return tuple(one for one in groups if one.entries)


def _group(verdict: Verdict, title: str, remedy: str, found: Iterator[tuple[Result, str]]) -> Group:
    return replace(group(title, remedy, entries(found), most=_MOST, few=_FEW), look=verdict.facts)


def _labs_with(results: Sequence[Result], verdict: Verdict) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        if lab.verdict is verdict:
            yield result, f"{lab_id}: {_reason(lab, verdict)}"


def _differences(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    """The first difference of each lab. The others are in the result."""
    for result, lab_id, lab in _labs(results):
        found = [case for case in lab.cases if case.difference]
        if found:
            yield result, f"{lab_id}, {found[0].name}: {found[0].difference}"
        elif lab.gpu_trouble and lab.verdict is Verdict.PASS:
            was_run = any(case.on_gpu for case in lab.cases)
            yield result, f"{lab_id}: {'' if was_run else 'judged by the CPU executor alone: '}{lab.gpu_trouble}"


def _wrong_in_sweep(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    """The first wrong size of each lab."""
    for result, lab_id, lab in _labs(results):
        wrong = next((one for one in lab.timing.sweep if one.wrong), None) if lab.timing else None
        if wrong:
            yield result, f"{lab_id}, {wrong.shape}: {wrong.trouble}"


def _reason(lab: LabResult, verdict: Verdict) -> str:
    messages = [finding.message for finding in lab.findings if finding.kind is verdict]
    messages += [case.message for case in lab.cases if case.verdict is verdict and case.message]
    return next(iter(messages), verdict.facts.sentence)


# What the course's policy and people decided in a class: overrides, regrade requests, late work, and which grades changed last. Pure.

_DECISIONS_MOST = 200
_DECISIONS_FEW = 6  # a longer list is folded


def decisions(results: Sequence[Result]) -> tuple[Group, ...]:
    """The groups that are not empty."""
    groups = [
        _decisions_group(
            "Regrade requests without an answer",
            "Write the answer into regrade.csv and grade again.",
            _open_requests(results),
        ),
        _decisions_group(
            "Points that a person decided", "They stand whatever a grading finds: overrides.csv.", _overrides(results)
        ),
        _decisions_group("Late", "What being late cost, and late days that were used.", _late(results)),
        _decisions_group(
            "Nothing says when they were handed in",
            "So they are not late. An override can take points.",
            _unknown(results),
        ),
        _decisions_group(*_last_changes(results)),
    ]
    return tuple(one for one in groups if one.entries)


def _decisions_group(title: str, remedy: str, found: Iterator[tuple[Result, str]]) -> Group:
    return group(title, remedy, entries(found, 400), most=_DECISIONS_MOST, few=_DECISIONS_FEW)


def _labs(results: Sequence[Result]) -> Iterator[tuple[Result, str, LabResult]]:
    for result in results:
        for lab_id, lab in result.labs.items():
            yield result, lab_id, lab


def _open_requests(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        for one in lab.requests:
            if not one.answer:
                yield result, f"{lab_id}: {one.request}"


def _overrides(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        if lab.standing is not None and (one := lab.standing.override) is not None:
            by = f"{one.author}{f', {one.date}' if one.date else ''}"
            yield (
                result,
                f"{lab_id}: {points(lab.standing.judged_points)} → {points(one.points)}, by {by}: {one.reason}",
            )


def _late(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        standing = lab.standing
        if standing is not None and standing.late_seconds and standing.override is None:
            used = f"{counted(standing.days_spent, 'late day')} used" if standing.days_spent else ""
            said = ", ".join(filter(None, [used, late_words(standing)])) or "nothing lost"
            yield result, f"{lab_id}: {standing.late} late; {said}"


def _unknown(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        if lab.standing is not None and lab.standing.time_unknown and lab.standing.override is None:
            yield result, f"{lab_id}{': marked as late by the platform' if lab.standing.said_late else ''}"


def _last_changes(results: Sequence[Result]) -> tuple[str, str, Iterator[tuple[Result, str]]]:
    """Of the batch that changed grades last."""
    moved = [
        (result, lab_id, one)
        for result, lab_id, lab in _labs(results)
        for one in lab.changes
        if one.before != one.after
    ]
    last = max((one.date for _, _, one in moved), default="")
    found = (
        (result, f"{lab_id}: {_points(one.before)} → {_points(one.after)}; {'; '.join(one.causes)}")
        for result, lab_id, one in moved
        if one.date == last
    )
    return (
        "Grades that changed last",
        f"Found on {last[:16].replace('T', ' ')} UTC. `tilelab history` shows all.",
        found,
    )


def _points(value: float | None) -> str:
    return "no grade" if value is None else points(value)


# Whom to write to after a batch: those who handed in nothing, and those who need help. Each with the reason. Pure.

MOST_PASS = 75.0  # percent of those who handed a lab in: then whoever does not pass it is behind
BEHIND = 0.5  # of the median of all totals
_FOLLOW_UP_MOST = 60
_MOST_REASONS = 3


def follow_up(view: ClassView) -> tuple[Group, ...]:
    """The groups that are not empty."""
    absent = {one.submission.id: _what_is_missing(one) for one in view.results if brought_nothing(one)}
    groups = (
        _follow_up_group(
            view, "nothing", "Handed in nothing", "No upload, or none of a lab's files in it.", "absent", absent
        ),
        _follow_up_group(
            view,
            "help",
            "Need help",
            f"Less than half of the median, a lab is wrong that {MOST_PASS:.0f} % of the class pass, or a lab's technique is missed.",
            "bad",
            needs_help(view),
        ),
    )
    return tuple(one for one in groups if one.entries)


def needs_help(view: ClassView) -> Mapping[str, str]:
    """The reasons by student, those with the fewest points first. Not of those who handed in nothing, and of no total that is open."""
    at_work = [one for one in view.results if not brought_nothing(one) and not is_open(one)]
    if not at_work:
        return {}
    middle = median(one.total for one in at_work)
    passing = {lab_id: _passing(view, lab_id) for lab_id in view.labs}
    found = {}
    for result in sorted(at_work, key=lambda one: one.total):
        reasons = list(_reasons(result, middle, passing))
        if reasons:
            more = len(reasons) - _MOST_REASONS
            found[result.submission.id] = "; ".join(reasons[:_MOST_REASONS]) + (
                f"; and {more} more" if more > 0 else ""
            )
    return found


def _reasons(result: Result, middle: float, passing: Mapping[str, float]) -> Iterator[str]:
    if result.max and result.total < BEHIND * middle:  # extra credit is nobody's duty
        yield f"{points(result.total)} points, and the median is {points(round(middle, 1))}"
    for lab_id, lab in result.labs.items():
        if lab.missed_technique and not lab.extra_credit:
            yield f"{lab_id}: {lab.look.label.lower()}"
        elif _fails(lab) and not lab.extra_credit and passing[lab_id] >= MOST_PASS:
            yield f"{lab_id}: {lab.verdict.facts.label.lower()}, and {passing[lab_id]:.0f} % pass"


def _fails(lab: LabResult) -> bool:
    if lab.standing is not None and lab.standing.open:  # not due yet
        return False
    return lab.verdict.facts.tone == "bad" or lab.verdict is Verdict.MISSING_FILE


def _passing(view: ClassView, lab_id: str) -> float:
    """Percent of those who handed the lab in."""
    labs = [one.labs[lab_id] for one in view.results if lab_id in one.labs]
    handed_in = [one for one in labs if one.verdict is not Verdict.MISSING_FILE]
    return share(sum(one.passed for one in handed_in), len(handed_in))


def _what_is_missing(result: Result) -> str:
    return "an upload without a lab's file" if result.submission.handed_in else ""


def _follow_up_group(view: ClassView, anchor: str, title: str, rule: str, tone: str, found: Mapping[str, str]) -> Group:
    people = entries((view.by_id[student], reasons) for student, reasons in found.items())
    return replace(group(title, rule, people, most=_FOLLOW_UP_MOST, few=_FEW), tone=tone, anchor=anchor)
