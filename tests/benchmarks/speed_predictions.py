"""What the model of speed predicts for the kernels of the speed order, from the counts beside this file, and how its order compares with
the measured one. Pure but for reading; it counts and times nothing.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.model.result import GpuKernel, Launch
from grader.run.scoring.predicted_time import Facts, Prediction, cuts_sums, facts_of, gpu_named, predicted

HERE = Path(__file__).resolve().parent
COUNTED, MEASURED = HERE / "order_counts.json", HERE / "speed_order.json"
LADDER = HERE.parents[1] / "solutions" / "04-open" / "ladder" / "measured.json"
_SHORT, _LONG, _THIN = "256x256x64", "256x256x128", "32x32x512"


_PER_STEP = (
    "shared_reads", "shared_writes", "shared_passes", "load_requests", "load_passes", "copies", "phases",
)  # fmt: skip


def steady(short: Facts, long: Facts) -> Facts:
    """Of two launches of different length along the sums: what each further step costs, without what happens once in a block."""
    extra = long.steps - short.steps
    if extra <= 0 or (short.blocks, short.threads) != (long.blocks, long.threads):
        return long
    rates = {
        name: max(0.0, (getattr(long, name) * long.steps - getattr(short, name) * short.steps) / extra)
        for name in _PER_STEP
    }
    return replace(long, **rates)


def all_facts(*, compiled: bool = True) -> dict[str, Facts]:
    """By kernel. `compiled`: with nvcc's registers, not estimated ones."""
    counted = json.loads(COUNTED.read_text(encoding="utf-8"))
    return {name: _facts(one, compiled=compiled) for name, one in counted.items()}


def _facts(one: Mapping[str, Any], *, compiled: bool) -> Facts:
    kernel = None
    if compiled and one["resources"]:
        kernel = GpuKernel(
            compiler="", architecture="", stack_bytes=0, spill_store_bytes=0, spill_load_bytes=0, **one["resources"]
        )
    short, long = (facts_of(Launch.model_validate(one["launches"][shape]), kernel) for shape in (_SHORT, _LONG))
    assert short is not None
    assert long is not None
    cuts = cuts_sums(Launch.model_validate(one["launches"][_THIN]))
    return replace(steady(short, long), cuts_sums=cuts)


def prediction(facts: Facts, size: int, gpu: str = "H200") -> Prediction:
    found = predicted(facts, gpu_named(gpu), size * size, size)
    assert found is not None
    return found


def measured_ms(file: Path, size: int) -> dict[str, float]:
    """The median of each kernel at a size, without those that every contest has."""
    rows = json.loads(file.read_text(encoding="utf-8"))["sizes"]
    row = next(one for one in rows if one["size"] == size)
    return {one["name"]: one["ms"][1] for one in row["kernels"] if one["name"] not in {"baseline", "cublas"}}


def order(measured: Sequence[float], foretold: Sequence[float]) -> tuple[int, int, float]:
    """Pairs in the right order, all pairs, and Kendall's tau-b (1938, 1945), which counts ties of the prediction for neither."""
    right = wrong = tied = 0
    for (a, p), (b, q) in itertools.combinations(zip(measured, foretold, strict=True), 2):
        if math.isclose(p, q, rel_tol=1e-3):
            tied += 1
        elif (a - b) * (p - q) > 0:
            right += 1
        else:
            wrong += 1
    pairs = right + wrong + tied
    return right, pairs, (right - wrong) / math.sqrt(pairs * (pairs - tied)) if pairs > tied else 0.0
