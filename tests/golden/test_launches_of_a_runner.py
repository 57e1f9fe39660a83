"""A runner's launches follow each other in one process, and none learns anything of those before it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.engines.cpu_build import CpuBuild, build_for_cpu
from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset

KERNEL = """
__device__ int launches = 0;
__device__ float kept[4];

__global__ void probe(const float* A, float* C, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  if (t == 0) {
    launches += 1;
    C[0] = launches;
    C[1] = kept[3];
    kept[3] = 7.0f;
  }
  if (n != 3) tile[t] = A[t];
  if (n != 1) __syncthreads();
  if (n == 4) for (;;) C[t] = 1.0f;
  if (n == 5) __trap();
  if (n == 6) *static_cast<volatile float*>(nullptr) = 1.0f;
  if (t >= 2) C[n == 2 ? t + 1 : t] = tile[63 - t];
}
"""
CLEAN, RACE, STRAY, UNSET, ENDLESS, TRAP, NULL = range(7)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> CpuBuild:
    folder = tmp_path_factory.mktemp("probe")
    source = folder / "probe.cu"
    source.write_text(KERNEL, encoding="utf-8")
    toolset = Toolset.open(Path(__file__).resolve().parents[2], allow_no_sandbox=True)
    work = folder / "work"
    work.mkdir()
    entries = EntrySignatures("probe(float const*, float*, int)")
    return build_for_cpu(toolset.toolchain, toolset.confinement, source, work, entries)


def arguments(talk: SimpleNamespace, which: int) -> list[dict[str, Any]]:
    values = [float(i) for i in range(64)]
    return [talk.buffer("A", "input", values), talk.buffer("C", "output", values), talk.number("n", which)]


def launched(talk: SimpleNamespace, runner: Any, which: int) -> dict[str, Any]:  # noqa: ANN401 - a Conversation of conftest.py
    reply: dict[str, Any] = runner.launch(arguments(talk, which), [], (1, 64), traffic=False)
    return reply


def test_a_launch_finds_the_variables_as_they_were_compiled(talk: SimpleNamespace, built: CpuBuild) -> None:
    with talk.Conversation(built) as runner:
        for _ in range(4):
            reply = launched(talk, runner, CLEAN)
            assert (reply["status"], reply["outputs"][1][:3]) == ("completed", [1.0, 0.0, 61.0])
            assert reply["left_data"]


def test_launches_without_findings_share_a_process(talk: SimpleNamespace, built: CpuBuild) -> None:
    with talk.Conversation(built) as runner:
        launched(talk, runner, CLEAN)
        first = runner.launch_processes()
        assert len(first) == 1
        launched(talk, runner, CLEAN)
        assert runner.launch_processes() == first


@pytest.mark.parametrize("which", [RACE, STRAY, UNSET, ENDLESS, TRAP, NULL])
def test_what_is_found_does_not_depend_on_launches_before(talk: SimpleNamespace, built: CpuBuild, which: int) -> None:
    with talk.Conversation(built) as runner:
        alone = launched(talk, runner, which)
        assert alone["findings"]
        assert not runner.launch_processes()
    with talk.Conversation(built) as runner:
        for _ in range(2):
            launched(talk, runner, CLEAN)
        assert repr(launched(talk, runner, which)) == repr(alone)  # NaN is not equal to itself
        after = launched(talk, runner, CLEAN)
        assert (after["status"], after["findings"], after["outputs"][1][0]) == ("completed", [], 1.0)


def test_buffers_of_another_number_come_to_a_new_process(talk: SimpleNamespace, built: CpuBuild) -> None:
    with talk.Conversation(built) as runner:
        launched(talk, runner, CLEAN)
        short = [talk.buffer("A", "input", [1.0]), talk.number("C", 0), talk.number("n", CLEAN)]
        assert runner.launch(short, [], (1, 32), traffic=False)["findings"]
        assert launched(talk, runner, CLEAN)["outputs"][1][0] == 1.0
