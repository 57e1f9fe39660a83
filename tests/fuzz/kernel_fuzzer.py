"""Fuzzes the whole path of a kernel: a mutant of one of the corpus is built by GCC and by Clang, and judged under several orders.

What must hold for whatever text: no fault of ours, the same verdict by both compilers where CUDA says what a text means, a right kernel
stays right in any order of blocks and threads and on a GPU, and an honest kernel judged in between comes out as at first.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fuzzer import WrongError
from kernel_edits import mutant_of
from shown_outcome import check_tame, render_outcome

from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.lab_verdict import fault_messages, was_run

_SEED = 20_240_917
_ORDERS = (1, 7)  # of shuffles that a right kernel has to survive
_HONEST_EVERY = 25  # cases


@dataclass(frozen=True)
class End:
    """How a mutant ended, as far as two builds of it have to agree."""

    verdict: Verdict
    case: str = ""  # the first that failed

    @property
    def is_full(self) -> bool:
        return self.verdict is Verdict.PASS


@dataclass
class KernelFuzzer:
    toolsets: Mapping[str, Toolset]  # by the compiler's name: "GCC", "Clang"
    labs: Mapping[str, Lab]
    kernels: Mapping[str, tuple[str, ...]]  # by lab: the texts that mutants are made of
    judge: Callable[..., Callable[..., LabOutcome]] = LabJudge
    name: str = "kernels"
    seconds: float = 400
    honest: dict[tuple[str, str], object] = field(default_factory=dict)  # how it came out at first
    checked: int = 0

    def make(self, chance: random.Random, folder: Path) -> None:
        lab_id = chance.choice(sorted(self.kernels))
        kernels = self.kernels[lab_id]
        (folder / "mutant.cu").write_text(
            mutant_of(chance.choice(kernels), kernels, chance), encoding="utf-8", errors="replace"
        )
        (folder / "lab.json").write_text(json.dumps(lab_id), encoding="utf-8")

    def check(self, folder: Path) -> str:
        lab = self.labs[json.loads((folder / "lab.json").read_text(encoding="utf-8"))]
        source = folder / "mutant.cu"
        ends = {name: self._end(name, lab, source, folder) for name in self.toolsets}
        self._check_agreement(ends)
        if all(end.is_full for end in ends.values()):
            for name in self.toolsets:
                for order in _ORDERS:
                    if not (end := self._end(name, lab, source, folder, order=order)).is_full:
                        message = (
                            f"{name}: passes in order, and is {end.verdict} in {end.case!r} when shuffled by {order}"
                        )
                        raise WrongError(message)
        self.checked += 1
        if self.checked % _HONEST_EVERY == 0:
            self._check_honest(lab, folder)
        return next(iter(ends.values())).verdict.value

    @staticmethod
    def _check_agreement(ends: Mapping[str, End]) -> None:
        if len(set(ends.values())) == 1:
            return
        said = ", ".join(f"{name}: {end.verdict.value} {end.case!r}" for name, end in ends.items())
        if any(end.is_full for end in ends.values()):
            message = f"a pass with one compiler alone: {said}"
            raise WrongError(message)
        verdicts = {end.verdict for end in ends.values()}
        if len(verdicts) > 1 and not verdicts & _UNDETERMINED:
            message = f"the compilers lead to other verdicts: {said}"
            raise WrongError(message)

    def _end(self, name: str, lab: Lab, source: Path, folder: Path, *, order: int = 0) -> End:
        toolset = self.toolsets[name]
        judge = self.judge(toolset, _SEED, public_only=False)
        outcome = judge(lab, source, folder, order=order, until_failure=True)
        failed = next((case for case in outcome.cases if not case.passed), None)
        verdict = outcome.verdict or (failed.verdict if failed else Verdict.PASS)
        if verdict is Verdict.INTERNAL_ERROR:
            message = f"{name}: internal-error: {(failed.message if failed else '') or fault_messages(lab, outcome)}"
            raise WrongError(message)
        if failed is None and outcome.verdict is None and len(outcome.cases) != len(lab.cases):
            message = f"{name}: only {len(outcome.cases)} of {len(lab.cases)} cases were judged, and none failed"
            raise WrongError(message)
        check_tame(render_outcome(lab, outcome, source.read_text(encoding="utf-8", errors="replace")))
        _check_gpu(name, outcome)
        return End(verdict, failed.name if failed else "")

    def _check_honest(self, lab: Lab, folder: Path) -> None:
        """The model solution, judged between the mutants."""
        assert lab.private_dir is not None
        for name, toolset in self.toolsets.items():
            source = lab.private_dir / lab.public.file
            outcome = self.judge(toolset, _SEED, public_only=True)(lab, source, folder)
            if (first := self.honest.setdefault((name, lab.id), outcome.cases)) != outcome.cases:
                message = f"{name}: the model solution of {lab.id} came out otherwise than at first: {outcome.cases} and not {first}"
                raise WrongError(message)


# How far a thread came, or whether the text is a program at all, is the compiler's to say. Only a pass by one alone is a finding then.
_UNDETERMINED = frozenset({Verdict.COMPILE_ERROR, Verdict.REJECTED, Verdict.NEEDS_GPU, Verdict.TIMEOUT, Verdict.CRASH})


def _check_gpu(name: str, outcome: LabOutcome) -> None:
    """What passes on the CPU executor passes on a GPU, if there is one."""
    on_gpu = {case.name: case for case in outcome.gpu.cases if was_run(case)} if outcome.gpu else {}
    for case in outcome.cases:
        other = on_gpu.get(case.name)
        if case.passed and other is not None and not other.passed:
            message = f"{name}: {case.name!r} passes on the CPU executor, and is {other.verdict.value} on the GPU: {other.message}"
            raise WrongError(message)
