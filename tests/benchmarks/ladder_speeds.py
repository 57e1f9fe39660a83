"""Times the rungs of the open lab's ladder on this machine's GPU, with naive, the lab's model and cuBLAS in the same rounds, and writes the
times down in the ladder's folder. `make ladder` then makes a table and a figure of them. Without a GPU it says so and writes nothing.

Each rung's outputs are compared first, at a size that no tile divides. What uses tensor cores is timed apart, with cuBLAS in TF32.
Nobody is graded here.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import datetime as dt
import json
import math
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grader.engines.backend import backend_choice
from grader.engines.gpu_toolchain import cublas_of
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.model.outcome import Contest
from grader.model.result import Ratio
from grader.run.speed.contest import (
    Built,
    Contestant,
    ContestError,
    LibraryContestant,
    build,
    run_contest,
)
from grader.run.speed.speed_run import problem_of
from grader.run.speed.speed_score import FIRST_ROUNDS, control_trouble, ratio_interval
from grader.system.own_files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
LAB = "04-open"
LADDER = ROOT / "solutions" / LAB / "ladder"
TENSOR_CORES = LADDER / "tensor_cores"
MEASURED = LADDER / "measured.json"
SIZES = (256, 512, 1023, 1024, 2047, 2048, 4096)
_CHECKED_AT = "1023x1021x515"
_TF32_ERROR = 2.0**-9 * 515**0.5  # of a sum of 515 products of numbers below 1, each rounded to 10 bits of fraction
_TRIES = 3
_AT_A_TIME = 5  # beside those of every contest, which the runner limits to eight


def main() -> int:
    try:
        toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend=backend_choice())
        if not toolset.gpu.runs:
            reasons = "; ".join(toolset.gpu.reasons)
            print(f"The ladder is not measured anew, no GPU can be used here: {reasons}")
            return 0
        measured = measure(toolset, load_lab(toolset.root, LAB))
    except (RemediableError, ContestError) as error:
        print(f"The ladder is not measured: {error}", file=sys.stderr)
        return 1
    write_atomically(MEASURED, json.dumps(measured, indent=1) + "\n")
    print(f"written: {MEASURED.relative_to(ROOT)}")
    return 0


def measure(toolset: Toolset, lab: Lab) -> dict[str, Any]:
    """What is written down: milliseconds and shares of cuBLAS's speed, each as [low, middle, high] of a 95 % interval."""
    always, climbing = contestants_of(toolset, lab)
    groups = [[*always, *climbing[first : first + _AT_A_TIME]] for first in range(0, len(climbing), _AT_A_TIME)]
    assert toolset.gpu.toolchain is not None
    rows: dict[int, dict[str, Any]] = {}
    for contestants in groups:
        names = [one.name for one in contestants]
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            built = build(toolset, contestants, Path(folder))
            for kept in range(len(always), len(names)):
                expect_right(names, run_contest(toolset, built, problem_of(lab), _CHECKED_AT, rounds=1, kept=kept))
            for size in SIZES:
                add(rows, at_size(toolset, lab, built, names, size))
    return {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(), "device": toolset.gpu.device.name if toolset.gpu.device else "",
        "toolkit": toolset.gpu.toolchain.name, "rounds": FIRST_ROUNDS, "sizes": list(rows.values()),
        "tensor_cores": measure_tensor_cores(toolset, lab),
    }  # fmt: skip


def measure_tensor_cores(toolset: Toolset, lab: Lab) -> list[dict[str, Any]]:
    """As `measure`, in TF32: the share is that of cuBLAS's speed with the same arithmetic."""
    always, _ = contestants_of(toolset, lab)
    fp32 = next(one for one in always if isinstance(one, LibraryContestant))
    tf32 = LibraryContestant(fp32.name, fp32.library, "cublasSgemm with TF32")
    rungs = [Contestant(lab, rung, rung.stem, trusted=True) for rung in sorted(TENSOR_CORES.glob("*.cu"))]
    contestants = [*(tf32 if one is fp32 else one for one in always), *rungs]
    names = [one.name for one in contestants]
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        built = build(toolset, contestants, Path(folder))
        for kept in range(len(always) - 1, len(names)):
            expect_close(names, run_contest(toolset, built, problem_of(lab), _CHECKED_AT, rounds=1, kept=kept))
        return [at_size(toolset, lab, built, names, size, expect=expect_close) for size in SIZES]


