"""The page and the picture file that `tilelab calibrate` writes with a GPU, made here from invented numbers."""

from __future__ import annotations

from grader.model.result import Ratio, SweepPoint, SweepTime
from grader.pages.pages import calibration_page, sweep_drawing
from grader.pages.speed.sweep_figure import sweep_figure


def timed(name: str, milliseconds: float) -> SweepTime:
    ratio = None if name == "baseline" else Ratio(low=1.9, middle=2, high=2.1)
    return SweepTime(
        name=name, milliseconds=milliseconds, low_ms=milliseconds * 0.97, high_ms=milliseconds * 1.03, gflops=1e3, gbytes=30,
        speedup=ratio,
    )  # fmt: skip


def point(size: int) -> SweepPoint:
    kernels = (timed("baseline", 2e-6 * size), timed("model", 1e-6 * size))
    return SweepPoint(shape=f"M={size}", sizes=(size,) * 3, kernels=kernels, floor_ms=1e-7 * size)


POINTS = tuple(point(size) for size in (255, 256, 1024))
BROKEN = SweepPoint(shape="M=2048", sizes=(2048,) * 3, trouble="the <timer> failed")


def test_the_page_has_a_picture_and_the_troubles_of_each_lab() -> None:
    labs = {"02-tiled": (*POINTS, BROKEN), "04-open": ()}
    page = calibration_page(labs, {"02-tiled": "Tiles"}, "A GPU", "2026-01-31, A GPU, nvcc 13.")
    assert page.count("<figure") == 1
    assert "Tiles" in page
    assert "04-open" in page
    assert "M=2048: the &lt;timer&gt; failed" in page


def test_the_picture_stands_alone_with_its_own_style() -> None:
    figure = sweep_figure(POINTS)
    assert figure is not None
    drawing = sweep_drawing(figure)
    assert drawing.lstrip().startswith("<svg")
    assert "<style>" in drawing
    assert "{%" not in drawing
