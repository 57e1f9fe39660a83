"""What a person has to look at after a batch: failures of ours, labs that need a GPU, refused uploads. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.class_week.class_view import report_link
from grader.reports.text import visible

_MOST = 40
_FEW = 12  # a longer list is folded


@dataclass(frozen=True)
class Entry:
    name: str
    link: str
    detail: str


@dataclass(frozen=True)
class Attention:
    look: VerdictFacts
    title: str
    remedy: str
    entries: tuple[Entry, ...]
    more: int
    unfolded: bool

    @property
    def count(self) -> int:
        return len(self.entries) + self.more


def attention(results: Sequence[Result]) -> tuple[Attention, ...]:
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
    return tuple(group for group in groups if group.entries)


def _group(verdict: Verdict, title: str, remedy: str, found: Iterator[tuple[Result, str]]) -> Attention:
    entries = [
        Entry(visible.person(one.submission), report_link(one), visible.line(detail, 240)) for one, detail in found
    ]
    return Attention(
        verdict.facts,
        title,
        remedy,
        tuple(entries[:_MOST]),
        more=max(0, len(entries) - _MOST),
        unfolded=len(entries) <= _FEW,
    )


def _labs_with(results: Sequence[Result], verdict: Verdict) -> Iterator[tuple[Result, str]]:
    for result in results:
        for lab_id, lab in result.labs.items():
            if lab.verdict is verdict:
                yield result, f"{lab_id}: {_reason(lab, verdict)}"


def _differences(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    """The first difference of each lab. The others are in the result."""
    for result in results:
        for lab_id, lab in result.labs.items():
            found = [case for case in lab.cases if case.difference]
            if found:
                yield result, f"{lab_id}, {found[0].name}: {found[0].difference}"
            elif lab.gpu_trouble and lab.verdict is Verdict.PASS:
                was_run = any(case.on_gpu for case in lab.cases)
                yield result, f"{lab_id}: {'' if was_run else 'judged by the CPU executor alone: '}{lab.gpu_trouble}"


def _wrong_in_sweep(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    """The first wrong size of each lab."""
    for result in results:
        for lab_id, lab in result.labs.items():
            wrong = next((one for one in lab.timing.sweep if one.wrong), None) if lab.timing else None
            if wrong:
                yield result, f"{lab_id}, {wrong.shape}: {wrong.trouble}"


def _reason(lab: LabResult, verdict: Verdict) -> str:
    messages = [finding.message for finding in lab.findings if finding.kind is verdict]
    messages += [case.message for case in lab.cases if case.verdict is verdict and case.message]
    return next(iter(messages), verdict.facts.sentence)