def add(rows: dict[int, dict[str, Any]], row: dict[str, Any]) -> None:
    """Adds a group's row to that of the same size. What takes part in every group is told by the first."""
    known = rows.setdefault(row["size"], row)
    there = {one["name"] for one in known["kernels"]}
    known["kernels"] += [one for one in row["kernels"] if one["name"] not in there]
    known["trouble"] = known["trouble"] or row["trouble"]


Contestants = list[Contestant | LibraryContestant]


def contestants_of(toolset: Toolset, lab: Lab) -> tuple[Contestants, Contestants]:
    """Those that take part in every contest, and those that climb: the model and the rungs."""
    assert lab.public.performance is not None
    assert lab.private_dir is not None
    base = load_lab(toolset.root, lab.public.performance.baseline)
    assert base.private_dir is not None
    library = cublas_of(toolset.gpu.toolchain)
    if library is None:
        message = "there is no cuBLAS beside this CUDA toolkit: install libcublas."
        raise RemediableError(message)
    naive = base.private_dir / base.public.file
    always: Contestants = [
        Contestant(base, naive, "baseline", trusted=True),
        Contestant(base, naive, "control", trusted=True),
        LibraryContestant("cublas", library, "cublasSgemm"),
    ]
    model = Contestant(lab, lab.private_dir / lab.public.file, "model", trusted=True)
    rungs = [Contestant(lab, rung, rung.stem, trusted=True) for rung in sorted(LADDER.glob("*.cu"))]
    return always, [model, *rungs]


def expect_right(names: Sequence[str], contest: Contest) -> None:
    """Raises ContestError where a launch failed or an output is wrong."""
    if contest.status != "completed":
        message = f"{names[contest.contestant]} at {contest.shape}: {contest.status}: {contest.detail}"
        raise ContestError(message)
    if contest.faults:
        message = f"wrong outputs at {contest.shape}: {contest.faults[0].fault}"
        raise ContestError(message)


def expect_close(names: Sequence[str], contest: Contest) -> None:
    """As `expect_right`, with the errors that TF32 may have where _CHECKED_AT was computed."""
    if contest.status != "completed":
        expect_right(names, contest)
    errors = [abs(one.actual - one.expected) if one.actual is not None else math.inf for one in contest.elements]
    if contest.shape == _CHECKED_AT and not (errors and max(errors) < _TF32_ERROR):
        message = f"{names[-1]} is wrong at {contest.shape}: {contest.faults[:1]}"
        raise ContestError(message)


def at_size(
    toolset: Toolset,
    lab: Lab,
    built: Built,
    names: Sequence[str],
    size: int,
    *,
    expect: Callable[[Sequence[str], Contest], None] = expect_right,
) -> dict[str, Any]:
    """Measures again, at most twice, while naive against itself is not 1.00. `trouble` then says that it never was."""
    for _ in range(_TRIES):
        last = len(names) - 1
        contest = run_contest(toolset, built, problem_of(lab), f"{size}x{size}x{size}", rounds=FIRST_ROUNDS, kept=last)
        expect(names, contest)
        trouble = control_trouble(names, contest)
        if not trouble:
            break
    times = dict(zip(names, contest.nanoseconds, strict=True))
    kernels = [
        {"name": name, "ms": _milliseconds(times[name]), "share": _three(ratio_interval(times["cublas"], times[name]))}
        for name in names
        if name != "control"
    ]
    row = {"size": size, "flops": contest.flops, "sm_mhz": contest.after.sm_mhz, "trouble": trouble, "kernels": kernels}
    print(
        f"{size}: " + ", ".join(f"{one['name']} {one['share'][1]:.3f}" for one in kernels) + f" {trouble}", flush=True
    )
    return row


def _milliseconds(nanoseconds: Sequence[float]) -> list[float]:
    middle = ratio_interval(nanoseconds, (1.0,) * len(nanoseconds))  # the median's interval
    return [round(one / 1e6, 6) for one in (middle.low, middle.middle, middle.high)]


def _three(ratio: Ratio) -> list[float]:
    return [round(one, 4) for one in (ratio.low, ratio.middle, ratio.high)]


if __name__ == "__main__":
    sys.exit(main())
