"""Runs a lab's tests on mutants of its model solution. Each mutant has to fail a test, or be listed as one that computes the same.

`solutions/<lab>/survivors.toml` lists the survivors, each with the reason why no test can tell it from the solution. The proof also
fails for an entry that a test does catch, and for an entry that no mutant matches any more.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.course.diagnostic import Diagnostic
from grader.model.labs import Lab, LabError
from grader.model.verdicts import Verdict
from grader.proofs.proof import Proof, Step
from grader.suspects.mutation import Mutant, mutants_of

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

    def stale(self, mutants: Sequence[Mutant]) -> list[Diagnostic]:
        """Listed survivors that no mutant matches."""
        made = {(mutant.before, mutant.after) for mutant in mutants}
        return [
            self._diagnostic(
                SURVIVORS, None, f"no mutant changes `{one.before}` to `{one.after}` now: remove this survivor"
            )
            for one in self._survivors()
            if (one.before, one.after) not in made
        ]

    def check_mutant(self, mutant: Mutant) -> list[Diagnostic]:
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
            message = f"{path}: {error}"
            raise LabError(message) from error

    def _diagnostic(self, name: str, line: int | None, what: str) -> Diagnostic:
        assert self.lab.private_dir is not None
        return Diagnostic((self.lab.private_dir / name).relative_to(self.root).as_posix(), line, what)
