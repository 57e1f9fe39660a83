"""Judges one lab of one submission, from source file to what the judge saw: builds it and lets the judge run it, on the CPU
executor and, if there is one, on a GPU. It does not combine the two verdicts.
"""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from grader.engines.entry_points import EntrySignatures
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import GpuOutcome, JudgedCase, LabOutcome, unjudged
from grader.model.result import Build, StepPage
from grader.model.verdicts import Verdict
from grader.run.failure_causes import failure_causes
from grader.run.gpu_judging import GpuSubmission, judge_natively, judge_on_gpu
from grader.run.judge_call import RUNNER_FILE, JudgeCall, run_judge, runner_argv
from grader.run.lab_verdict import all_passed
from grader.run.program_judging import StartedProgram, build_submission
from grader.run.speed.speed_run import time_lab
from grader.system.own_files import remove_folder

# Makes pages that step through a block in which something is wrong. The path is that of the file that says how to start the runner.
Draw = Callable[[Toolset, Lab, str, Path | StartedProgram, Sequence[JudgedCase]], tuple[StepPage, ...]]


def judge_lab(  # noqa: PLR0913 - what a lab is judged on, each by name
    toolset: Toolset,
    lab: Lab,
    source: Path | None,
    scratch: Path,
    *,
    seed: int,
    public_only: bool,
    only: tuple[str, ...] = (),
    order: int = 0,
    until_failure: bool = False,
    explained: bool = True,
    drawn: Draw | None = None,
) -> LabOutcome:
    """`source` is None if the submission lacks the file. `scratch` is a folder of the caller's; nothing in it is kept. `only`:
    the Catch2 cases of these names; empty: all of them. `order`: blocks and threads run in the order shuffled by this number; 0: in order.
    `until_failure`: stops after the first case that fails, for callers that only ask whether one does. `explained`: causes are
    looked for beside a failure; where nobody reads them, that would be a compilation for nothing. `drawn`: makes pages about a failure
    after everything is judged; what it does changes nothing else.
    """
    if source is None:
        return unjudged(lab.id, Verdict.MISSING_FILE, f"The submission has no {lab.public.file}.")
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"{lab.id}-", dir=scratch))
    try:
        text = source.read_text(encoding="utf-8", errors="replace")
        if source.name != lab.public.file:
            renamed = folder / lab.public.file
            renamed.write_text(text, encoding="utf-8")
            source = renamed
        work = folder / "work"
        work.mkdir()
        if lab.public.starts_itself:
            program = toolset.judge_program(lab.id, public_only=public_only)
            call = JudgeCall(program, seed, only, order, until_failure)
            for_gpu = _for_a_gpu(lab, only, public_only=public_only)
            return _judge_program(toolset, lab, text, folder, call, for_gpu, drawn)
        entries = EntrySignatures(lab.public.kernel, lab.public.launch)
        built = toolset.cpu_build(source, work, entries)
        build = Build(
            ok=built.runner is not None,
            compiler=toolset.compiler_version,
            log=built.log,
            seconds=round(built.seconds, 3),
        )
        if built.runner is None and not _only_a_gpu_can_tell(built.refusals):
            return _refused(lab, build, built.refusals, text, time.monotonic() - began)
        program = toolset.judge_program(lab.id, public_only=public_only)
        call = JudgeCall(program, seed, only, order, until_failure)
        submission = GpuSubmission(
            source, text.split("\n"), entries, build.ok, _for_a_gpu(lab, only, public_only=public_only)
        )
        with ThreadPoolExecutor(1) as beside:  # nvcc takes as long as all work on the CPU
            on_cpu: Future[tuple[JudgedCase, ...]] = Future()
            on_gpu = beside.submit(judge_on_gpu, toolset, lab, submission, folder, call, on_cpu.result)
            try:
                argv = runner_argv(toolset, built) if build.ok else None
                cases = run_judge(call, lab, argv, folder, text.split("\n")) if argv else ()
            except BaseException as error:
                on_cpu.set_exception(error)  # or the other thread would wait for ever
                raise
            on_cpu.set_result(cases)
            refusals, gpu = on_gpu.result()
        seconds = time.monotonic() - began
        if refusals:
            return _refused(lab, build, refusals, text, seconds, gpu)
        if built.runner is None and (gpu is None or not gpu.cases):
            return _refused(lab, build, built.refusals, text, seconds, gpu)
        causes = failure_causes(toolset, lab, text, work, cases) if explained else ()
        outcome = LabOutcome(lab.id, build=build, cases=cases, seconds=seconds, gpu=gpu, causes=causes)
        if drawn is not None and (runner := folder / RUNNER_FILE).is_file():
            pages = toolset.workers.run(drawn, toolset, lab, text, runner, cases)
            outcome = dataclasses.replace(outcome, step_pages=pages)
        if not only and all_passed(asked := _asked(lab, public_only=public_only), outcome):
            speed = time_lab(toolset, asked, source, outcome, folder)
            outcome = dataclasses.replace(outcome, speed=speed, seconds=time.monotonic() - began)
        return outcome
    finally:
        remove_folder(folder)


