"""`make bench`: what grading costs, as ratios to other work on the same machine in the same run. It prints and asserts nothing.

Use a quiet machine. Each pair is measured in the order ABBA. Medians and extremes are shown. `--short` takes every step once, on its
smallest input, to show that each still works: its numbers say nothing.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from unittest import mock

from oclgrind import oclgrind, run_twin, version
from resident import peak_mib
from spending import Spent, alternate, exact, spend, spread

from grader.engines import cpu_build
from grader.engines.build_steps import BuildSteps
from grader.engines.cpu_build import build_for_cpu
from grader.engines.cpu_toolchain import CpuToolchain
from grader.engines.entry_points import EntrySignatures
from grader.engines.objects.symbol_table import ObjectFile, read_object
from grader.engines.proof import object_proof
from grader.engines.proof.object_proof import Checked, Entry
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab

ROOT = Path(__file__).resolve().parents[2]
LARGE, MIDDLE, SMALL = "multiplies 256 x 256 x 256", "multiplies 128 x 128 x 128", "multiplies 32 x 32 x 32"
SEED = 1
TASK = json.dumps({"key": "00" * 32}).encode()  # what a judge reads on standard input
THREADS = 256  # of a block of the tiled kernel
_WATCHING = ("-fsanitize", "tsan-distinguish-volatile=1", "--param")


@dataclass(frozen=True)
class Extent:
    """How much is measured: how often, on which product, and how many files of each lab."""

    pairs: int
    large: str = LARGE
    middle: str = MIDDLE
    files: int | None = None

    @property
    def cube(self) -> int:
        return int(self.middle.split()[-1])


@dataclass(frozen=True)
class Uninstrumented(CpuToolchain):
    """The same code on the same fibers, without announcements."""

    optimisation: str = "-O0"

    @property
    def flags(self) -> tuple[str, ...]:
        kept = (flag for flag in super().flags if not flag.startswith(_WATCHING))
        return tuple(self.optimisation if flag == "-O0" else flag for flag in kept)


def unannounced(
    _steps: BuildSteps, assembly: str, obj: ObjectFile, _entered: Mapping[str, Entry], _passed: Sequence[str]
) -> tuple[str, ObjectFile, Checked]:
    """What the compiler made, as it is: the builder's own check would put in a call for each access that is not announced."""
    return assembly, obj, Checked()


def precompile(toolchain: CpuToolchain) -> None:
    toolchain.prelude.parent.mkdir()
    toolchain.prelude.write_text("#include <tilelab/device.cuh>\n", encoding="utf-8")
    command = [
        toolchain.compiler,
        "-x",
        "c++-header",
        *toolchain.flags,
        str(toolchain.prelude),
        "-o",
        f"{toolchain.prelude}.gch",
    ]
    subprocess.run(command, check=True, capture_output=True)


def compile_with(nvcc: str, sources: list[Path], scratch: Path, *options: str) -> None:
    for source in sources:
        command = [
            nvcc,
            *options,
            "-arch=sm_90",
            f"-I{ROOT / 'kit' / 'include'}",
            str(source),
            "-o",
            str(scratch / "nvcc.out"),
        ]
        subprocess.run(command, check=True, capture_output=True)


def grade(toolset: Toolset, labs: list[Lab], scratch: Path) -> None:
    for lab in labs:
        source = ROOT / "solutions" / lab.id / lab.public.file
        result = score_lab(lab, LabJudge(toolset, SEED, public_only=False)(lab, source, scratch))
        if result.verdict is not Verdict.PASS:
            message = f"the model solution of {lab.id} got {result.verdict.value}"
            raise RuntimeError(message)


def compare(title: str, ours: Callable[[], object], theirs: Callable[[], object], pairs: int, quantity: str) -> None:
    if pairs > 1:
        spend(ours), spend(theirs)  # warms the page cache
    taken = list(alternate(ours, theirs, pairs))

    def of(spent: Spent) -> float:
        return spent.cpu_s if quantity == "processor" else spent.wall_s

    print(f"{title} [{quantity} time, {pairs} pairs]")
    print(f"  ours     {spread([of(a) for a, _ in taken])} s")
    print(f"  theirs   {spread([of(b) for _, b in taken])} s")
    print(f"  ratio    {spread([of(a) / of(b) for a, b in taken])}")
    if median([of(b) for _, b in taken]) > 10 * median([of(a) for a, _ in taken]):
        print(f"  times    {spread([of(b) / of(a) for a, b in taken])} faster")


