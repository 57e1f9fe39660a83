"""Tries small changes of a wrong kernel. Where one makes every case pass, its line is where the student has to look.

Each changed text is built, checked, confined and judged like a submission. Nothing here changes a verdict. Unless `public_only` is
false, only public cases are run, so what is found tells nothing of a hidden case. If changes in more than two places help, nothing is
said. A change that makes results right and memory accesses far worse does not help: it bends the kernel to fit another mistake.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset
from grader.explain.small_edits import SmallEdit, small_edits
from grader.model.labs import CaseSpec, Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Case, Launch, Suspect
from grader.model.verdicts import Verdict
from grader.run.judge_call import JudgeCall, run_judge, runner_argv
from grader.run.lab_verdict import lab_verdict
from grader.run.scoring.metrics import OPERATIONS, SECTORS_PER_PASS, global_names

MOST_EDITS = 120
MOST_LINES = 600  # of a file; a longer one takes too long to compile so often
_MOST_PLACES = 2
_JUDGE_SECONDS = 20.0  # of one changed kernel, which may never end
_LEAST_JUDGE_SECONDS = 5.0  # also where the time is nearly over
_COSTLY = 2  # times the sectors for the same work


@dataclass(frozen=True)
class Tried:
    helping: tuple[SmallEdit, ...]
    number: int  # so many changes were tried, from the likeliest on


@dataclass(frozen=True)
class SuspectSearch:
    """`seconds`: no change is tried after that many; None: all of the `most` likely are. `seed`: that of the cases that are run."""

    toolset: Toolset
    seed: int
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    most: int = MOST_EDITS
    public_only: bool = True
    workers: int | None = None  # None: one for each core

    def suspects(
        self, lab: Lab, text: str, cases: Sequence[JudgedCase | Case], *, stopped: Callable[[], bool] = bool
    ) -> tuple[Suspect, ...]:
        """The places that explain a wrong result, if there are one or two. `text`: the submission's; `cases`: what came of it;
        `stopped`: whether nobody waits for the answer any more.
        """
        tried = self.edits(lab, text, cases, stopped=stopped)
        return tuple(suspect_of(edit) for edit in places(tried.helping))

    def edits(
        self,
        lab: Lab,
        text: str,
        cases: Sequence[JudgedCase | Case],
        *,
        begin: int = 0,
        stopped: Callable[[], bool] = bool,
    ) -> Tried:
        """The changes that help, likely ones first. `begin`: so many were tried before. After the first that helps only changes of its
        kind are tried: they are as likely.
        """
        failed = wrong_case(self._asked(lab), cases)
        if not failed or text.count("\n") > MOST_LINES or lab.public.starts_itself:  # only kernels are built here
            return Tried((), self.most)
        deadline = None if self.seconds is None else self.clock() + self.seconds
        edits = small_edits(text, self.most)
        helping: list[SmallEdit] = []
        late = threading.Event()
        waiting = threading.Lock()

        @cache
        def as_it_is() -> tuple[JudgedCase, ...]:
            every = [one.name for one in self._correctness(lab)]
            return self._judged(lab, text, [every], deadline, until_failure=False)

        def helps(edit: SmallEdit) -> bool:
            changed = self._passing(lab, edit.text, failed, deadline)
            if not changed:
                return False
            with waiting:  # the kernel as it is runs once
                return not costs_more(as_it_is(), changed)

        def attempt(at: int) -> int:
            """How many were tried, as far as this one knows."""
            if helping and edits[at].operator not in {one.operator for one in helping}:
                return self.most
            if late.is_set() or stopped() or (deadline is not None and self.clock() > deadline):
                late.set()
                return at
            if helps(edits[at]):
                helping.append(edits[at])
            return self.most

        with ThreadPoolExecutor(max(self.workers or os.cpu_count() or 1, 1)) as workers:
            known = min(workers.map(attempt, range(begin, len(edits))), default=self.most)
        return Tried(tuple(sorted(helping, key=edits.index)), known)

    def passes(self, lab: Lab, text: str) -> bool:
        """Whether the text passes every case that judges the result."""
        return bool(self._passing(lab, text, "", None))

    def _passing(self, lab: Lab, text: str, first: str, deadline: float | None) -> tuple[JudgedCase, ...]:
        """Every case that judges the result, if the text passes them all. The case `first` is run before all others. What has not
        passed soon after `deadline` does not.
        """
        asked = [case.name for case in self._correctness(lab)]
        cases = self._judged(lab, text, [names for names in ([first] if first else [], asked) if names], deadline)
        return cases if {case.name for case in cases if _is_right(case)} == set(asked) else ()

    def _asked(self, lab: Lab) -> Lab:
        return replace(lab, private=None) if self.public_only else lab

    def _correctness(self, lab: Lab) -> list[CaseSpec]:
        return [case for case in self._asked(lab).cases if case.role == "correctness"]

    def _judged(
        self,
        lab: Lab,
        text: str,
        groups: Sequence[Sequence[str]],
        deadline: float | None,
        *,
        until_failure: bool = True,
    ) -> tuple[JudgedCase, ...]:
        """The cases of the last group of names, with their traffic; none where the text cannot be built or, `until_failure`, where a
        case of a group before fails.
        """
        with tempfile.TemporaryDirectory(prefix="tilelab-suspect-") as scratch:
            folder = Path(scratch)
            source, work = folder / lab.public.file, folder / "work"
            source.write_text(text, encoding="utf-8")
            work.mkdir()
            entries = EntrySignatures(lab.public.kernel, lab.public.launch)
            built = self.toolset.cpu_build(source, work, entries)
            if built.runner is None or built.image is None:
                return ()
            argv = runner_argv(self.toolset, built)
            judge = self.toolset.judge_program(lab.id, public_only=self.public_only)
            cases: tuple[JudgedCase, ...] = ()
            for names in groups:
                if not all(map(_is_right, cases)):
                    return ()
                left = _JUDGE_SECONDS if deadline is None else max(deadline - self.clock(), _LEAST_JUDGE_SECONDS)
                seconds = min(left, _JUDGE_SECONDS)
                call = JudgeCall(judge, self.seed, names, until_failure=until_failure, seconds=seconds, traffic=True)
                try:
                    cases = run_judge(call, lab, argv, folder, ())
                except RuntimeError:  # whatever went wrong, this change explains nothing
                    return ()
            return cases


def costs_more(before: Sequence[JudgedCase], after: Sequence[JudgedCase]) -> bool:
    """Whether a change that makes every result right is paid for with sectors of global memory: twice as many where the result was right
    before, or more for each request than before and than a warp needs that accesses neighbours.
    """
    if any(one.traffic is None for case in after for one in case.launches):
        return True  # nobody knows
    old = {(case.name, at): one for case in before for at, one in enumerate(case.launches)}
    pairs = [(old.get((case.name, at)), one) for case in after for at, one in enumerate(case.launches)]
    same_work = [(was, one) for was, one in pairs if was is not None and was.verdict is Verdict.PASS]
    was, now = _global_total([one for one, _ in same_work]), _global_total([one for _, one in same_work])
    if now.sectors > _COSTLY * was.sectors:
        return True
    was, now = _global_total(old.values()), _global_total([one for _, one in pairs])
    most = max(SECTORS_PER_PASS, was.sectors / was.requests if was.requests else 0)
    return now.sectors > most * now.requests


@dataclass(frozen=True)
class _Accesses:
    requests: int
    sectors: int


def _global_total(launches: Iterable[Launch]) -> _Accesses:
    counts = [one.traffic.metrics for one in launches if one.traffic]
    names = [global_names(operation) for operation in OPERATIONS]
    names = [one for one in names if any(one.sectors in metrics for metrics in counts)]
    requests = sum(metrics.get(one.requests, 0) for metrics in counts for one in names)
    return _Accesses(requests, sum(metrics.get(one.sectors, 0) for metrics in counts for one in names))


def wrong_case(lab: Lab, cases: Sequence[JudgedCase | Case]) -> str:
    """The lab's first case with a wrong result; nothing where something else is wrong than results and places of accesses."""
    asked = {case.name for case in lab.cases if case.role == "correctness"}
    failed = [case for case in cases if case.name in asked and not _is_right(case)]
    if not all(case.verdict in {Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS} for case in failed):
        return ""
    return next((case.name for case in failed if case.verdict is Verdict.WRONG_ANSWER), "")


def _is_right(case: JudgedCase | Case) -> bool:
    return case.passed and case.verdict is Verdict.PASS


def places(edits: Sequence[SmallEdit]) -> tuple[SmallEdit, ...]:
    """The most likely change of each place; none if there are too many places to be of use."""
    first: dict[tuple[int, ...], SmallEdit] = {}
    for edit in edits:
        first.setdefault(edit.lines, edit)
    return tuple(first.values()) if len(first) <= _MOST_PLACES else ()


def suspect_of(edit: SmallEdit) -> Suspect:
    return Suspect(lines=edit.lines, before=edit.before, after=edit.after)


# The search in a class: for a wrong result that nothing else explains, once for each file. What it finds decides nothing.
#
# A student is told of what public cases alone show. The instructor is told also whether every hidden case passes with the change, and
# of what hidden cases alone show.


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