def _judge_program(
    toolset: Toolset, lab: Lab, text: str, folder: Path, call: JudgeCall, for_gpu: tuple[str, ...], drawn: Draw | None
) -> LabOutcome:
    """A submission whose host code is the student's own. `for_gpu`: the cases that run on a GPU as well."""
    began = time.monotonic()
    built = build_submission(toolset, lab, text, folder)
    build = Build(
        ok=not built.refusals, compiler=toolset.compiler_version, log=built.log, seconds=round(built.seconds, 3)
    )
    if built.refusals and not _only_a_gpu_can_tell(built.refusals):
        return _refused(lab, build, built.refusals, text, time.monotonic() - began)
    started = built.program
    cases = started.judge(call) if started else ()
    on_gpu = dataclasses.replace(call, cases=_worth_a_run(for_gpu, cases))
    gpu = judge_natively(toolset, lab, text, folder, on_gpu, alone=bool(built.refusals))
    seconds = time.monotonic() - began
    if built.refusals and (gpu is None or not gpu.cases):
        return _refused(lab, build, built.refusals, text, seconds, gpu)
    pages = toolset.workers.run(drawn, toolset, lab, text, started, cases) if drawn and started else ()
    return LabOutcome(lab.id, build=build, cases=cases, seconds=seconds, gpu=gpu, step_pages=pages)


def _worth_a_run(names: tuple[str, ...], cases: Sequence[JudgedCase]) -> tuple[str, ...]:
    """Without the cases in which the CPU executor found what no GPU shows: whatever is seen there, they have failed."""
    told = {case.name for case in cases if not case.passed and case.verdict.facts.unseen_on_gpu}
    return tuple(name for name in names if name not in told)


def _asked(lab: Lab, *, public_only: bool) -> Lab:
    return dataclasses.replace(lab, private=None) if public_only else lab


def _only_a_gpu_can_tell(refusals: tuple[Refusal, ...]) -> bool:
    return bool(refusals) and all(refusal.verdict is Verdict.NEEDS_GPU for refusal in refusals)


def _for_a_gpu(lab: Lab, only: tuple[str, ...], *, public_only: bool) -> tuple[str, ...]:
    """The cases that judge C. Only the CPU executor counts memory traffic."""
    specs = _asked(lab, public_only=public_only).cases
    return tuple(spec.name for spec in specs if spec.role == "correctness" and (not only or spec.name in only))


def _refused(
    lab: Lab,
    build: Build,
    refusals: tuple[Refusal, ...],
    text: str,
    seconds: float,
    gpu: GpuOutcome | None = None,
) -> LabOutcome:
    lines = text.split("\n")  # as the compiler counts them: splitlines() also splits at form feeds
    findings = tuple(one.finding(lab.public.file, lines) for one in refusals)
    return LabOutcome(lab.id, refusals[0].verdict, build=build, findings=findings, seconds=seconds, gpu=gpu)
