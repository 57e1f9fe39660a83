"""The performance model: the longest term is the result, every figure has a source, and the page states the error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.model.errors import RemediableError
from grader.model.result import Traffic
from grader.run.scoring.predicted_time import extrapolated, gpu_named, gpus, modelled

ROOT = Path(__file__).resolve().parents[5]
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
MEASURED = json.loads((ROOT / "tests/golden/counters_on_h200.json").read_text(encoding="utf-8"))["kernels"]


def traffic(
    metrics: Mapping[str, int] | None = None, *, work: int = 1, unit: str = "multiply-add", compulsory: int = 1
) -> Traffic:
    return Traffic(metrics=dict(metrics or {}), complete=True, work_unit=unit, work=work, compulsory_bytes=compulsory)


def test_the_longest_term_binds() -> None:
    gpu = gpu_named("A100")
    assert modelled(traffic(work=10**12), gpu).binding.name == "arithmetic"
    assert modelled(traffic(compulsory=10**12), gpu).binding.name == "device memory"
    assert modelled(traffic({WAVEFRONTS: 10**12}), gpu).binding.name == "load/store units"


def test_arithmetic_alone_runs_at_the_vendors_peak() -> None:
    tera = {key: modelled(traffic(work=10**15), gpu).flops / 1e12 for key, gpu in gpus().items()}
    assert {key: round(value, 1) for key, value in tera.items()} == {
        "H200": 66.9,
        "A100": 19.5,
        "RTX4090": 82.6,
        "T4": 8.1,
    }


def test_moving_bytes_alone_runs_at_the_vendors_bandwidth() -> None:
    model = modelled(traffic(work=64, unit="element", compulsory=10**12), gpu_named("T4"))
    assert (round(model.bytes_ / 1e9), model.flops) == (320, 0)


def test_what_passes_l2_is_a_range() -> None:
    (l2,) = [one for one in modelled(traffic({REQUESTS: 4, LOADS: 32}), gpu_named("A100")).terms if one.name == "L2"]
    assert l2.at_most is not None
    assert l2.at_most / l2.seconds == pytest.approx(1024)


def test_a_gpu_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(RemediableError, match="H200, A100, RTX4090, T4"):
        gpu_named("H9000")


def at_scale(kernel: str, side: int) -> Traffic:
    """The golden counts at 64³, scaled to side³: loads grow with the cube of the side, stores with its square."""
    factor = side / 64
    metrics = {
        name: round(count * factor ** (2 if "global_op_st" in name else 3))
        for name, count in MEASURED[kernel]["64x64x64"].items()
    }
    return traffic(metrics, work=side**3, compulsory=12 * side**2)


def test_the_page_says_what_is_modelled_and_what_was_measured() -> None:
    page = (ROOT / "docs" / "profiling.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+_\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([+-]\d+) % \|$", page, re.MULTILINE)
    assert len(rows) == 9
    for kernel, side, model, measured, off in rows:
        flops = modelled(at_scale(kernel, int(side)), gpu_named("H200")).flops / 1e12
        assert (model, off) == (f"{flops:.1f}", f"{100 * (flops / float(measured) - 1):+.0f}"), (kernel, side)


def test_counts_that_follow_the_rule_are_brought_to_any_scale() -> None:
    counted = {s: traffic({LOADS: 7 * s**3 + 5 * s**2}, work=s**3, compulsory=12 * s**2) for s in (1, 2, 4)}
    large = extrapolated(counted, 3, 32)
    assert large is not None
    assert (large.metrics[LOADS], large.work, large.compulsory_bytes) == (7 * 32**3 + 5 * 32**2, 32**3, 12 * 32**2)


def test_counts_that_break_the_rule_are_brought_nowhere() -> None:
    counted = {s: traffic({LOADS: 7 * s**3 + (1 if s == 4 else 0)}, work=s**3) for s in (1, 2, 4)}
    assert extrapolated(counted, 3, 32) is None


def test_two_shapes_prove_nothing() -> None:
    assert extrapolated({s: traffic({LOADS: s**3}, work=s**3) for s in (1, 2)}, 3, 8) is None
