"""Tries small changes of a wrong kernel. Where one makes every case pass, its line is where the student has to look.

Each changed text is built, checked, confined and judged like a submission. Nothing here changes a verdict. Unless `public_only` is
false, only public cases are run, so what is found tells nothing of a hidden case. If changes in more than two places help, nothing is
said. A change that makes results right and memory accesses far worse does not help: it bends the kernel to fit another mistake.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset
from grader.explain.clustering import behaviour
from grader.explain.small_edits import SmallEdit, mutants_of, small_edits
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Case, Launch, Model, Suspect
from grader.model.verdicts import Verdict
from grader.run.judge_call import JudgeCall, run_judge, runner_argv
from grader.run.lab_verdict import broke, lab_verdict
from grader.run.scoring.metrics import METRICS, SECTORS_PER_PASS
from grader.system.own_files import remove_folder, write_atomically

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
            return self._judged(lab, text, [self._correctness(lab)], deadline, until_failure=False)

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
        asked = self._correctness(lab)
        cases = self._judged(lab, text, [names for names in ([first], asked) if any(names)], deadline)
        return cases if {case.name for case in cases if _is_right(case)} == set(asked) else ()

    def _asked(self, lab: Lab) -> Lab:
        return replace(lab, private=None) if self.public_only else lab

    def _correctness(self, lab: Lab) -> list[str]:
        return [case.name for case in self._asked(lab).cases if case.role == "correctness"]

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
            judge = self.toolset.judge_program(lab.judge_name, public_only=self.public_only)
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
    _, was = _global_total([one for one, _ in same_work])
    _, now = _global_total([one for _, one in same_work])
    if now > _COSTLY * was:
        return True
    requests, sectors = _global_total(old.values())
    requests_now, sectors_now = _global_total([one for _, one in pairs])
    return sectors_now > max(SECTORS_PER_PASS, sectors / requests if requests else 0) * requests_now


def _global_total(launches: Iterable[Launch]) -> tuple[int, int]:
    """Requests and sectors."""
    counts = [one.traffic.metrics for one in launches if one.traffic]
    names = [one for one in METRICS if any(one.sectors in metrics for metrics in counts)]
    requests = sum(metrics.get(one.requests, 0) for metrics in counts for one in names)
    return requests, sum(metrics.get(one.sectors, 0) for metrics in counts for one in names)


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


# After judging, beside the search for lines: how small mistakes in a lab's model solution behave, so that a submission can be compared
# with them. Kept in OUT between batches.
#
# The time is bounded by what judging took, and later batches continue where it ended. A batch that judges nothing tries nothing. No
# verdict and no point depends on it.
#
# A submission that behaves like a mutant fails the same cases in the same way with as many wrong elements. That is a hint for the
# instructor and proves nothing. Which mutants are known depends on the time that batches had, so no cluster's key depends on them.

_LINE = re.compile(r" in line (\d+)(?= or the solution |$)")
_ALIKE = 3  # if more mutants behave the same, the behaviour says little


class _Known(Model):
    schema_: Literal["tilelab/mutants/v1"] = Field(default="tilelab/mutants/v1", alias="schema")
    of: str  # a hash of the solution, the tests and what they are judged with
    behaviours: dict[int, str] = Field(default_factory=dict)  # of mutants by their number; empty: none, or it passes


@dataclass
class SolutionMutants:
    """Those of one lab. `of`: a hash of all that their behaviour depends on."""

    path: Path
    of: str
    mutants: Sequence[SmallEdit]
    known: dict[int, str] = field(default_factory=dict)

    def read(self) -> None:
        """What earlier batches found out. A file that is missing, damaged or of another solution counts as none."""
        try:
            kept = _Known.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return
        if kept.of == self.of:
            self.known = {number: one for number, one in kept.behaviours.items() if number < len(self.mutants)}

    def keep(self) -> None:
        """Raises OSError."""
        self.path.parent.mkdir(exist_ok=True)
        write_atomically(self.path, _Known(of=self.of, behaviours=self.known).model_dump_json(by_alias=True) + "\n")

    def unknown(self) -> list[int]:
        """The numbers of those that nobody has judged: the first of each operator, then the second of each, and so on."""
        places: dict[str, list[int]] = {}
        for number, mutant in enumerate(self.mutants):
            places.setdefault(mutant.operator, []).append(number)
        turns = itertools.chain.from_iterable(itertools.zip_longest(*places.values()))
        return [number for number in turns if number is not None and number not in self.known]

    def likenesses(self) -> Mapping[str, str]:
        """By behaviour, which small change of the solution behaves so: "`<=` for `<` in line 12"."""
        found: dict[str, list[int]] = {}
        for number, shown in sorted(self.known.items()):
            if shown:
                found.setdefault(shown, []).append(number)
        return {one: " or ".join(self._words(numbers)) for one, numbers in found.items() if len(numbers) <= _ALIKE}

    def _words(self, numbers: Sequence[int]) -> Iterator[str]:
        for number in numbers:
            mutant = self.mutants[number]
            before, after = _difference(mutant.before, mutant.after)
            change = f"without `{before.rstrip(';')}`" if after in {"", ";"} else f"with `{after}` for `{before}`"
            yield f"the solution {change} in line {mutant.line}"


def lines_of(likeness: str) -> frozenset[int]:
    """The solution's lines that one of `likenesses()` names."""
    return frozenset(int(one) for one in _LINE.findall(likeness))


