"""The search in a class: for a wrong result that nothing else explains, once for each file. What it finds decides nothing.

A student is told of what public cases alone show. The instructor is told also whether every hidden case passes with the change, and
of what hidden cases alone show.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from grader.judging.lab_verdict import lab_verdict
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.suspects.suspect_search import MOST_EDITS, SuspectSearch, places, suspect_of, wrong_case


@dataclass(frozen=True)
class ClassSearch:
    """`seed`: of the class; `public_seed`: that of public cases on a student's machine."""

    toolset: Toolset
    seed: int
    public_seed: int

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        """Whether there is something to look for, and something that was not tried."""
        return (
            not lab.public.starts_itself  # what builds a changed file here knows kernels only
            and self._tried(outcome) < MOST_EDITS
            and not outcome.causes
            and (
                self._public_is_wrong(lab, outcome)
                or (lab_verdict(lab, outcome).verdict is Verdict.WRONG_ANSWER and bool(wrong_case(lab, outcome.cases)))
            )
        )

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, seconds: float, workers: int) -> LabOutcome:
        """The outcome with what was found within so many seconds, by so many tries at a time. It continues where the search before it
        ended.
        """
        text = source.read_text(encoding="utf-8", errors="replace")
        every = SuspectSearch(self.toolset, self.seed, seconds, most=MOST_EDITS, public_only=False, workers=workers)
        public = self._public_is_wrong(lab, outcome)
        search = replace(every, seed=self.public_seed, public_only=True) if public else every
        tried = search.edits(lab, text, outcome.cases, begin=self._tried(outcome))
        found = [
            suspect_of(one).model_copy(update={"every": not public or every.passes(lab, one.text), "public": public})
            for one in places(tried.helping)
        ]
        number = MOST_EDITS if found else tried.number
        return replace(outcome, suspects=tuple(found), searched=f"{self._version} {number}")

    def _public_is_wrong(self, lab: Lab, outcome: LabOutcome) -> bool:
        """Whether public cases have wrong results and nothing else. Hidden cases have no say in what a student is told."""
        public = {case.name for case in lab.public.case}
        kinds = {case.verdict for case in outcome.cases if case.name in public} - {Verdict.PASS}
        return kinds == {Verdict.WRONG_ANSWER} and bool(wrong_case(replace(lab, private=None), outcome.cases))

    def _tried(self, outcome: LabOutcome) -> int:
        """How many changes were tried, by the search as it is now."""
        version, _, number = outcome.searched.partition(" ")
        return int(number) if version == self._version and number.isdecimal() else 0

    @cached_property
    def _version(self) -> str:
        """A search that tries other changes looks again."""
        files = sorted(Path(__file__).parent.glob("*.py"))
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
