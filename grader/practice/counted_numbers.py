"""Numbers that questions ask of a student's own kernel: counted in a run of it, so that nothing has to be kept. It builds and runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.verdicts import Verdict
from grader.questions.number_text import rounded
from grader.questions.question_file import LabQuestions, NumberSpec
from grader.single_launch.lab_launch import build_runner, read_source
from grader.single_launch.profiling import profile_runner
from grader.traffic.profile import metrics_of

# By a shape: the counts of a run at it. None: the run was not right and clean.
Counts = Callable[[str], dict[str, float] | None]


def with_counted(questions: LabQuestions, counts: Counts) -> LabQuestions:
    """The questions with what the student's kernel does as the right numbers. What cannot be counted stays unknown."""
    numbers = dict(questions.numbers)
    for key, spec in _counted(questions):
        found = counts(spec.shape)
        if found is not None and spec.counted in found:
            numbers[key] = rounded(Fraction(found[spec.counted]), spec.digits)
    return replace(questions, numbers=numbers)


def own_counts(lab: Lab, toolset: Toolset) -> Counts:
    """Of the file in the lab's folder. Raises what building it raises."""
    source = read_source(lab.public_dir / lab.public.file)
    known: dict[str, dict[str, float] | None] = {}

    def counts(shape: str) -> dict[str, float] | None:
        if shape not in known:
            with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
                launch = profile_runner(
                    toolset, lab, source, shape, build_runner(toolset, lab, source, Path(scratch))
                ).launch
            right = launch.verdict is Verdict.PASS and launch.traffic is not None
            known[shape] = metrics_of(launch.traffic) if right else None
        return known[shape]

    return counts


def _counted(questions: LabQuestions) -> Iterator[tuple[tuple[str, str], NumberSpec]]:
    for one in questions.questions:
        for spec in one.number:
            if spec.counted:
                yield (one.id, spec.label), spec
