"""Compiles the same submission with nvcc and, if there is a GPU, runs the same judge with a runner on it.

Cases that count memory traffic run only on the CPU executor, because only it counts. A failure of the machine is never the
submission's fault: the CPU executor's result then stands.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from grader.engines.backend import GPU_RUN_LIMITS, Device
from grader.engines.build_steps import BUILD_LIMITS, WHEN_EXPANDED, asked_for, too_large
from grader.engines.compiler_view import CompilerView, different_programs, no_one_program
from grader.engines.cpu_build import defining
from grader.engines.cpu_toolchain import DECIDED, EXPANDED, home_of
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import (
    BESIDE,
    CUBIN,
    SOURCE,
    TAIL,
    GpuBuild,
    build_for_gpu,
    build_native,
    telling_line,
    too_much_memory,
    trouble_compiling,
    variable_bytes,
)
from grader.engines.gpu_toolchain import (
    TOOLS,
    GpuToolchain,
    device_preprocessing,
    find_sanitizer,
    reports,
    sanitizer_command,
)
from grader.engines.occupancy import registers_that_fit
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import GpuOutcome, JudgedCase, Sanitized, Tool
from grader.model.verdicts import Verdict
from grader.run.judge_call import (
    JUDGE_SECONDS,
    JudgeCall,
    clock_factor,
    confined_runner,
    judge_report,
    judged_cases,
    program_file,
    run_judge,
)
from grader.run.kernels.kernel_source import with_flat_includes
from grader.run.lab_verdict import was_run
from grader.run.program_judging import launch_of_program, operands_frame, program_source
from grader.run.programs.program_run import silently
from grader.source.bare_code import plain_text
from grader.system.confined_run import Finished
from grader.system.gpu_lock import GpuLock

# Whether nvcc and the CPU executor's compiler are given the same program by one file. Both preprocessors run confined; what they
# leave is compared by `compiler_view.py`.

_ON_CPU, _ON_GPU = "cpu.ii", "gpu.ii"


def two_programs(toolset: Toolset, source: Path, folder: Path, *, lambdas: bool = True) -> Refusal | None:
    """Why `source` is refused, if it is. `folder` is empty. `lambdas`: as nvcc compiles it. Raises StrangeToolkit, or RuntimeError
    for what is not the file's doing.
    """
    text = source.read_text(encoding="utf-8", errors="replace")
    if refusal := no_one_program(text):
        return refusal
    (folder / source.name).write_text(plain_text(text), encoding="utf-8")
    (folder / TAIL).write_text(f'#include "{source.name}"\n', encoding="utf-8")
    nvcc, cpu = toolset.gpu.toolchain, toolset.toolchain
    assert nvcc is not None
    nvcc = nvcc if lambdas else nvcc.plain
    decided = cpu.decide(source.name, _ON_CPU, nvcc.host_compiler)
    # The CPU executor's compiler sees nothing of the toolkit, here as where it builds: it would answer for headers that lie there.
    of_nvcc = device_preprocessing(nvcc, toolset.gpu.target.capability, TAIL, _ON_GPU, DECIDED)
    preprocessed = (
        (_ON_CPU, decided[0], [*cpu.includes, cpu.prelude.parent], decided),
        (_ON_GPU, nvcc.host_compiler, [nvcc.root, *nvcc.includes], of_nvcc),
    )
    for output, compiler, headers, command in preprocessed:
        finished = home_of(compiler).run(toolset.confinement, command, headers, folder, BUILD_LIMITS)
        if refusal := _failed(finished, folder / output, source.name, text):
            return refusal
    kit, kept = tuple(str(path) for path in cpu.includes), cpu.prelude.parent
    seen = CompilerView(_read(folder / _ON_CPU), kit, _read(cpu.prelude.with_name(EXPANDED)), kept)
    return different_programs(text, source.name, seen, CompilerView(_read(folder / _ON_GPU), (TAIL,), kept=kept))


def _failed(finished: Finished, output: Path, name: str, text: str) -> Refusal | None:
    """Both compilers took the file before: what fails only here is of the file's making where the compiler names it."""
    if finished.returncode == 0 and output.is_file() and not output.is_symlink():
        trouble = too_large(output, WHEN_EXPANDED)
        return Refusal(Verdict.COMPILE_ERROR, 0, trouble) if trouble else None
    said = finished.stderr.decode("utf-8", "replace")
    if finished.timed_out or f"{name}:" in said:
        what = "what nvcc would read cannot be compared with what the CPU executor reads"
        return Refusal(Verdict.REJECTED, 0, f"The file is no plain program: {what}.")
    if file := asked_for(said, text):
        return Refusal(Verdict.REJECTED, 0, f"The file asks for {file}, which a submission may not read.")
    message = f"a file could not be preprocessed to be compared (status {finished.returncode}): {said[-1000:]}"
    raise RuntimeError(message)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


