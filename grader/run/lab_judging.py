"""Judges one lab of one submission, from source file to what the judge saw: builds it and lets the judge run it, on the CPU
executor and, if there is one, on a GPU. It does not combine the two verdicts.
"""

# ruff: noqa: PLC0415 -- what few files need is imported where it is: a student waits for `tilelab test`

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Union

from grader.engines.entry_points import EntrySignatures
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import GpuOutcome, JudgedCase, LabOutcome, unjudged
from grader.model.result import Build, Finding, StepPage
from grader.model.verdicts import Verdict
from grader.run.judge_call import RUNNER_FILE, JudgeCall, run_judge, runner_argv, with_local_arrays
from grader.system.own_files import remove_folder

if TYPE_CHECKING:
    from grader.engines.cpu_build import CpuBuild
    from grader.run.program_judging import StartedProgram

# Makes pages that step through a block in which something is wrong. The path is that of the file that says how to start the runner.
Draw = Callable[[Toolset, Lab, str, Union[Path, "StartedProgram"], Sequence[JudgedCase]], tuple[StepPage, ...]]


@dataclass(frozen=True)
class LabJudge:
    """`explained`: causes of a failure are looked for, which is a compilation. `drawn`: makes pages about one, and changes nothing."""

    toolset: Toolset
    seed: int
    public_only: bool = field(kw_only=True)
    explained: bool = True
    drawn: Draw | None = None

    def __call__(
        self,
        lab: Lab,
        source: Path | None,
        scratch: Path,
        *,
        only: tuple[str, ...] = (),
        order: int = 0,
        until_failure: bool = False,
    ) -> LabOutcome:
        """`source`: None if the submission lacks the file. Nothing in `scratch` is kept. `only`: Catch2 cases; empty: all. `order`: by
        which blocks and threads are shuffled; 0: in order. `until_failure`: stops after the first case that fails.
        """
        if source is None:
            return unjudged(lab.id, Verdict.MISSING_FILE, f"The submission has no {lab.public.file}.")
        folder = Path(tempfile.mkdtemp(prefix=f"{lab.id}-", dir=scratch))
        try:
            text = lab.whole(source.read_text(encoding="utf-8", errors="replace"), source)
            if source.name != lab.public.file:
                renamed = folder / lab.public.file
                renamed.write_text(text, encoding="utf-8")
                source = renamed
            program = self.toolset.judge_program(lab.judge_name, public_only=self.public_only)
            asked = dataclasses.replace(lab, private=None) if self.public_only else lab
            call = JudgeCall(program, self.seed, only, order, until_failure)
            judge = dataclasses.replace(self, toolset=self.toolset.for_lab(lab))
            return _Job(judge, asked, source, text, folder, call).outcome()
        finally:
            remove_folder(folder)


_Ran = tuple[tuple[JudgedCase, ...], tuple[Refusal, ...], GpuOutcome | None]  # the refusals are nvcc's


