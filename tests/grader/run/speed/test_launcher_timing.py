"""Launchers that are timed, on a fake driver: their host code runs without a GPU, and what it asked for is done again in every round."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import re
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.gpu_toolchain import NoToolchain, find_toolchain
from grader.engines.toolset import Toolset
from grader.model.described_problem import ProblemSpec
from grader.model.labs import Lab, PublicSpec, load_lab
from grader.model.outcome import Contest, JudgedCase, LabOutcome, SpeedOutcome
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.run.described_cases import Draw, ProblemRun
from grader.run.program_judging import build_submission
from grader.run.scoring.lab_score import score_lab, speed_is_assessed, with_measured_speed
from grader.run.speed.contest import Built, run_contest
from grader.run.speed.described_timing import TimedProblem
from grader.run.speed.speed_run import calibrate, sweep_lab, time_lab

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
WITH_GAPS = """
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
        TimedProblem.of(LAB, "1000").plan(LAB, program, work / "1000.plan.json")

    def run(host: str) -> Contest:
        build(0, PLAIN)
        build(1, host)
        contestants = ({**image, "alone": False}, {**image, "alone": True})
        built = Built(tmp_path, contestants, ("baseline", "student"), lab=LAB)
        return run_contest(toolset, built, "", "1000", rounds=9, kept=1, warm_up_ms=0)

    return run


@pytest.mark.parametrize("host", [PLAIN, IN_STREAMS, COUNTS_CALLS], ids=["plain", "streams", "counts calls"])
def test_all_that_a_launcher_asks_for_is_done_again_in_every_round(host: str, timed: Timed) -> None:
    said = timed(host)
    assert (said.status, said.detail, said.faults) == ("completed", "", ())
    assert said.nanoseconds == ((250_000.0,) * 9, (250_000.0,) * 9)
    assert said.looked_at == 4
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
        (WITH_GAPS, "it copies or fills rows with gaps"),
        (SHARED, "it allocates memory that host and GPU share"),
        (ENDS, r"host code does not come back at this size \(exit\)"),
    ],
    ids=["reads", "gaps", "shares", "ends"],
)
def test_a_launcher_whose_steps_hang_on_the_host_is_not_timed_and_told_why(host: str, why: str, timed: Timed) -> None:
    said = timed(host)
    assert re.search(why, said.detail)
    assert (said.slow, said.contestant, said.faults) == (True, 1, ())


TOML = """
title = "t"
summary = "s"
file = "f.cu"
shapes = "x"
contract = "launcher"
launcher = "scaled(float const*, float*, float, int)"
arguments = ["x", "y", "a", "n"]
case = [{ name = "scales", points = 1, sizes = [{ n = 5 }] }]
[problem]
sizes = ["n"]
input = [{ name = "x", shape = ["n"] }, { name = "a" }]
result = [{ name = "y", shape = ["n"], formula = "y[i] = a * x[i]" }]
[performance]
baseline = "naive.cu"
shape = "1000"
sweep = ["10", "2000"]
"""
GRADING = """
performance_points = 4
tier = [
  { of = "time", milliseconds = 1, gpu = "Fake", part = 0.5 },
  { of = "time", milliseconds = 0.1, gpu = "Fake", part = 0.75 },
  { share = 0.9, part = 1 },
]
"""


