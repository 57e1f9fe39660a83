"""Builds one file of a student, runs a lab's public cases on it, and scores them. Hidden cases are never used."""

from __future__ import annotations

import dataclasses
import difflib
from pathlib import Path
from typing import Protocol

from grader.intake.source_text import normalise
from grader.model.lab_spec import CaseSpec
from grader.model.labs import Lab, LabError
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import LabResult
from grader.practice.own_file import readable_source
from grader.scoring.lab_score import score_lab

PUBLIC_SEED = 1  # public cases are the same for everybody at all times
_NEAR = 0.6  # of difflib's likeness
_LONG_WORD = 3


def matching_cases(lab: Lab, words: str) -> tuple[CaseSpec, ...]:
    """The public case of this name; else every case whose name contains the words; else every case with all of them, in any order."""
    cases, wanted = lab.public.case, " ".join(words.casefold().split())
    for matches in (
        lambda name: name == wanted,
        lambda name: wanted in name,
        lambda name: all(word in name for word in wanted.split()),
    ):
        if wanted and (found := tuple(one for one in cases if matches(one.name.casefold()))):
            return found
    return ()


def public_half(lab: Lab, case: str | None = None) -> Lab:
    """The lab with only its public cases, or only those that `case` names. Raises LabError if there is none."""
    cases = lab.public.case
    if case is not None and not (cases := matching_cases(lab, case)):
        raise LabError(no_such_case([lab], case))
    return dataclasses.replace(lab, public=lab.public.model_copy(update={"case": cases}), private=None)


def no_such_case(labs: list[Lab], case: str) -> str:
    """What there is instead: the names that are near, or all of one lab."""
    names = [one.name for lab in labs for one in lab.public.case]
    near = list(dict.fromkeys(one for one in names if _is_near(case, one)))
    which = f"no public test{f' of {labs[0].id}' if len(labs) == 1 else ''} matches CASE={case!r}"
    if near:
        return f"{which}. Do you mean: {'; '.join(near)}?"
    if len(labs) > 1:
        return f"{which}; name the lab too, as in LAB={labs[0].id}, to be told its tests"
    return f"{which}. Its tests: {'; '.join(names)}"


def _is_near(words: str, name: str) -> bool:
    """Whether one of the words is nearly one of the name's."""
    of_name, long = name.casefold().split(), [word for word in words.casefold().split() if len(word) >= _LONG_WORD]
    return any(difflib.get_close_matches(word, of_name, 1, _NEAR) for word in long)


class PublicJudge(Protocol):
    """Judges the public cases, or `only` those named."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /, *, only: tuple[str, ...]) -> LabOutcome: ...


def try_out(lab: Lab, source: Path, scratch: Path, judge: PublicJudge, *, case: str | None = None) -> LabResult:
    """The result of `source` on the public cases, or on those that `case` names. Raises LabError if it is no file with source text."""
    shown = public_half(lab, case)
    copy = scratch / lab.public.file  # as intake stores it, under the name that findings will show
    copy.write_bytes(normalise(readable_source(source, lab))[0])
    judging = scratch / "judging"
    judging.mkdir()
    only = () if case is None else tuple(one.name for one in shown.public.case)
    return score_lab(shown, judge(lab, copy, judging, only=only))
