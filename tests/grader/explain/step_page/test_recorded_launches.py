"""The page's steps against the executor: each thread's accesses as they were recorded, and costs as `tilelab profile` counts them."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.story import LANES, StoryRun
from grader.explain.warp_steps import run_of_trace
from grader.model.labs import load_lab
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.lab_launch import build_launch
from grader.run.launches.trace_phases import StepKind, TraceReport

ROOT = Path(__file__).resolve().parents[4]
_COUNT = {
    ("global", "READ"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    ("global", "WRITE"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ("shared", "READ"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ("shared", "WRITE"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
_REQUESTS = {
    ("global", "READ"): "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ("global", "WRITE"): "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ("shared", "READ"): "smsp__inst_executed_op_shared_ld.sum",
    ("shared", "WRITE"): "smsp__inst_executed_op_shared_st.sum",
}
# Launches of one block, so that a block's counts are the launch's: broadcasts and rows, bank conflicts, branches with shuffles, and
# float4 with several sums in a thread.
_CONFLICTS = """
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) { return {dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 8)}; }
__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (y + i < M && x < N) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * N + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (y + i < N && x < M) out[(y + i) * M + x] = tile[threadIdx.x][threadIdx.y + i];
}
"""
_LAUNCHES = {
    "05-transpose 32x32": _CONFLICTS,
    "06-reduction 200": "",
    "04-open 32x32x32": "",
}


@pytest.fixture(scope="module", params=list(_LAUNCHES))
def recorded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TraceReport, StoryRun, dict[str, int]]:
    lab_id, shape = request.param.split()
    lab = load_lab(ROOT, lab_id)
    text = _LAUNCHES[request.param]
    source = text.encode() if text else read_source(ROOT / "solutions" / lab_id / lab.public.file)
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    built = build_launch(toolset, lab, source, tmp_path_factory.mktemp(lab_id))
    asked = {"shape": shape, "inputs": "integers", "trace": {"block": [0, 0, 0]}}
    report = built.watch(asked, TraceReport)
    profile = built.profile(shape)
    assert report.trace is not None
    assert report.launch.block is not None
    assert report.launch.grid == (1, 1, 1)
    assert profile.launch.traffic is not None
    run, _ = run_of_trace(report.trace, report.launch.block, lab.public.file, title="", schedule="")
    return report, run, profile.launch.traffic.metrics


def test_each_thread_does_on_the_page_what_the_executor_recorded(
    recorded: tuple[TraceReport, StoryRun, dict[str, int]],
) -> None:
    report, run, _ = recorded
    assert report.trace is not None
    executed = defaultdict(list)
    for kind, thread, interval, array, offset, size, bits, *_ in report.trace.steps:
        if kind == StepKind.EXCHANGE:  # its offset is the lane that it brings the value of
            executed[thread].append((kind, interval, -1, offset, 0, bits if size else None))
        elif kind != StepKind.BARRIER:
            executed[thread].append((kind, interval, array, offset, size, bits))
    shown = defaultdict(list)
    for step in run.steps:
        for at, lane in enumerate(step.lanes):
            for part in range(step.parts):
                value = step.bits[at * step.parts + part]
                access = (
                    int(step.kind),
                    step.interval,
                    step.array,
                    step.offsets[at] + part * step.bytes,
                    step.bytes,
                    value,
                )
                shown[step.warp * LANES + lane].append(access)
    assert shown == executed
    barriers = [step[2] for step in report.trace.steps if step[0] == StepKind.BARRIER]
    assert [step.interval for step in run.steps if step.kind is StepKind.BARRIER] == barriers


def test_requests_and_what_they_cost_are_those_of_the_profile(
    recorded: tuple[TraceReport, StoryRun, dict[str, int]],
) -> None:
    report, run, metrics = recorded
    costs: Counter[tuple[str, str]] = Counter()
    requests: Counter[tuple[str, str]] = Counter()
    for step in run.steps:
        if step.cost is not None:
            key = run.arrays[step.array].space, step.kind.name
            costs[key] += step.cost.count
            requests[key] += 1
    assert sum(requests.values()) > 0
    if report.launch.shape == "M=32 N=32":  # a column of a tile without padding
        assert costs["shared", "READ"] == 32 * requests["shared", "READ"]
    assert {key: costs[key] for key in _COUNT} == {key: metrics.get(name, 0) for key, name in _COUNT.items()}
    assert {key: requests[key] for key in _REQUESTS} == {key: metrics.get(name, 0) for key, name in _REQUESTS.items()}
