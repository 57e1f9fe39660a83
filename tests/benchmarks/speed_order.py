"""Times the kernels that the model of speed is tried on: the open lab's ladder, its model solution, naive, and those of
tests/labs/speed_order, at 1024³ and 2048³, with cuBLAS in the same rounds. Writes the times down beside this file. Without a GPU it
says so and writes nothing. `docs/speed_order_table.py` then compares them with what the model predicts.

    .venv/bin/python tests/benchmarks/speed_order.py
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import datetime as dt
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from ladder_speeds import LAB, ROOT, Contestants, add, at_size, contestants_of, expect_right
from order_kernels import order_kernels

from grader.engines.backend import backend_choice
from grader.engines.gpu_toolchain import GpuToolchain
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.run.speed.contest import Contestant, ContestError, build, run_contest
from grader.run.speed.speed_run import problem_of
from grader.run.speed.speed_score import FIRST_ROUNDS
from grader.system.own_files import write_atomically

MEASURED = Path(__file__).with_name("speed_order.json")
SIZES = (1024, 2048)
_CHECKED_AT = "515x509x517"
_AT_A_TIME = 5  # beside those of every contest, which the runner limits to eight


def main() -> int:
    try:
        toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend=backend_choice())
        if not toolset.gpu.runs:
            print(f"Nothing is measured, no GPU can be used here: {'; '.join(toolset.gpu.reasons)}")
            return 0
        assert toolset.gpu.toolchain is not None
        measured = measure(toolset, load_lab(toolset.root, LAB), toolset.gpu.toolchain)
    except (RemediableError, ContestError) as error:
        print(f"Nothing is measured: {error}", file=sys.stderr)
        return 1
    write_atomically(MEASURED, json.dumps(measured, indent=1) + "\n")
    print(f"written: {MEASURED.relative_to(ROOT)}")
    return 0


def measure(toolset: Toolset, lab: Lab, toolchain: GpuToolchain) -> dict[str, Any]:
    """What is written down: milliseconds and shares of cuBLAS's speed, each as [low, middle, high] of a 95 % interval."""
    always, climbing = contestants_of(toolset, lab)
    rows: dict[int, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="tilelab-") as sources:
        everybody = [*climbing, *_others(lab, Path(sources))]
        for first in range(0, len(everybody), _AT_A_TIME):
            _group(toolset, lab, [*always, *everybody[first : first + _AT_A_TIME]], len(always), rows)
    return {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(), "device": toolset.gpu.device.name if toolset.gpu.device else "",
        "toolkit": toolchain.name, "rounds": FIRST_ROUNDS, "sizes": list(rows.values()),
    }  # fmt: skip


def _others(lab: Lab, folder: Path) -> Contestants:
    made: Contestants = []
    for name, text in order_kernels().items():
        source = folder / f"{name}.cu"
        source.write_text(text, encoding="utf-8")
        made.append(Contestant(lab, source, name, trusted=True))
    return made


def _group(toolset: Toolset, lab: Lab, contestants: Contestants, always: int, rows: dict[int, dict[str, Any]]) -> None:
    names = [one.name for one in contestants]
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        built = build(toolset, contestants, Path(folder))
        for kept in range(always, len(names)):
            expect_right(names, run_contest(toolset, built, problem_of(lab), _CHECKED_AT, rounds=1, kept=kept))
        for size in SIZES:
            add(rows, at_size(toolset, lab, built, names, size))


if __name__ == "__main__":
    sys.exit(main())