# Runs a lab's correctness cases again on a GPU, under each of compute-sanitizer's tools.
#
# Under a tool runs the kit's own runner, outside the sandbox, because the tool does not work under the sandbox's limits. It
# holds only a cubin of the submission, which nvcc made from its source, and the GPU keeps that code from the host.

SHUTDOWN_GRACE_MS = 30_000
TOOL_SECONDS = 120  # for one tool and all cases
MAX_LOG_BYTES = 4 << 20


def sanitize(
    program: Path, runner: Path, lab: Lab, image: Path, call: JudgeCall, folder: Path, lines: Sequence[str]
) -> tuple[tuple[Sanitized, ...], str]:
    """What the tools reported, each thing once. Also which tools did not finish, and why."""
    said: dict[Sanitized, None] = {}
    troubles = []

    def passes(tool: Tool, name: str, *, until_failure: bool) -> bool:
        work = folder / name
        work.mkdir()
        argv = sanitizer_command(program, tool, work, [str(runner), "--watched", str(image)])
        under_tool = dataclasses.replace(
            call, shutdown_grace_ms=SHUTDOWN_GRACE_MS, seconds=TOOL_SECONDS, until_failure=until_failure
        )
        passed = True  # or unknown
        try:
            passed = all(case.passed for case in run_judge(under_tool, lab, argv, work, lines))
        except RuntimeError as error:
            troubles.append(f"compute-sanitizer's {tool}: {error}")
        for log in sorted(work.glob("sanitizer-*.log")):
            with log.open("rb") as stream:
                text = stream.read(MAX_LOG_BYTES).decode("utf-8", "replace")
            said.update(dict.fromkeys(reports(text, tool, lab.public.file, lines)))
        return passed

    # A report of memcheck ends the launch and its context, and a new process for each of many launches would take minutes. So
    # memcheck first runs until one case fails. If that case is merely wrong, a later case may still access memory out of bounds:
    # then it runs all.
    if not passes("memcheck", "first", until_failure=True) and not said:
        passes("memcheck", "memcheck", until_failure=False)
    for tool in TOOLS:
        if tool != "memcheck":
            passes(tool, tool, until_failure=False)
    return tuple(said), "; ".join(troubles)


def under_sanitizer(toolset: Toolset) -> Toolset:
    """The toolset that also uses compute-sanitizer. Raises RemediableError if it cannot."""
    if not toolset.gpu.runs:
        raise RemediableError(f"compute-sanitizer needs a GPU that can be used: {'; '.join(toolset.gpu.reasons)}.")
    program = find_sanitizer(toolset.gpu.toolchain)
    if program is None:
        message = "compute-sanitizer was not found: it comes with NVIDIA's CUDA toolkit; put its folder on PATH."
        raise RemediableError(message)
    return dataclasses.replace(toolset, gpu=dataclasses.replace(toolset.gpu, sanitizer=program))


