"""Builds one file of a student, runs a lab's public cases on it, and scores them. Hidden cases are never used."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Protocol

from grader.intake.source_text import normalise
from grader.model.labs import Lab, LabError
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.scoring.lab_score import score_lab

PUBLIC_SEED = 1  # public cases are the same for everybody at all times


def public_half(lab: Lab, case: str | None = None) -> Lab:
    """The lab with only its public cases, or only the one named `case`. Raises LabError if it has no such case."""
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
    """Judges the public cases, or only the one named."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /, *, case: str | None) -> LabOutcome: ...


def try_out(lab: Lab, source: Path, scratch: Path, judge: PublicJudge, *, case: str | None = None) -> LabResult:
    """The result of `source` on the public cases, or on the one whose name contains `case`."""
    shown = public_half(lab, case)
    if not source.is_file():
        message = f"{source}: there is no such file. The lab {lab.id} asks for {lab.public.file}."
        raise LabError(message)
    copy = scratch / lab.public.file  # as intake stores it, under the name that findings will show
    copy.write_bytes(normalise(source.read_bytes())[0])
    judging = scratch / "judging"
    judging.mkdir()
    return score_lab(shown, judge(lab, copy, judging, case=None if case is None else shown.public.case[0].name))