def _difference(before: str, after: str) -> tuple[str, str]:
    """The words that differ, without those that begin and end both."""
    one, other = before.split(), after.split()
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return " ".join(one), " ".join(other)


SHARE = 0.05  # of the time that judging took


# What the behaviour of a text of the lab's file depends on, as a hash: tests, compiler, seed and so on.
Key = Callable[[bytes, Lab], str]
# Builds a source for a lab and runs all its cases, in a scratch folder of its own.
Judge = Callable[[Lab, Path, Path], LabOutcome]


@dataclass(frozen=True)
class FoundMutants:
    """What is known of each lab's mutants. Nothing of it is kept yet: it was found before the last look at controls."""

    of: Mapping[str, SolutionMutants] = field(default_factory=dict)
    searched: bool = False  # else nothing is new
    faults: tuple[str, ...] = ()  # what broke on our side

    def keep(self) -> None:
        """Raises OSError."""
        for one in self.of.values() if self.searched else ():
            one.keep()

    def likenesses(self) -> Mapping[str, Mapping[str, str]]:
        """By lab and behaviour, which change of the solution behaves so."""
        return {lab_id: one.likenesses() for lab_id, one in self.of.items()}


@dataclass(frozen=True)
class MutantSearch:
    """`judge`: as for a submission; `seconds`: how long a batch may take for it; None: as long as follows from what judging took."""

    judge: Judge
    seconds: float | None = None
    workers: int = 1
    clock: Callable[[], float] = time.monotonic

    def run(self, labs: Sequence[Lab], key: Key, folder: Path, scratch: Path, judging_seconds: float) -> FoundMutants:
        """`labs`: those with wrong submissions, the most important first. `folder`: where it is kept. `judging_seconds`: 0 where nothing
        was judged: then nothing is tried, unless `seconds` asks for it.
        """
        found = {lab.id: mutants for lab in labs if (mutants := _mutants(lab, key, folder)) is not None}
        end = self.clock() + (SHARE * judging_seconds if self.seconds is None else self.seconds)
        unknown = ([(lab, one) for one in found[lab.id].unknown()] for lab in labs if lab.id in found)
        todo = [one for turn in itertools.zip_longest(*unknown) for one in turn if one is not None]
        faults: dict[str, None] = {}

        def attempt(job: tuple[Lab, int]) -> None:
            lab, number = job
            if self.clock() >= end:
                return
            try:
                seen = self._behaviour(lab, found[lab.id].mutants[number].text, scratch / f"{lab.id}-{number}")
            except (OSError, RemediableError):  # the machine's state, of which judging itself says more
                return
            except Exception:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
                faults[f"{lab.id}: comparing with the model solution broke: {traceback.format_exc()}"] = None
                return
            if seen is not None:
                found[lab.id].known[number] = seen

        searched = bool(judging_seconds) or self.seconds is not None
        if searched:
            with ThreadPoolExecutor(max(self.workers, 1)) as pool:
                list(pool.map(attempt, todo))
        return FoundMutants(found, searched, tuple(faults))

    def _behaviour(self, lab: Lab, text: str, scratch: Path) -> str | None:
        """None where we failed, so that it is tried again."""
        scratch.mkdir(parents=True)
        try:
            source = scratch / lab.public.file
            source.write_text(text, encoding="utf-8")
            outcome = self.judge(lab, source, scratch)
        finally:
            remove_folder(scratch)
        return None if broke(lab, outcome) else behaviour(outcome.cases)


def _mutants(lab: Lab, key: Key, folder: Path) -> SolutionMutants | None:
    """None without a model solution."""
    solution = lab.private_dir / lab.public.file if lab.private_dir is not None else None
    if solution is None or not solution.is_file():
        return None
    text = solution.read_bytes()
    mutants = SolutionMutants(folder / f"{lab.id}.json", key(text, lab), mutants_of(text.decode("utf-8", "replace")))
    mutants.read()
    return mutants