_KILLED = "due to signal 9"  # by a machine that is out of memory: a limit of ours ends a process in other ways
_HANGS = (Verdict.TIMEOUT, Verdict.BARRIER_DIVERGENCE)  # on the CPU executor: on a GPU such a kernel may never end
# For a launch that hung on the CPU executor; others take some milliseconds. While it hangs, nobody can time a kernel.
_HANGING_MS = 1_000
_REBUILDS = 3  # for fewer registers: a kernel may be launched with several block sizes
_TRIES = 2  # of a run that failed because of us

Judged = tuple[tuple[Refusal, ...], GpuOutcome | None]


@dataclass(frozen=True)
class GpuJob:
    """`call`: the cases that run there. `built_for_cpu`: whether the CPU executor could run it. `scratch`: a folder of the caller's."""

    toolset: Toolset
    lab: Lab
    source: Path
    entries: EntrySignatures
    call: JudgeCall
    scratch: Path
    built_for_cpu: bool

    def judged(self, on_cpu: Callable[[], Sequence[JudgedCase]] = tuple) -> Judged:
        """Why nvcc refuses the submission; else the GPU's outcome. None: nothing of NVIDIA's is here. `on_cpu`: waits for the CPU
        executor's cases, and is called after nvcc.
        """
        if self.toolset.gpu.toolchain is None:
            return (), None
        with self.toolset.gpu.borrowed_device() as device:
            gpu = dataclasses.replace(self.toolset.gpu, device=device, others=())
            here = dataclasses.replace(self, toolset=dataclasses.replace(self.toolset, gpu=gpu))
            return here.judged_on_device(on_cpu)

    def judged_on_device(self, on_cpu: Callable[[], Sequence[JudgedCase]]) -> Judged:
        gpu, alone = self.toolset.gpu, not self.built_for_cpu
        outcome = GpuOutcome(self.toolchain.name, gpu.target.capability, str(gpu.device or ""), alone=alone)
        with ThreadPoolExecutor(1) as beside:  # most files have no lambdas for the device, and a student waits for both
            plain = beside.submit(self.one_program, lambdas=False)
            built = self.built("cubin-0")
            if built.image is None and not built.refusals:  # tried again: a full disk, a machine out of memory
                built = self.built("cubin-again")

        def one_program() -> tuple[Refusal, ...]:
            return self.one_program(lambdas=True) if built.lambdas else plain.result()

        outcome = dataclasses.replace(outcome, resources=built.resources, lambdas=built.lambdas, log=built.log)
        if built.sides and self.built_for_cpu:
            # Which side a thing is on, `misplaced_code.py` judges on every machine. nvcc refuses more, for its flags and because the GPU
            # calls the launch function here: then only the GPU has no program.
            trouble = f"nvcc says: {built.sides}" if gpu.runs else ""
            return one_program(), dataclasses.replace(outcome, trouble=trouble)
        if built.image is None:
            return self.without_image(built, outcome)
        if refusals := one_program() or self.too_large(built, built.image):
            return refusals, outcome
        if not gpu.runs or not self.call.cases:
            return (), outcome
        hung = {case.name for case in on_cpu() if case.verdict in _HANGS}
        if ending := tuple(name for name in self.call.cases if name not in hung):
            outcome = self.run(ending, built, outcome)
        hanging = tuple(name for name in self.call.cases if name in hung)
        if hanging and not outcome.trouble:
            outcome = self.run_hanging(hanging, built.image, outcome)
        return (), outcome

    def without_image(self, built: GpuBuild, outcome: GpuOutcome) -> Judged:
        if not built.refusals:
            return self.nvcc_failed(outcome, built.starved)
        if all(refusal.verdict is Verdict.LAUNCH_ERROR for refusal in built.refusals) and self.built_for_cpu:
            # The CPU executor refuses every launch of such a kernel and gives a better reason.
            return (), dataclasses.replace(outcome, trouble=built.refusals[0].message)
        return built.refusals, outcome

    def built(self, name: str, registers: int | None = None, *, lambdas: bool | None = None) -> GpuBuild:
        """In a new folder of this name. `registers`: the most that a thread may have. `lambdas`: see GpuTarget."""
        folder, confinement = self.scratch / name, self.toolset.confinement
        folder.mkdir()
        target = dataclasses.replace(self.toolset.gpu.target, max_registers=registers, lambdas=lambdas)
        return build_for_gpu(self.toolchain, confinement, self.source, folder, self.entries, target)

    def nvcc_failed(self, outcome: GpuOutcome, starved: str) -> Judged:
        """Nvcc fails twice, names nothing of the submission and came to no limit. If it still compiles the kit's own kernel, it is the
        submission's doing; else it is ours, as where the machine gave it no time. Raises RuntimeError where grading needs a GPU that it
        then cannot have.
        """
        first = telling_line(outcome.log) or "it says nothing"
        trouble = starved or trouble_compiling(self.toolchain, self.toolset.confinement, self.toolset.gpu.target)
        if not trouble and _KILLED not in outcome.log:
            message = f"nvcc cannot compile this file, and it can compile others here. It says: {first[:200]}"
            return (Refusal(Verdict.COMPILE_ERROR, 0, message),), outcome
        message = f"nvcc failed, and not over the submission: {trouble or first}"
        if self.toolset.gpu.runs:
            raise RuntimeError(message)
        return (), dataclasses.replace(outcome, trouble=message)

    def one_program(self, *, lambdas: bool) -> tuple[Refusal, ...]:
        """Why what nvcc makes of the file is not run: it is another program than the CPU executor's."""
        if not self.built_for_cpu:
            return ()
        views = self.scratch / f"views-{lambdas}"
        views.mkdir()
        refusal = two_programs(self.toolset, self.source, views, lambdas=lambdas)
        return (refusal,) if refusal else ()

    def too_large(self, built: GpuBuild, image: Path) -> tuple[Refusal, ...]:
        """Why it is not run beside others."""
        device = self.toolset.gpu.device
        if device is None:
            return ()
        variables, facts = variable_bytes(image.with_name(CUBIN)), (device.capability, device.multiprocessors)
        large = too_much_memory(variables, built.resources, *facts, device.memory_bytes)
        message = f"The GPU cannot run this kernel beside others: {large}."
        return (Refusal(Verdict.LAUNCH_ERROR, 0, message, "Use smaller arrays."),) if large else ()

    def run(self, names: tuple[str, ...], built: GpuBuild, outcome: GpuOutcome) -> GpuOutcome:
        """While a block does not get the registers that it needs, the kernel is compiled again for fewer. Cases that show everything run
        first. Facts about the kernel are those of the build that they needed.
        """
        call = dataclasses.replace(self.call, cases=names)
        told = {spec.name for spec in self.lab.cases if spec.feedback == "full"}
        for number in range(1, _REBUILDS + 1):
            assert built.image is not None
            try:
                cases = self.cases(call, built.image)
            except RuntimeError as error:
                return dataclasses.replace(outcome, trouble=str(error))
            outcome = dataclasses.replace(outcome, cases=cases)
            shown = register_limit([case for case in cases if case.name in told])
            limit = shown or register_limit(cases)
            if limit is None or number == _REBUILDS:
                break
            again = self.built(f"cubin-{number}", limit, lambdas=built.lambdas)
            if again.image is None:
                break
            built, outcome = again, dataclasses.replace(outcome, log=again.log)
            if shown:
                outcome = dataclasses.replace(outcome, register_limit=shown, resources=again.resources)
        gpu = self.toolset.gpu
        if gpu.sanitizer is None or built.image is None:
            return outcome
        assert gpu.runner is not None
        folder = self.scratch / "sanitized"
        folder.mkdir()
        with gpu.turns, self.sharing():
            sanitized, trouble = sanitize(gpu.sanitizer, gpu.runner, self.lab, built.image, call, folder, self.lines)
        return dataclasses.replace(outcome, sanitized=sanitized, trouble=trouble)

    def run_hanging(self, names: tuple[str, ...], image: Path, outcome: GpuOutcome) -> GpuOutcome:
        """Adds the cases that did not end on the CPU executor. A kernel that hangs holds up everybody who waits for the GPU, and that both
        agree is soon seen: one case shows it. Where that one ends, the CPU executor was too slow or wrong, and all are run. None of them
        can pass any more, so nobody's launch is given another chance with the device alone.
        """
        call = dataclasses.replace(self.call, cases=names, launch_ms=_HANGING_MS)
        try:
            cases = self.cases_once(dataclasses.replace(call, cases=names[:1], until_failure=True), image)
            if len(names) > 1 and all(case.passed for case in cases):
                cases = self.cases_once(call, image)
        except RuntimeError as error:
            return dataclasses.replace(outcome, trouble=str(error))
        return dataclasses.replace(outcome, cases=(*outcome.cases, *cases))

    def cases(self, call: JudgeCall, image: Path) -> tuple[JudgedCase, ...]:
        """As `cases_once`. A launch that did not end gets another chance with the device alone."""
        cases = self.cases_once(call, image)
        late = next((case.name for case in cases if case.verdict is Verdict.TIMEOUT and was_run(case)), None)
        if late is None:
            return cases
        # Kernels that hang, and contexts that are made and ended, may delay a launch that is not at fault.
        with self.toolset.gpu.turns, self.lock.alone():
            again = self.judge(dataclasses.replace(call, cases=(late,)), image)
            return cases if any(case.verdict is Verdict.TIMEOUT for case in again) else self.judge(call, image)

    def cases_once(self, call: JudgeCall, image: Path) -> tuple[JudgedCase, ...]:
        """The cases, while others use the device. Tried again if the machine failed: another program may have caused one failure."""
        cases: tuple[JudgedCase, ...] = ()
        for _ in range(_TRIES):
            with self.toolset.gpu.turns, self.sharing():
                cases = self.judge(call, image)
            if all(case.verdict is not Verdict.INTERNAL_ERROR for case in cases):
                break
        return cases

    def judge(self, call: JudgeCall, image: Path) -> tuple[JudgedCase, ...]:
        folder = self.scratch / "gpu"
        folder.mkdir(exist_ok=True)
        argv = confined_runner(self.toolset, self.toolset.gpu.device, image)
        return run_judge(call, self.lab, argv, folder, self.lines)

    @cached_property
    def lines(self) -> list[str]:
        return self.source.read_text(encoding="utf-8", errors="replace").split("\n")

    @property
    def toolchain(self) -> GpuToolchain:
        assert self.toolset.gpu.toolchain is not None
        return self.toolset.gpu.toolchain

    @property
    def lock(self) -> GpuLock:
        assert self.toolset.gpu.device is not None
        return GpuLock(self.toolset.gpu.device.lock_name)

    def sharing(self) -> AbstractContextManager[None]:
        assert self.toolset.gpu.device is not None
        return self.toolset.gpu.alone.shared(self.toolset.gpu.device.lock_name, self.lock)