def command(case: str, folder: Path) -> list[str]:
    judge = str(ROOT / "build" / "bin" / "judge-bench")
    return [
        judge,
        case,
        "--runner",
        str(folder / "runner.json"),
        "--report",
        str(folder / "judge.json"),
    ]


def launch(toolset: Toolset, toolchain: CpuToolchain, lab: Lab, folder: Path) -> Callable[[str], dict[str, int]]:
    """Builds the lab's model solution. Returns a function that launches a case by its name and returns the launch's counters."""
    folder.mkdir()
    source = ROOT / "solutions" / lab.id / lab.public.file
    entries = EntrySignatures(lab.public.kernel, lab.public.launch)
    built = build_for_cpu(toolchain, toolset.confinement, source, folder, entries)
    if built.runner is None:
        message = f"{source} does not build: {[refusal.message for refusal in built.refusals]} {built.log}"
        raise RuntimeError(message)
    report = folder / "judge.json"
    (folder / "runner.json").write_text(
        json.dumps({"argv": [str(built.runner), "--image", str(built.image)]}), encoding="utf-8"
    )

    def run(case: str) -> dict[str, int]:
        subprocess.run(command(case, folder), check=True, capture_output=True, input=TASK)
        counters: dict[str, int] = json.loads(report.read_text(encoding="utf-8"))["cases"][0]["launches"][0]["counters"]
        return counters

    return run


def unwatched(toolset: Toolset, lab: Lab, scratch: Path, optimisation: str) -> Callable[[str], dict[str, int]]:
    """As `launch`, without anything that is watched. Raises RuntimeError if the executor was told of an access or a branch all the same."""
    base = toolset.toolchain
    prelude = scratch / optimisation / "prelude.hpp"
    plain = Uninstrumented(base.compiler, base.includes, base.archives, prelude, optimisation=optimisation)
    precompile(plain)
    with mock.patch.object(cpu_build, "announced_object", unannounced):
        bare = launch(toolset, plain, lab, scratch / f"plain{optimisation}")
    if told := announced(bare(SMALL)):
        message = f"the baseline at {optimisation} is watched: {told} accesses and branches were announced"
        raise RuntimeError(message)
    return bare


def announced(counters: Mapping[str, int]) -> int:
    """How many accesses and branches the executor was told of: its other events are threads that reach a barrier."""
    return counters["events"] - THREADS * counters["block_barriers"]


def executor(toolset: Toolset, lab: Lab, scratch: Path, extent: Extent) -> None:
    """Every number includes the judge's own work (inputs, product in fp64, comparison), which is small."""
    pairs, large, size = extent.pairs, extent.large, extent.cube
    watched = launch(toolset, toolset.toolchain, lab, scratch / "watched")
    events = watched(large)["events"] - watched(SMALL)["events"]
    for optimisation in ("-O0", "-O2"):
        bare = unwatched(toolset, lab, scratch, optimisation)
        compare(
            f"executor, {large}, against the same kernel unwatched at {optimisation}",
            lambda: watched(large),
            partial(bare, large),
            pairs,
            "processor",
        )
    seconds = median([spend(lambda: watched(large)).cpu_s - spend(lambda: watched(SMALL)).cpu_s for _ in range(pairs)])
    print(f"  events   {events / 1e6:.0f} million, {events / seconds / 1e6:.0f} million for each second")
    if kin := oclgrind():
        compare(
            f"executor at {size}^3, every access watched, against {version(kin)} on the same kernel in OpenCL C, races and "
            "uninitialised reads watched",
            lambda: watched(extent.middle),
            lambda: run_twin(kin, scratch, size),
            pairs,
            "processor",
        )
    else:
        print(
            "skipped: comparison with Oclgrind, which is not installed here (Debian, Ubuntu: apt-get install oclgrind)"
        )
    folder = scratch / "watched"
    at = [peak_mib(command(case, folder), TASK, (folder / "runner").resolve()) for case in (large, SMALL)]
    print(f"memory of a runner: {at[0]:.0f} MiB, {large}; {at[1]:.0f} MiB, {SMALL}")


