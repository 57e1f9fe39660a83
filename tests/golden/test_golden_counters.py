"""The executor's counts are exactly those of Nsight Compute on an H200: requests, sectors, wavefronts.

The files *_on_h200.json were measured there, with the kernels beside them. Their loops are prevented from unrolling.
"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus_sample import sample

from grader.engines.backend import COMPILER_VARIABLE
from grader.engines.cpu_build import build_for_cpu
from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
REPLAYS = (
    "idc__requests.sum - smsp__inst_executed_op_ldc.sum"  # words of constant memory beyond the first of their request
)
MATMUL = EntrySignatures(
    "matmul_open(float const*, float const*, float*, int, int, int)", "matmul_open_launch(int, int, int)"
)
DIVERGENCE = EntrySignatures("divergence(float const*, float*, int)")


def measured(name: str) -> dict[str, Any]:
    kernels: dict[str, Any] = json.loads((HERE / f"{name}_on_h200.json").read_text(encoding="utf-8"))["kernels"]
    return kernels


@pytest.fixture(scope="session", params=["", "clang++"], ids=["as set up", "clang++"])
def toolset(request: pytest.FixtureRequest) -> Toolset:
    """One toolset for the kit's own compiler, one for Clang."""
    if request.param and shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            patch.setenv(COMPILER_VARIABLE, request.param)
        return Toolset.open(Path(__file__).resolve().parents[2], allow_no_sandbox=True)


def agree(reply: dict[str, Any], numbers: dict[str, int]) -> None:
    assert (reply["status"], reply["findings"]) == ("completed", [])
    traffic = reply["traffic"]
    assert traffic["complete"]
    numbers = dict(numbers)
    if (replays := numbers.pop(REPLAYS, None)) is not None:
        assert reply["counters"]["constant_replays"] == replays
    assert {name: traffic["metrics"][name] for name in numbers} == numbers
    for name, number in numbers.items():
        assert sum(line["metrics"].get(name, 0) for line in traffic["lines"]) == number, name


@pytest.mark.parametrize("kernel", sample([*measured("counters")], 2))
def test_matrix_products_are_counted_as_the_hardware_counts_them(
    kernel: str, toolset: Toolset, talk: SimpleNamespace, tmp_path: Path
) -> None:
    source = HERE / "counters" / f"{kernel}.cu"
    built = build_for_cpu(toolset.toolchain, toolset.confinement, source, tmp_path, MATMUL)
    for shape, numbers in measured("counters")[kernel].items():
        m, n, k = map(int, shape.split("x"))
        arguments = [
            talk.buffer("A", "input", [1.0] * (m * k), k),
            talk.buffer("B", "input", [1.0] * (k * n), n),
            talk.buffer("C", "output", [math.nan] * (m * n), n),
            *(talk.number(name, size) for name, size in (("M", m), ("N", n), ("K", k))),
        ]
        agree(talk.launch(built, arguments, (m, n, k)), numbers)


@pytest.mark.parametrize("kernel", sample([*measured("divergence")], 2))
def test_divergent_warps_are_counted_as_the_hardware_counts_them(
    kernel: str, toolset: Toolset, talk: SimpleNamespace, tmp_path: Path
) -> None:
    source = HERE / "divergence" / f"{kernel}.cu"
    built = build_for_cpu(toolset.toolchain, toolset.confinement, source, tmp_path, DIVERGENCE)
    arguments = [
        talk.buffer("A", "input", [float(i) for i in range(8192)]),
        talk.buffer("C", "inout", [0.0] * 64),
        talk.number("n", 64),
    ]
    agree(talk.launch(built, arguments, (), grid=(1, 64)), measured("divergence")[kernel])


def test_every_kernel_that_was_measured_is_here() -> None:
    for name in ("counters", "divergence"):
        assert {path.stem for path in (HERE / name).glob("*.cu")} == set(measured(name))