def test_a_lab_of_launchers_has_what_a_lab_of_kernels_has(toolset: Toolset, tmp_path: Path) -> None:
    nvcc = find_toolchain(ROOT, "g++", (ROOT / "kit" / "include",))
    if isinstance(nvcc, NoToolchain):
        pytest.skip(f"nothing can be compiled for a GPU here: {nvcc.reason}")
    here = dataclasses.replace(toolset, gpu=dataclasses.replace(toolset.gpu, toolchain=nvcc))
    public, private = tmp_path / "assignments" / "01-x", tmp_path / "solutions" / "01-x"
    scratch, handed_in = tmp_path / "scratch", tmp_path / "f.cu"
    for folder in (public, private, scratch):
        folder.mkdir(parents=True)
    (public / "lab.toml").write_text(TOML, encoding="utf-8")
    (private / "grading.toml").write_text(GRADING, encoding="utf-8")
    for name in ("f.cu", "naive.cu"):
        (private / name).write_text(KERNELS + PLAIN, encoding="utf-8")
    lab = load_lab(tmp_path, "01-x")

    def scored(host: str) -> tuple[LabResult, LabOutcome]:
        handed_in.write_text(KERNELS + host, encoding="utf-8")
        outcome = LabOutcome(lab.id, cases=(JudgedCase("scales", True, Verdict.PASS),))
        outcome = dataclasses.replace(outcome, speed=time_lab(here, lab, handed_in, outcome, scratch))
        return with_measured_speed(lab, score_lab(lab, outcome)), outcome

    result, outcome = scored(IN_STREAMS)
    assert result.performance_points == 4
    assert result.performance.startswith(
        "1.00 times as fast as naive (1.00 to 1.00), 100 % of the model solution's speed"
    )
    assert result.timing is not None
    assert [one.reached for one in result.timing.tiers] == [True, False, True]
    swept = sweep_lab(here, lab, handed_in, outcome, scratch).speed
    assert swept is not None
    assert [one.contest.shape for one in swept.sweep if one.contest] == ["n=10", "n=2000"]
    assert [(one.kernel, one.trouble) for one in calibrate(here, [lab], sweep=False, tell=lambda *_: None)] == [
        ("model solution", "")
    ]
    untimed, _ = scored(READS)
    assert (untimed.performance_points, untimed.verdict) == (0, Verdict.PASS)
    assert "but its host code reads from the GPU" in untimed.performance
    strange, _ = scored(f"#ifdef __CUDACC__\nno program\n#endif\n{PLAIN}")
    assert (strange.performance_points, strange.verdict) == (0, Verdict.PASS)
    assert "not timed: nvcc does not compile the file" in strange.performance
    assert speed_is_assessed(lab, [result, untimed, strange])
    wrong, _ = scored(HALF_OF_IT)
    assert wrong.verdict is Verdict.WRONG_ANSWER
    handout = dataclasses.replace(lab, private=None, private_dir=None)
    assert time_lab(here, handout, handed_in, outcome, scratch) == SpeedOutcome(
        trouble="the course keeps the kernel that it is compared with"
    )


def test_numbers_with_less_precision_than_fp32_are_told_from_rounding(tmp_path: Path) -> None:
    problem = ProblemSpec.model_validate(
        {
            "sizes": ["n"],
            "input": [{"name": "x", "shape": ["n"]}, {"name": "w", "shape": ["n"]}],
            "result": [{"name": "y", "shape": ["1"], "formula": "y[i] = sum(k < n, x[k] * w[k])"}],
        }
    )
    timed, draw = TimedProblem(ProblemRun(problem, Draw(b""), "4096", None, {"n": 4096}), {}), random.Random(5)

    def fault(bits: int) -> list[str]:
        """Of a sum of products whose factors have so many bits."""
        found = []
        for number in range(5):
            x, w = (array("f", (draw.uniform(-1, 1) for _ in range(4096))) for _ in range(2))
            kept = [[math.ldexp(round(math.ldexp(one, bits)), -bits) for one in each] for each in (x, w)]
            y = array("f", [math.fsum(a * b for a, b in zip(*kept, strict=True))])
            file = tmp_path / f"{bits}-{number}"
            file.write_bytes(x.tobytes() + w.tobytes() + y.tobytes())
            found += [
                one["fault"] for one in timed.compared([{"round": 1, "file": str(file), "whole": False}])["faults"]
            ]
        return found

    assert fault(24) == []
    assert all("roundings of fp32 away from what is right; at most 4" in one for one in fault(10))
    assert fault(10)


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
    doubles = {
        **LAB.public.model_dump()["problem"],
        "input": [{"name": "x", "shape": ["n"], "type": "double"}, {"name": "a"}],
    }
    assert "x is timed only as random numbers of type float" in refused(problem=doubles)