def proof(toolset: Toolset, labs: list[Lab], sources: list[Path], scratch: Path, most: int | None) -> None:
    """What it takes to prove that all accesses are announced, over the model solutions and all that the corpus accepts."""
    taken: list[float] = []

    def timed(function: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object) -> object:
            began = time.process_time()
            done = function(*arguments)
            taken.append(time.process_time() - began)
            return done

        return run

    milliseconds = []
    reading = mock.patch.object(cpu_build, "read_object", timed(read_object))
    proving = mock.patch.object(object_proof, "check_announcements", timed(object_proof.check_announcements))
    with reading, proving:
        for lab, model in zip(labs, sources, strict=True):
            entries = EntrySignatures(lab.public.kernel, lab.public.launch)
            for source in [model, *sorted((ROOT / "tests" / "labs" / "accepted" / lab.id).glob("*.cu"))][:most]:
                taken.clear()
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    built = build_for_cpu(toolset.toolchain, toolset.confinement, source, Path(folder), entries)
                if built.runner is not None:
                    milliseconds.append((1000 * sum(taken), source is model))
    for_models = sum(one for one, is_model in milliseconds if is_model)
    share = for_models / 1000 / spend(lambda: grade(toolset, labs, scratch)).cpu_s
    print(
        f"proof that all accesses are announced: {spread([one for one, _ in milliseconds])} ms for each of {len(milliseconds)} files"
    )
    print(f"  share    {share:.3f} of the processor time of grading {len(labs)} labs of one submission")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="each step once, on its smallest input; for a test")
    asked = parser.parse_args()
    pairs, short = (1, True) if asked.short else (asked.pairs, False)
    extent = Extent(1, MIDDLE, SMALL, files=1) if short else Extent(pairs)
    if not exact():
        print("Note: kernel.perf_event_paranoid forbids the task clock: times of killed sandboxes are missing below.")
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    labs = [
        load_lab(ROOT, folder.name)
        for folder in sorted((ROOT / "assignments").iterdir())
        if (folder / "lab.toml").is_file()
    ]
    tiled = next(lab for lab in labs if lab.id.endswith("tiled"))
    labs = [tiled] if short else labs
    sources = [ROOT / "solutions" / lab.id / lab.public.file for lab in labs]
    if short:
        print("each step once, on its smallest input: the numbers below say nothing")
    print(f"confinement: {toolset.confinement.name}; compiler: {toolset.compiler_version}")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        scratch = Path(folder)
        nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        test = [
            str(ROOT / ".venv" / "bin" / "tilelab"),
            "test",
            tiled.id,
            "--file",
            str(ROOT / "solutions" / tiled.id / tiled.public.file),
        ]

        def student() -> None:
            subprocess.run(test, check=True, capture_output=True, cwd=ROOT)

        if nvcc is None:
            print("skipped: comparisons with nvcc, which is not installed here")
            print(f"tilelab test of one lab: {spread([spend(student).wall_s for _ in range(pairs)])} s of wall time")
        else:
            for option in ("-c", "-cubin"):
                compare(
                    f"grading {len(labs)} labs of one submission against nvcc {option} of the same files",
                    lambda: grade(toolset, labs, scratch),
                    partial(compile_with, nvcc, sources, scratch, option),
                    pairs,
                    "processor",
                )
            one = [ROOT / "solutions" / tiled.id / tiled.public.file]
            compare(
                "tilelab test of one lab against nvcc -c of its file",
                student,
                lambda: compile_with(nvcc, one, scratch, "-c"),
                pairs,
                "wall",
            )
        proof(toolset, labs, sources, scratch, extent.files)
        executor(toolset, tiled, scratch, extent)


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, subprocess.CalledProcessError) as error:
        sys.exit(f"make bench stopped: {error}")
