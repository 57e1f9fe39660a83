"""Launchers that are timed, on a fake driver: their host code runs without a GPU, and what it asked for is done again in every round."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, PublicSpec
from grader.model.outcome import Contest
from grader.run.program_judging import build_submission
from grader.run.speed.contest import Built, run_contest
from grader.run.speed.described_timing import PLANNED

ROOT = Path(__file__).resolve().parents[4]
DRIVER = ROOT / "build" / "libfake-driver.so"
# The fake driver has kernels of these names, and what stands in their bodies is never run.
KERNELS = """
__global__ void copies(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void multiplies(float* out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= factor;
}
"""
PLAIN = """
void scaled(const float* in, float* out, float factor, int n) {
  copies<<<(n + 255) / 256, 256>>>(in, out, n);
  multiplies<<<(n + 255) / 256, 256>>>(out, factor, n);
}
"""
IN_STREAMS = """
void scaled(const float* in, float* out, float factor, int n) {
  size_t bytes = n * sizeof(float);
  float* held;
  cudaStream_t first, second;
  cudaEvent_t copied;
  cudaMalloc(&held, bytes);
  cudaStreamCreate(&first);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreate(&copied);
  cudaMemsetAsync(held, 0, bytes, first);
  copies<<<(n + 255) / 256, 256, 0, first>>>(in, held, n);
  cudaEventRecord(copied, first);
  cudaStreamWaitEvent(second, copied, 0);
  multiplies<<<(n + 255) / 256, 256, 0, second>>>(held, factor, n);
  cudaStreamSynchronize(second);
  cudaMemcpy(out, held, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaEventDestroy(copied);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(held);
}
"""
WITH_ROWS = """
void scaled(const float* in, float* out, float factor, int n) {
  cudaMemcpy2D(out, 40, in, 40, 20, n / 10, cudaMemcpyDeviceToDevice);
  cudaMemcpy2D(out + 5, 40, in + 5, 40, 20, n / 10, cudaMemcpyDeviceToDevice);
  multiplies<<<(n + 255) / 256, 256>>>(out, factor, n);
}
"""
# Host code that would cheat if it ran where the clock does: it counts its calls, and leaves the later ones to what it has kept.
COUNTS_CALLS = """
static int calls;
void scaled(const float* in, float* out, float factor, int n) {
  static float* kept;
  if (calls++ == 0) {
    cudaMalloc(&kept, n * sizeof(float));
    copies<<<(n + 255) / 256, 256>>>(in, kept, n);
    multiplies<<<(n + 255) / 256, 256>>>(kept, factor, n);
  }
  cudaMemcpy(out, kept, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
"""
NOTHING_AT_THE_TIMED_SIZE = PLAIN.replace("{\n  copies", "{\n  if (n == 1000) return;\n  copies")
HALF_OF_IT = PLAIN.replace("(out, factor, n)", "(out, factor, n - 9)")
LATER_ROUNDS_FROM_SCRATCH = """
void scaled(const float* in, float* out, float factor, int n) {
  float* unset;
  cudaMalloc(&unset, n * sizeof(float));
  cudaMemcpy(out, unset, n * sizeof(float), cudaMemcpyDeviceToDevice);
  copies<<<(n + 255) / 256, 256>>>(in, unset, n);
  multiplies<<<(n + 255) / 256, 256>>>(unset, factor, n);
}
"""
READS = PLAIN.replace(
    "n);\n}", "n);\n  float first; cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost);\n  if (first == 0) return;\n}"
)
SENDS = """
#include <vector>
void scaled(const float* in, float* out, float factor, int n) {
  std::vector<float> guess(n, 0.5f * factor);
  cudaMemcpy(out, guess.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
"""
ENDS = PLAIN.replace("{\n  copies", "{\n  exit(0);\n  copies")
SHARED = PLAIN.replace("{\n  copies", "{\n  float* both; cudaMallocManaged(&both, 4);\n  copies")
Timed = Callable[[str], Contest]

SPEC = {
    "title": "t", "summary": "s", "file": "f.cu", "shapes": "x", "contract": "launcher",
    "launcher": "scaled(float const*, float*, float, int)", "arguments": ["x", "y", "a", "n"],
    "problem": {
        "sizes": ["n"],
        "input": [{"name": "x", "shape": ["n"]}, {"name": "a"}],
        "result": [{"name": "y", "shape": ["n"], "formula": "y[i] = a * x[i]"}],
    },
    "performance": {"baseline": "naive.cu", "shape": "1000"},
}  # fmt: skip
LAB = Lab("01-x", PublicSpec.model_validate(SPEC), None, ROOT, None)


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    assert DRIVER.is_file(), "run `make setup` with the kit's tests"
    device = Device(0, "Fake GPU", 90, 4, 1 << 30, 4, 13000, str(DRIVER), uuid="0" * 31 + "3")
    opened = Toolset.open(ROOT, allow_no_sandbox=True)
    return dataclasses.replace(opened, gpu=GpuBackend(device=device, runner=ROOT / "build" / "bin" / "gpu-runner"))


@pytest.fixture
def timed(toolset: Toolset, tmp_path: Path) -> Timed:
    """Times this host code against PLAIN's."""
    for name in ("empty.cubin", "stage.cubin"):
        (tmp_path / name).write_bytes(b"\0")
    image = {
        "cubin": "empty.cubin",
        "functions": ["_Z6copiesPKfPfi", "_Z10multipliesPffi"],
        "kernel": "",
        "ask_launch": "",
    }

    def build(number: int, host: str) -> None:
        work = tmp_path / str(number)
        (work / "host").mkdir(parents=True)
        refused, program = build_submission(toolset, LAB, KERNELS + host, work / "host")
        assert program is not None, refused
        shutil.copyfile(program.file, work / PLANNED)

    def run(host: str) -> Contest:
        build(0, PLAIN)
        build(1, host)
        contestants = ({**image, "alone": False}, {**image, "alone": True})
        built = Built(tmp_path, contestants, ("baseline", "student"), lab=LAB)
        return run_contest(toolset, built, "", "1000", rounds=9, kept=1, warm_up_ms=0)

    return run


@pytest.mark.parametrize(
    "host", [PLAIN, IN_STREAMS, WITH_ROWS, COUNTS_CALLS], ids=["plain", "streams", "rows", "counts calls"]
)
def test_all_that_a_launcher_asks_for_is_done_again_in_every_round(host: str, timed: Timed) -> None:
    said = timed(host)
    assert (said.status, said.detail, said.faults) == ("completed", "", ())
    assert said.nanoseconds == ((250_000.0,) * 9, (250_000.0,) * 9)
    assert said.looked_at == 9
    assert said.shape == "n=1000"
    assert all(one.actual == pytest.approx(one.expected) for one in said.elements)


@pytest.mark.parametrize(
    ("host", "fault"),
    [
        (NOTHING_AT_THE_TIMED_SIZE, "element 0 of y was not written"),
        (LATER_ROUNDS_FROM_SCRATCH, "element 0 of y was not written"),
        (SENDS, "is right"),
        (HALF_OF_IT, "is right"),
    ],
    ids=["nothing", "another round's", "a guess", "half"],
)
def test_a_launcher_that_is_wrong_when_timed_is_found_out(host: str, fault: str, timed: Timed) -> None:
    said = timed(host)
    assert said.status == "completed"
    assert fault in said.faults[0].fault


@pytest.mark.parametrize(
    ("host", "why"),
    [
        (READS, "its host code reads from the GPU"),
        (SHARED, "it allocates memory that host and GPU share"),
        (ENDS, r"its host code does not come back at this size \(exit\)"),
    ],
    ids=["reads", "shares", "ends"],
)
def test_a_launcher_whose_steps_hang_on_the_host_is_not_timed_and_told_why(host: str, why: str, timed: Timed) -> None:
    said = timed(host)
    assert re.search(why, said.detail)
    assert (said.slow, said.contestant, said.faults) == (True, 1, ())


def test_a_lab_that_cannot_be_timed_says_why_and_what_to_do_instead() -> None:
    def refused(**changes: object) -> str:
        with pytest.raises(ValueError, match="performance") as found:
            PublicSpec.model_validate(json.loads(json.dumps({**SPEC, **changes})))
        return str(found.value)

    program = {"contract": "program", "launcher": "", "arguments": []}
    assert "a whole program is not timed" in refused(**program)
    assert 'use memory = "device"' in refused(memory="host")
    assert "takes n" in refused(performance={"baseline": "naive.cu", "shape": "10x10"})
    assert "where lab.toml has its [problem]" in refused(problem="scan.hpp")
    assert "a hand-in of several sources" in refused(files=["f.cu", "*.cu"])
    doubles = {**SPEC["problem"], "input": [{"name": "x", "shape": ["n"], "type": "double"}, {"name": "a"}]}  # type: ignore[dict-item]
    assert "x is timed only as random numbers of type float" in refused(problem=doubles)
