"""Whose speed was measured on which GPU, and whose was not and why. Some kernels of a batch may have been graded without a GPU, or at a
time when the machine was too noisy. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.model import visible_text
from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted
from grader.pages.class_page.class_view import group
from grader.pages.page_section import Shown
from grader.run.speed.speed_score import is_measured

_NUMBER = re.compile(r"\d[\d.,]*")
_FEW = 12  # a longer list is folded
_MOST = 300
_LETTERS = 10_000  # names of labs
_MOST_GROUPS = 12


def measured_speed(results: Sequence[Result]) -> Shown | None:
    """Covers the right kernels in timed labs; no other kernels are timed. None where no lab is timed."""
    kernels = list(_right_kernels(results))
    if not any(lab.timing for result in results for lab in result.labs.values()):
        return None
    if not any(_is_timed(lab) for _, _, lab in kernels):
        reasons = list({_key(lab): _label(lab) for _, _, lab in kernels}.values()) or ["no kernel is correct yet"]
        return Shown(labs=[], groups=[], sentence=f"Speed was not measured: {'; '.join(reasons[:_MOST_GROUPS])}.")
    keys = sorted({_key(lab) for _, _, lab in kernels})
    labs = dict.fromkeys(lab_id for _, lab_id, _ in kernels)
    return Shown(
        labs=[_of_lab(lab_id, [lab for _, one, lab in kernels if one == lab_id]) for lab_id in labs],
        groups=[_group([one for one in kernels if _key(one[2]) == key]) for key in keys[:_MOST_GROUPS]],
        sentence="",
    )


def _right_kernels(results: Sequence[Result]) -> Iterator[tuple[Result, str, LabResult]]:
    for result in results:
        for lab_id, lab in result.labs.items():
            if lab.timing and lab.verdict is Verdict.PASS and all(
                case.passed for case in lab.cases if case.role == "correctness"
            ):  # fmt: skip
                yield result, lab_id, lab


def _is_timed(lab: LabResult) -> bool:
    return lab.timing is not None and lab.timing.speedup is not None


def _label(lab: LabResult) -> str:
    """The GPU that a kernel was timed on, or why it was not."""
    assert lab.timing is not None
    return visible_text.line(lab.timing.device if _is_timed(lab) else lab.timing.words, 200)


def _key(lab: LabResult) -> tuple[bool, str]:
    """The key to group and sort by. Timed kernels come first. Reasons that differ only in their numbers are the same."""
    return not _is_timed(lab), _label(lab) if _is_timed(lab) else _NUMBER.sub("0", _label(lab))


def _of_lab(lab_id: str, labs: Sequence[LabResult]) -> str:
    """The rule is that of scoring: speed counts in a lab if all its right kernels were timed, or were too slow for that."""
    timed = sum(is_measured(lab.timing) for lab in labs)
    name = visible_text.line(lab_id, 60)
    if timed == len(labs):
        return f"{name}: all correct kernels were timed, {len(labs)} of {len(labs)}."
    return (
        f"{name}: only {timed} of {counted(len(labs), 'correct kernel')} were timed, so speed changes nobody's points."
    )


def _group(kernels: Sequence[tuple[Result, str, LabResult]]) -> Shown:
    first = kernels[0][2]
    students: dict[str, tuple[Result, list[str]]] = {}
    for result, lab_id, _ in kernels:
        students.setdefault(result.submission.id, (result, []))[1].append(visible_text.line(lab_id, 60))
    ordered = sorted(students.values(), key=lambda each: each[0].submission.called.casefold())
    timed, number = _is_timed(first), counted(len(kernels), "kernel")
    title, why = (f"Timed on {_label(first)}", "") if timed else ("Not timed", _label(first))
    few, tone = (-1, "good") if timed else (_FEW, "waiting")
    found = ((result, ", ".join(labs)) for result, labs in ordered)
    return group(title, why, found, most=_MOST, few=few, letters=_LETTERS, tone=tone, count=number)