def register_limit(cases: Sequence[JudgedCase]) -> int | None:
    """The most registers of a thread for the largest block that was short of them; None: there was no such block."""
    failed = [one for case in cases for one in case.launches if one.verdict is Verdict.LAUNCH_ERROR and one.block]
    blocks = (one.block for one in failed if one.counters.get("short_of_registers"))
    return min((registers_that_fit(math.prod(block or ())) for block in blocks), default=None)


# A launcher or a program on a real GPU, beside the CPU run: the same text, compiled by nvcc into a program of its own. The judge compares
# what it leaves; where a result came from and every detector are the CPU run's.
#
# The program is hostile, and confined with what a GPU's driver needs. What fails on our side is never the submission's fault: then the
# CPU run's result stands, and a person reads why.


_NATIVE_SECONDS = 60  # on the wall, for one run: most of it makes the GPU's context
_OURS = ("native_launcher.hpp", "launcher_call.hpp")  # in kit/host
_FILE_BYTES = 64 << 20


def judge_natively(
    toolset: Toolset, lab: Lab, text: str, folder: Path, call: JudgeCall, *, alone: bool
) -> GpuOutcome | None:
    """`call.cases`: those that run on the GPU. `alone`: the CPU executor cannot run the submission. None where no GPU can be used."""
    toolchain = toolset.gpu.toolchain
    if toolchain is None or not toolset.gpu.runs or not call.cases:
        return None
    with toolset.gpu.borrowed_device() as device:
        if device is None:
            return None
        gpu = dataclasses.replace(toolset.gpu, device=device, others=())
        work, judged = folder / "native", folder / "native-judged"  # the program may read where it lies itself alone
        work.mkdir()
        texts, others = native_texts(toolset, lab, text, device.ordinal)
        built = build_native(toolchain, toolset.confinement, texts, work, gpu.target, others)
        outcome = GpuOutcome(toolchain.name, gpu.target.capability, str(device), alone=alone, log=built.log)
        if built.program is None:
            return dataclasses.replace(outcome, trouble=built.trouble)
        judged.mkdir()
        native_file = judged / "native.json"
        native_file.write_text(json.dumps(_program_file(toolset, device, lab, judged, built.program)), encoding="utf-8")
        # One judge for all cases: it keeps the program, and with it the GPU's context, from run to run.
        patient = dataclasses.replace(call, seconds=JUDGE_SECONDS * clock_factor() * len(call.cases))
        cases: tuple[JudgedCase, ...] = ()
        try:
            for _ in range(_TRIES):
                with gpu.turns:
                    report = judge_report(patient, lab, ["--program", str(native_file)], judged)
                cases = judged_cases(report, lab, lambda entry: launch_of_program(entry, lab, text))
                if all(case.verdict is not Verdict.INTERNAL_ERROR for case in cases):
                    break
        except RuntimeError as error:
            return dataclasses.replace(outcome, trouble=str(error))
        return dataclasses.replace(outcome, cases=cases)


