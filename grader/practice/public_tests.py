"""The student's loop: builds one file, runs a lab's public cases on it, scores them. Hidden cases stay out of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Protocol

from grader.intake.source_text import normalise
from grader.model.labs import Lab, LabError
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.scoring.lab_score import score_lab

PUBLIC_SEED = 1  # public cases are the same for everybody, every time


def public_half(lab: Lab, case: str | None = None) -> Lab:
    """The lab with its public cases alone, or the one named `case`. Raises LabError when it has no such case."""
    cases = lab.public.case
    if case is not None:
        exact = [one for one in cases if one.name.casefold() == case.casefold()]
        near = [one for one in cases if case.casefold() in one.name.casefold()]
        if len(chosen := exact or near) != 1:
            names = "; ".join(repr(one.name) for one in chosen or cases)
            which = "several public cases match" if chosen else "no public case matches"
            message = f"{which} {case!r} in {lab.id}. Its cases: {names}"
            raise LabError(message)
        cases = tuple(chosen)
    return dataclasses.replace(lab, public=lab.public.model_copy(update={"case": cases}), private=None)


class PublicJudge(Protocol):
    """Judges the public cases, or the one named."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /, *, case: str | None) -> LabOutcome: ...


def try_out(lab: Lab, source: Path, scratch: Path, judge: PublicJudge, *, case: str | None = None) -> LabResult:
    """The result of `source` on the public cases, or on the one that `case` names or is a part of."""
    shown = public_half(lab, case)
    if not source.is_file():
        message = f"{source}: there is no such file. The lab {lab.id} asks for {lab.public.file}."
        raise LabError(message)
    copy = scratch / lab.public.file  # as intake takes it in, under the name that findings will give
    copy.write_bytes(normalise(source.read_bytes())[0])
    judging = scratch / "judging"
    judging.mkdir()
    return score_lab(shown, judge(lab, copy, judging, case=None if case is None else shown.public.case[0].name))