@dataclass(frozen=True)
class _Job:
    """A file that is judged. `lab`: with the cases that count. `folder`: of its own."""

    judge: LabJudge
    lab: Lab
    source: Path
    text: str
    folder: Path
    call: JudgeCall
    began: float = field(default_factory=time.monotonic)

    def outcome(self) -> LabOutcome:
        toolset, lab, work = self.judge.toolset, self.lab, self.folder / "work"
        is_program = lab.public.starts_itself  # its host code is the student's own
        work.mkdir()
        if is_program:
            from grader.run.program_judging import build_submission

            built, program = toolset.workers.run(build_submission, toolset, lab, self.text, self.folder)
        else:
            built, program = toolset.cpu_build(self.source, work, self._entries), None
        seconds = round(built.seconds, 3)
        build = Build(ok=not built.refusals, compiler=toolset.compiler_version, log=built.log, seconds=seconds)
        if not build.ok and any(one.verdict is not Verdict.NEEDS_GPU for one in built.refusals):
            return self._refused(build, built.refusals)
        cases, refusals, gpu = self._run_program(built, program) if is_program else self._run_kernel(built)
        if not refusals and (gpu is None or not gpu.cases):
            refusals = built.refusals
        if refusals:
            return self._refused(build, refusals, gpu)
        seconds, causes = self._seconds(), tuple[Finding, ...]()
        failed = any(launch.verdict is not Verdict.PASS for one in cases for launch in one.launches)
        if failed and self.judge.explained and not is_program:
            from grader.run.failure_causes import failure_causes

            causes = toolset.workers.run(failure_causes, toolset, lab, self.text, work, cases)
        outcome = LabOutcome(lab.id, build=build, cases=cases, seconds=seconds, gpu=gpu, causes=causes)
        started = program if is_program else self.folder / RUNNER_FILE
        if started is not None and build.ok and (drawn := self.judge.drawn):
            pages = toolset.workers.run(drawn, toolset, lab, self.text, started, cases)
            outcome = dataclasses.replace(outcome, step_pages=pages)
        if toolset.gpu.runs and not self.call.cases:
            from grader.run.lab_verdict import all_passed
            from grader.run.speed.speed_run import time_lab

            if all_passed(lab, outcome):
                speed = time_lab(toolset, lab, self.source, outcome, self.folder, program)
                outcome = dataclasses.replace(outcome, speed=speed, seconds=self._seconds())
        return outcome

    @property
    def _entries(self) -> EntrySignatures:
        return EntrySignatures(self.lab.public.kernel, self.lab.public.launch)

    def _run_kernel(self, built: CpuBuild) -> _Ran:
        toolset = self.judge.toolset
        if toolset.gpu.toolchain is None:
            return self._on_the_cpu(built), (), None
        from concurrent.futures import Future, ThreadPoolExecutor

        from grader.run.gpu_judging import GpuJob

        call = dataclasses.replace(self.call, cases=self._for_a_gpu())
        job = GpuJob(toolset, self.lab, self.source, self._entries, call, self.folder, not built.refusals)
        with ThreadPoolExecutor(1) as beside:  # nvcc takes as long as all work on the CPU
            on_cpu: Future[tuple[JudgedCase, ...]] = Future()
            on_gpu = beside.submit(job.judged, on_cpu.result)
            try:
                cases = self._on_the_cpu(built)
            except BaseException as error:
                on_cpu.set_exception(error)  # or the other thread would wait for ever
                raise
            on_cpu.set_result(cases)
            return cases, *on_gpu.result()

    def _on_the_cpu(self, built: CpuBuild) -> tuple[JudgedCase, ...]:
        if built.refusals:
            return ()
        argv, lines = runner_argv(self.judge.toolset, built), self.text.split("\n")
        return with_local_arrays(run_judge(self.call, self.lab, argv, self.folder, lines), [built.image])

    def _run_program(self, built: CpuBuild, program: StartedProgram | None) -> _Ran:
        from grader.run.gpu_judging import judge_natively

        cases = program.judge(self.call) if program else ()
        call = dataclasses.replace(self.call, cases=_worth_a_run(self._for_a_gpu(), cases))
        alone = bool(built.refusals)
        return cases, (), judge_natively(self.judge.toolset, self.lab, self.text, self.folder, call, alone=alone)

    def _seconds(self) -> float:
        return time.monotonic() - self.began

    def _for_a_gpu(self) -> tuple[str, ...]:
        """The cases that judge C. Only the CPU executor counts memory traffic."""
        names = (spec.name for spec in self.lab.cases if spec.role == "correctness")
        return tuple(name for name in names if not self.call.cases or name in self.call.cases)

    def _refused(self, build: Build, refusals: tuple[Refusal, ...], gpu: GpuOutcome | None = None) -> LabOutcome:
        texts = self.lab.files_of(self.text)
        files = [one.file if one.file in texts else self.lab.public.file for one in refusals]
        # As the compiler counts lines: splitlines() also splits at form feeds.
        findings = tuple(one.finding(file, texts[file].split("\n")) for one, file in zip(refusals, files, strict=True))
        verdict, seconds = refusals[0].verdict, self._seconds()
        return LabOutcome(self.lab.id, verdict, build=build, findings=findings, seconds=seconds, gpu=gpu)


def _worth_a_run(names: tuple[str, ...], cases: Sequence[JudgedCase]) -> tuple[str, ...]:
    """Without the cases in which the CPU executor found what no GPU shows: whatever is seen there, they have failed."""
    told = {case.name for case in cases if not case.passed and case.verdict.facts.unseen_on_gpu}
    return tuple(name for name in names if name not in told)
