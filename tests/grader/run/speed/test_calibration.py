"""What `tilelab calibrate` measures on a fake GPU, and what it writes."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from grader.cli.classes.grade_command import TerminalProgress
from grader.cli.doctor import write
from grader.engines.backend import Device, GpuBackend
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, lab_ids, load_lab
from grader.model.outcome import Contest
from grader.pages.speed.sweep_figure import conditions
from grader.run.speed import contest, speed_run
from grader.run.speed.contest import Built, Contestant, ContestError, LibraryContestant
from grader.run.speed.speed_run import Measurement, calibrate, swept_labs

ROOT = Path(__file__).resolve().parents[4]
TIMED = next(lab for lab in (load_lab(ROOT, one) for one in lab_ids(ROOT)) if lab.public.performance)
SHAPES = ("255x255x255", "256x256x256", "257x257x257")
WHERE = ("Pretended <GPU>", conditions(device="Pretended <GPU>", toolkit="nvcc 13.0", date="2026-11-21"))


@pytest.fixture
def lab() -> Lab:
    assert TIMED.public.performance is not None
    spec = TIMED.public.performance.model_copy(update={"sweep": SHAPES, "library": "cublasSgemm"})
    return dataclasses.replace(TIMED, public=TIMED.public.model_copy(update={"performance": spec}))


@pytest.fixture
def toolset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Toolset:
    """A toolset with a fake GPU: a kernel's speed follows from its position, and cuBLAS fails at the last shape."""
    device = Device(
        0, "Pretended", 90, 132, 1 << 37, 50 << 20, 13000,
        clock_rate_khz=1_980_000, memory_clock_rate_khz=3_000_000, memory_bus_bits=6144,
    )  # fmt: skip

    def build(_toolset: Toolset, contestants: Sequence[Contestant | LibraryContestant], folder: Path) -> Built:
        told = tuple({"library": type(one).__name__} for one in contestants)
        return Built(folder, told, tuple(one.name for one in contestants))

    def run_contest(_toolset: Toolset, built: Built, _problem: str, shape: str, **_how: object) -> Contest:
        size = int(shape.split("x", maxsplit=1)[0])
        if built.contestants[1]["library"] == "LibraryContestant" and shape == SHAPES[-1]:
            message = "cuBLAS gave up"
            raise ContestError(message)
        naive = size**3 / 3e3
        times = tuple((one,) * 31 for one in (naive, naive / 2, naive))
        return Contest(
            status="completed", nanoseconds=times, shape=f"M={size} N={size} K={size}", flops=2.0 * size**3,
            bytes=12.0 * size**2, device="Pretended",
        )  # fmt: skip

    monkeypatch.setattr(speed_run, "build", build)
    monkeypatch.setattr(speed_run, "run_contest", run_contest)
    monkeypatch.setattr(contest, "cublas_of", lambda _: tmp_path / "libcublas.so")
    return dataclasses.replace(Toolset.open(ROOT, allow_no_sandbox=True), gpu=GpuBackend(device=device))


@pytest.fixture
def found(toolset: Toolset, lab: Lab) -> list[Measurement]:
    return list(calibrate(toolset, [lab], sweep=True, tell=lambda *_: None))


def test_a_person_who_waits_is_told_how_many_measurements_are_left(toolset: Toolset, lab: Lab) -> None:
    text, now = io.StringIO(), iter(range(0, 100_000, 30))
    progress = TerminalProgress(Console(file=text, force_terminal=True, width=100), lambda: next(now))

    def tell(what: str, done: int, total: int) -> None:
        progress.doing(what, done, total)
        assert progress._bar is not None
        progress._bar.refresh()  # it does so several times a second by itself

    found = list(calibrate(toolset, [lab], sweep=True, tell=tell))
    progress.end()
    assert f"measured: 0 of {len(found)}" in text.getvalue()
    assert f"measured: 1 of {len(found)}, about " in text.getvalue()


def test_a_size_that_fails_costs_no_other(found: list[Measurement]) -> None:
    blas = [one for one in found if one.kernel == "cuBLAS"]
    assert [one.trouble for one in blas] == ["", "", "cuBLAS gave up"]
    speedups = [one.point.kernels[-1].speedup if one.control else None for one in blas]
    assert [one.middle if one else 0 for one in speedups] == pytest.approx([2, 2, 0])


def test_all_kernels_of_a_lab_are_drawn_together(found: list[Measurement], lab: Lab) -> None:
    (points,) = swept_labs(found).values()
    assert [one.shape for one in points] == [f"M={n} N={n} K={n}" for n in (255, 256, 257)]
    assert {"baseline", "model", "cublas"} <= {kernel.name for kernel in points[0].kernels}
    assert "control" not in {kernel.name for kernel in points[0].kernels}
    assert points[2].trouble == "cuBLAS: cuBLAS gave up"
    assert all(one.floor_ms > 0 for one in points)
    assert list(swept_labs(found)) == [lab.id]


@pytest.fixture
def written(found: list[Measurement], tmp_path: Path) -> Callable[[str], Path]:
    def make(name: str) -> Path:
        write(tmp_path / "made" / name, found, {TIMED.id: "A <title>"}, WHERE)
        return tmp_path / "made" / name

    return make


def test_a_page_holds_everything_itself(written: Callable[[str], Path]) -> None:
    page = written("sweep.html").read_text(encoding="utf-8")
    assert "A &lt;title&gt;" in page
    assert "Pretended &lt;GPU&gt;" in page
    assert page.count("<svg viewBox") >= 1
    assert "M=257 N=257 K=257: cuBLAS: cuBLAS gave up" in page
    assert "http" not in page.replace("http-equiv", "")


def test_markdown_has_its_pictures_beside_it(written: Callable[[str], Path]) -> None:
    page = written("sweep.md")
    text = page.read_text(encoding="utf-8")
    assert f"![{TIMED.id} over sizes](sweep-{TIMED.id}.svg)" in text
    kernels = {line.split(" | ")[1] for line in text.splitlines() if line.startswith(f"| {TIMED.id}")}
    assert text.count("| M=256 N=256 K=256 |") == len(kernels) >= 2
    picture = ET.fromstring((page.parent / f"sweep-{TIMED.id}.svg").read_text(encoding="utf-8"))  # noqa: S314 -- our own
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}polyline"))) >= 4
