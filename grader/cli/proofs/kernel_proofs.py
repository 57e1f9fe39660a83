"""Runs a lab's own kernels against its tests: the starter has to fail and say why, the model solution has to get full marks, and every
reject has to get the verdict on its first line. What a student would see of each must not show anything hidden.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.cli.proofs.page_proofs import disclosures
from grader.cli.proofs.proving import Proof, Step
from grader.course.leaks import Diagnostic
from grader.explain.small_edits import SmallEdit, mutants_of
from grader.model.labs import Lab, LabError
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.run.reject_header import demanded, unmet

Grade = Callable[[Lab, Path], LabResult]  # as a batch grades: public and hidden cases


@dataclass(frozen=True)
class KernelProofs:
    """The proofs that need a judge, of one lab."""

    root: Path
    lab: Lab
    grade: Grade
    seed: int

    def proofs(self) -> Iterator[Proof]:
        lab = self.lab
        yield Proof(
            f"starter {lab.id}",
            "compiles without a warning, earns nothing and says why",
            [self.starter],
            needs_kit=True,
        )
        if lab.private is None or lab.private_dir is None:
            return
        yield Proof(
            f"solution {lab.id}",
            f"gets {lab.max_points:g} of {lab.max_points:g} points",
            [self.solution],
            needs_kit=True,
        )
        rejects = sorted((lab.private_dir / "rejects").glob("*.cu"))
        steps: list[Step] = [self.enough_rejects, *(partial(self.reject, source) for source in rejects)]
        yield Proof(
            f"rejects {lab.id}",
            f"{len(rejects)} wrong kernels get the verdict on their first line",
            steps,
            needs_kit=True,
        )

    def starter(self) -> list[Diagnostic]:
        source = self.lab.public_dir / self.lab.public.file
        if not source.is_file():
            return [self._diagnostic(source, "is missing; run `tilelab starters`")]
        result = self.grade(self.lab, source)
        return [
            self._diagnostic(source, what) for what in [*wrong_with_starter(result), *disclosures(result, self.seed)]
        ]

    def solution(self) -> list[Diagnostic]:
        assert self.lab.private_dir is not None
        source = self.lab.private_dir / self.lab.public.file
        if not source.is_file():
            return [self._diagnostic(source, "is missing: a lab has a model solution")]
        result = self.grade(self.lab, source)
        return [self._diagnostic(source, what) for what in wrong_with_solution(result)]

    def enough_rejects(self) -> list[Diagnostic]:
        assert self.lab.private is not None
        assert self.lab.private_dir is not None
        folder = self.lab.private_dir / "rejects"
        found, least = len(list(folder.glob("*.cu"))), self.lab.private.rejects_at_least
        if found >= least:
            return []
        remedy = "add wrong kernels, or lower `rejects_at_least` in grading.toml"
        return [self._diagnostic(folder, f"there are {found} rejects, but there must be {least}: {remedy}")]

    def reject(self, source: Path) -> list[Diagnostic]:
        try:
            demand = demanded(source)
        except LabError as error:
            return [self._diagnostic(source, str(error), line=1)]
        result = self.grade(self.lab, source)
        wrong = unmet(demand, result)
        found = [] if wrong is None else [self._diagnostic(source, wrong, line=1)]
        return found + [self._diagnostic(source, what) for what in disclosures(result, self.seed)]

    def _diagnostic(self, path: Path, what: str, *, line: int | None = None) -> Diagnostic:
        return Diagnostic(path.relative_to(self.root).as_posix(), line, what)


def wrong_with_starter(result: LabResult) -> Iterator[str]:
    """The starter has to compile without warnings and earn nothing, and each of its failed tests has to give advice."""
    if result.build is None or not result.build.ok:
        yield f"does not compile: {result.verdict}"
        return
    if result.build.log:
        yield f"compiles with warnings: {result.build.log.strip()}"
    if result.verdict in {Verdict.PASS, Verdict.INTERNAL_ERROR}:
        yield f"gets {result.verdict}, but an untouched starter must fail its tests"
    if result.points:
        yield f"earns {result.points:g} points before a student has written a line"
    for case in result.cases:
        if case.role == "correctness" and case.visibility == "public" and not (case.message and case.advice):
            yield f"the test {case.name!r} gives no advice when it fails; write its `advice` in lab.toml"


def wrong_with_solution(result: LabResult) -> Iterator[str]:
    if result.verdict is not Verdict.PASS or result.points != result.max_points or result.max_points == 0:
        yield f"gets {result.verdict} and {result.points:g} of {result.max_points:g} points"
    for case in result.cases:
        if not case.passed:
            yield f"fails {case.name!r}: {case.message}"
    for finding in result.findings:
        yield f"line {finding.line}: {finding.kind} ({finding.severity}): {finding.message}"
    if result.build is not None and result.build.log:
        yield f"compiles with warnings: {result.build.log.strip()}"


# Runs a lab's tests on mutants of its model solution. Each mutant has to fail a test, or be listed as one that computes the same.
#
# `solutions/<lab>/survivors.toml` lists the survivors, each with the reason why no test can tell it from the solution. The proof also
# fails for an entry that a test does catch, and for an entry that no mutant matches any more.

SURVIVORS = "survivors.toml"
# Judges a text of the lab's file. The verdict is that of the first case that fails, or `pass`.
JudgeText = Callable[[Lab, str], Verdict]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Survivor(_Strict):
    before: str
    after: str
    reason: str = Field(min_length=20)


class _SurvivorList(_Strict):
    survivor: tuple[Survivor, ...] = ()


@dataclass(frozen=True)
class MutantProofs:
    """The proof by mutation of one lab."""

    root: Path
    lab: Lab
    judge_text: JudgeText

    def proof(self) -> Proof:
        assert self.lab.private_dir is not None
        path = self.lab.private_dir / self.lab.public.file
        mutants = mutants_of(path.read_text(encoding="utf-8")) if path.is_file() else []
        steps: list[Step] = [partial(self.stale, mutants), *(partial(self.check_mutant, mutant) for mutant in mutants)]
        holds = f"{len(mutants)} small mistakes in the solution are caught, or they change nothing"
        return Proof(f"mutants {self.lab.id}", holds, steps, needs_kit=True)

    def stale(self, mutants: Sequence[SmallEdit]) -> list[Diagnostic]:
        """Listed survivors that no mutant matches."""
        made = {(mutant.before, mutant.after) for mutant in mutants}
        return [
            self._diagnostic(
                SURVIVORS, None, f"no mutant changes `{one.before}` to `{one.after}` now: remove this survivor"
            )
            for one in self._survivors()
            if (one.before, one.after) not in made
        ]

    def check_mutant(self, mutant: SmallEdit) -> list[Diagnostic]:
        listed = any((one.before, one.after) == (mutant.before, mutant.after) for one in self._survivors())
        verdict = self.judge_text(self.lab, mutant.text)
        changed = f"{mutant.operator} (`{mutant.before}` to `{mutant.after}`)"
        if verdict is Verdict.PASS and not listed:
            remedy = (
                f"add a case that fails with it, or list it in {SURVIVORS} with the reason why it computes the same"
            )
            return [self._diagnostic(self.lab.public.file, mutant.line, f"every test passes after {changed}: {remedy}")]
        if verdict is not Verdict.PASS and listed:
            got = "does not compile" if verdict.facts.never_ran else f"is caught as {verdict}"
            return [self._diagnostic(SURVIVORS, None, f"{changed} {got}: remove this survivor")]
        return []

    def _survivors(self) -> tuple[Survivor, ...]:
        assert self.lab.private_dir is not None
        path = self.lab.private_dir / SURVIVORS
        if not path.is_file():
            return ()
        try:
            return _SurvivorList.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).survivor
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
            raise LabError(f"{path}: {error}") from error

    def _diagnostic(self, name: str, line: int | None, what: str) -> Diagnostic:
        assert self.lab.private_dir is not None
        return Diagnostic((self.lab.private_dir / name).relative_to(self.root).as_posix(), line, what)