def native_texts(toolset: Toolset, lab: Lab, text: str, ordinal: int = 0) -> tuple[dict[str, str], list[str]]:
    """The student's text with our own around it, and what both include; and which of them are other sources."""
    public = lab.public
    chosen = f"static const cudaError_t tilelab_device = cudaSetDevice({ordinal});\n" if ordinal else ""
    source, words = program_source(lab, text)
    defined = defining(words.definitions)
    texts = {PurePosixPath(name).name: _read(lab.public_dir / name) for name in public.headers}
    for unit in reversed(source.units):
        texts |= with_flat_includes(unit.texts, unit.name)
    for unit in source.units:
        texts[unit.name] = f'{defined}#line 1 "{unit.name}"\n{texts[unit.name]}'
    main = texts.pop(public.file)
    texts |= {name: _read(toolset.root / "kit" / "gpu" / name) for name in BESIDE}
    others = [unit.name for unit in source.units[1:]]
    if not public.has_operands:
        return {**texts, SOURCE: f"{main}\n\n{chosen}"}, others
    ours = {name: _read(toolset.root / "kit" / "host" / name) for name in _OURS}
    frame = operands_frame(public, on_gpu=True)
    before = f'#include "{_OURS[0]}"\n{frame.before}'
    return {**texts, **ours, SOURCE: f"{before}{main}\n\n{chosen}{frame.behind}"}, others


def _program_file(toolset: Toolset, device: Device, lab: Lab, folder: Path, program: Path) -> dict[str, Any]:
    file = program_file(toolset, lab, folder)
    argv = toolset.confinement.wrap(
        [str(program)],
        readable=[program.parent, *device.folders],
        writable=[Path(file["folder"])],
        limits=dataclasses.replace(GPU_RUN_LIMITS, profile="gpu-program", file_bytes=_FILE_BYTES),
    )
    gate, lock = map(str, GpuLock(device.lock_name).files())
    wall_ms = _NATIVE_SECONDS * 1000 * clock_factor()
    return {**file, "native": {"argv": silently(argv), "wall_ms": wall_ms, "gate": gate, "lock": lock}}
