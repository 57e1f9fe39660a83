"""A sweep with the kit's own timer on a fake driver: a size that fails does not affect the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, PerformanceSpec, PublicSpec
from grader.model.outcome import Contest, LabOutcome, SpeedOutcome
from grader.run.speed.contest import Built, Contestant, ContestError
from grader.run.speed.speed_run import sweep_lab, swept

NAMES = ("baseline", "student", "control")
SHAPES = ("40x24", "41x25", "80x48")
ROOT = Path(__file__).resolve().parents[4]
DRIVER = ROOT / "build" / "libfake-driver.so"


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    assert DRIVER.is_file(), "run `make setup` with the kit's tests"
    device = Device(0, "Fake GPU", 90, 4, 1 << 30, 4, 13000, str(DRIVER), uuid="0" * 31 + "2")
    opened = Toolset.open(ROOT, allow_no_sandbox=True)
    return dataclasses.replace(opened, gpu=GpuBackend(device=device, runner=ROOT / "build" / "bin" / "gpu-runner"))


def contest_between(folder: Path, *kernels: str) -> Built:
    for name in ("empty.cubin", "stage.cubin"):
        (folder / name).write_bytes(b"\0")
    parameters = "(float const*, float*, int, int)"
    names = [f"_Z{len(kernel)}{kernel}PKfPfii" for kernel in kernels]
    told = {"cubin": "empty.cubin", "functions": names, "ask_launch": "ask_two", "alone": True}
    return Built(folder, tuple({**told, "kernel": f"{kernel}{parameters}"} for kernel in kernels), NAMES)


def test_every_size_is_timed(toolset: Toolset, tmp_path: Path) -> None:
    built = contest_between(tmp_path, "transposes", "transposes", "transposes")
    sizes = list(swept(toolset, built, "transpose", SHAPES))
    assert [(one.shape, one.trouble) for one in sizes] == [(shape, "") for shape in SHAPES]
    contests = [one.contest for one in sizes if one.contest]
    assert [one.shape for one in contests] == ["M=40 N=24", "M=41 N=25", "M=80 N=48"]
    assert all(one.status == "completed" and not one.faults and len(one.nanoseconds[1]) == 31 for one in contests)


def test_a_kernel_that_breaks_at_one_size_is_tried_at_the_next(toolset: Toolset, tmp_path: Path) -> None:
    built = contest_between(tmp_path, "transposes", "breaks", "transposes")
    sizes = list(swept(toolset, built, "transpose", SHAPES))
    assert [one.contest.status for one in sizes if one.contest] == ["crash"] * 3


def test_after_a_hang_the_other_sizes_are_left_out(monkeypatch: pytest.MonkeyPatch, toolset: Toolset) -> None:
    asked = []

    def run_contest(_toolset: Toolset, _built: object, _problem: str, shape: str, **_how: object) -> Contest:
        asked.append(shape)
        if shape == SHAPES[0]:
            message = "the timer failed with status 9"
            raise ContestError(message)
        return Contest(status="timeout", detail="late", contestant=1, shape=shape, flops=0, bytes=1, device="A GPU")

    monkeypatch.setattr("grader.run.speed.speed_run.run_contest", run_contest)
    sizes = list(swept(toolset, Built(Path(), (), NAMES), "transpose", SHAPES))
    assert [one.ours for one in sizes] == [True, False, False]
    assert asked == list(SHAPES[:2])
    assert [one.trouble for one in sizes] == [
        "the timer failed with status 9", "", "not measured, because a kernel did not end at 41x25",
    ]  # fmt: skip


@pytest.mark.parametrize("usable", [True, False])
def test_a_library_takes_part_and_one_that_cannot_be_used_costs_its_own_line_alone(
    monkeypatch: pytest.MonkeyPatch, toolset: Toolset, tmp_path: Path, *, usable: bool
) -> None:
    spec = PerformanceSpec(baseline="naive", shape="8x8x8", sweep=("8x8x8", "9x9x9"), library="cublasSgemm")
    public = PublicSpec(
        title="", summary="", problem="p", file="f.cu", kernel="k", launch="l", shapes="", performance=spec
    )
    lab = Lab("lab", public, None, tmp_path, None)
    kernels = [Contestant(lab, tmp_path, name) for name in NAMES]

    def build(_toolset: Toolset, contestants: Sequence[object], folder: Path) -> Built:
        assert len(contestants) in {3, 4}
        names = ("baseline", "student", "cublas", "control") if len(contestants) == 4 else NAMES
        return Built(folder, tuple({"number": i} for i in range(len(contestants))), names)

    def run_contest(_toolset: Toolset, built: Built, _problem: str, shape: str, **_how: object) -> Contest:
        if len(built.contestants) == 4 and not usable:
            message = "cuBLAS cannot be loaded"
            raise ContestError(message)
        times = ((1e6,) * 31,) * len(built.contestants)
        return Contest(status="completed", nanoseconds=times, shape=shape, flops=1, bytes=1, device="A GPU")

    monkeypatch.setattr("grader.run.speed.speed_run.contestants_of", lambda *_: kernels)
    monkeypatch.setattr("grader.run.speed.contest.cublas_of", lambda _: tmp_path / "libcublas.so")
    monkeypatch.setattr("grader.run.speed.speed_run.build", build)
    monkeypatch.setattr("grader.run.speed.speed_run.run_contest", run_contest)
    judged = LabOutcome("lab", speed=SpeedOutcome(NAMES))
    outcome = sweep_lab(toolset, lab, tmp_path / "f.cu", judged, tmp_path)
    assert outcome.speed is not None
    expected = ("baseline", "student", "cublas", "control") if usable else NAMES
    assert [one.names for one in outcome.speed.sweep] == [expected] * 2
    assert all(one.contest for one in outcome.speed.sweep)
