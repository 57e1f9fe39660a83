"""The picture of a size sweep: every number is at its place, nothing overlaps, and the table has the same numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from grader.model.result import ContestantTimes, Ratio, Result, SweepPoint, SweepTime, Timing
from grader.model.verdicts import Verdict
from grader.pages.page_section import Shown
from grader.pages.pages import student_page
from grader.pages.speed.chart import Axis, decades, nudged, spread
from grader.pages.speed.sweep_figure import sweep_figure

SIZES = (255, 256, 257, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096)
NAMES = ("baseline", "student", "model", "cublas")
_LATE = {"baseline": (6.5e3, 150), "student": (8.0e3, 180), "model": (9.0e3, 160), "cublas": (52e3, 900)}
HOSTILE = "<script>alert(1)</script>\u202e"


def kernel(name: str, size: int, *, arithmetic: bool = True) -> SweepTime:
    """Rates that grow with the size up to the kernel's highest, as on a GPU. Odd sizes are slower."""
    most, half = _LATE.get(name, (10e3, 200))
    gflops = most * size / (size + half) * (0.9 if size % 2 else 1.0)
    naive = _LATE["baseline"][0] * size / (size + _LATE["baseline"][1]) * (0.9 if size % 2 else 1.0)
    milliseconds = 2 * size**3 / gflops / 1e6
    ratio = gflops / naive
    return SweepTime(
        name=name,
        milliseconds=milliseconds,
        low_ms=milliseconds * 0.98,
        high_ms=milliseconds * 1.03,
        gflops=gflops if arithmetic else 0,
        gbytes=12 * size**2 / milliseconds / 1e6,
        speedup=None if name == "baseline" else Ratio(low=ratio * 0.97, middle=ratio, high=ratio * 1.03),
    )


def point(size: int, names: tuple[str, ...] = NAMES, *, arithmetic: bool = True, trouble: str = "") -> SweepPoint:
    shape = f"M={size} N={size} K={size}"
    kernels = tuple(kernel(name, size, arithmetic=arithmetic) for name in names)
    return SweepPoint(shape=shape, sizes=(size,) * 3, kernels=kernels, floor_ms=2 * size**3 / 67e9, trouble=trouble)


def drawn(*points: SweepPoint) -> Shown:
    figure = sweep_figure(points)
    assert figure is not None
    return figure


SWEEP = tuple(point(size) for size in SIZES)


def test_nothing_measured_is_nothing_drawn() -> None:
    assert sweep_figure(()) is None
    assert sweep_figure([SweepPoint(shape="9x9x9", sizes=(9, 9, 9), trouble="the timer failed")]) is None


def test_every_kernel_has_a_mark_at_every_size_from_left_to_right() -> None:
    figure = drawn(*SWEEP)
    rates, ratios = figure.panels
    assert [one.name for one in rates.series] == ["naive", "your kernel", "model", "cuBLAS"]
    assert [one.name for one in ratios.series] == ["your kernel", "model", "cuBLAS"]
    for series in (*rates.series, *ratios.series):
        assert [mark.x for mark in series.marks] == list(figure.sizes)
        assert len(series.runs) == 1


def test_sizes_keep_their_order_and_can_be_told_apart() -> None:
    figure = drawn(*SWEEP)
    assert all(right - left >= 8.9 for left, right in pairwise(figure.sizes))
    assert figure.sizes[0] >= 0
    assert figure.sizes[-1] <= figure.width
    assert [one.label for one in figure.columns] == ["256", "512", "1,024", "2,048", "4,096"]
    assert figure.axis == "M = N = K"


def test_a_faster_kernel_lies_higher_and_an_interval_around_its_mark() -> None:
    for panel in drawn(*SWEEP).panels:
        for slower, faster in pairwise(panel.series):
            assert all(up.y < down.y for up, down in zip(faster.marks, slower.marks, strict=True))
        for series in panel.series:
            assert all(mark.high < mark.y < mark.low for mark in series.marks)
            assert all(mark.high >= 0 and mark.low <= panel.height for mark in series.marks)


def test_the_roofline_lies_above_every_kernel() -> None:
    rates = drawn(*SWEEP).panels[0]
    roof = [float(pair.split(",")[1]) for pair in rates.roof.split()]
    assert len(roof) == len(SIZES)
    for series in rates.series:
        assert all(top < mark.high for top, mark in zip(roof, series.marks, strict=True))
    assert drawn(point(64).model_copy(update={"floor_ms": 0})).panels[0].roof == ""


def test_names_at_the_ends_do_not_overlap() -> None:
    names = ("baseline", "student", "model", "cublas", "model_again", "model_once_more")
    for panel in drawn(*(point(size, names) for size in SIZES)).panels:
        places = sorted(one.label for one in panel.series)
        assert all(below - above >= 14.9 for above, below in pairwise(places))


def test_a_size_that_was_not_measured_is_a_gap_with_its_reason() -> None:
    gap = SweepPoint(shape="M=512 N=512 K=512", sizes=(512,) * 3, trouble="your kernel: C[0][3] is wrong", wrong=True)
    figure = drawn(point(256), gap, point(1024))
    assert figure.troubles == ["M=512 N=512 K=512: your kernel: C[0][3] is wrong"]
    assert [one.shape for one, _ in figure.rows] == [f"M={n} N={n} K={n}" for n in (256, 512, 1024)]
    assert figure.rows[1][1][0] == ("", "", "")
    assert all(len(series.runs) == 2 for panel in figure.panels for series in panel.series)
    late = point(512).model_copy(update={"kernels": (kernel("baseline", 512),)})
    assert len(drawn(point(256), late, point(1024)).panels[0].series[1].runs) == 2


def test_the_table_says_what_is_drawn() -> None:
    figure = drawn(*SWEEP)
    assert figure.kernels == ["naive", "your kernel", "model", "cuBLAS"]
    at_1024 = next(cells for one, cells in figure.rows if one.shape.startswith("M=1024 "))
    student = kernel("student", 1024)
    milliseconds, _, speedup = at_1024[1]
    assert milliseconds == f"{student.milliseconds:.4f}"
    assert speedup.startswith(f"{student.speedup.middle:.2f}" if student.speedup else "?")
    assert at_1024[0][2] == ""


def test_a_problem_without_arithmetic_is_told_by_what_it_moves() -> None:
    figure = drawn(*(point(size, arithmetic=False) for size in (256, 512)))
    assert figure.panels[0].title == "GB/s"


def test_shapes_that_are_not_square_lie_at_their_geometric_mean() -> None:
    wide = point(256).model_copy(update={"shape": "M=64 N=1024", "sizes": (64, 1024)})
    figure = drawn(wide, point(1024))
    assert figure.axis.startswith("geometric mean of M, N")
    assert figure.columns[0].label == "256"


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.001], [0.7, 31.0], [3e2, 7e4], [1e-3, 1e9]])
def test_an_axis_shows_some_round_numbers_and_not_too_many(values: list[float]) -> None:
    ticks = decades(Axis.over(values, 0, 100, margin=1.12))
    assert 1 <= len(ticks) <= 14
    assert all(0 <= tick.at <= 100 for tick in ticks)


def test_places_are_moved_as_little_as_it_takes() -> None:
    assert spread([0, 50, 100], 10, 0, 100) == [0, 50, 100]
    assert spread([50, 50, 50], 10, 0, 100) == [40, 50, 60]
    assert spread([0, 0, 100], 10, 0, 100) == [0, 10, 100]
    assert spread([100, 100, 100], 10, 0, 100) == [80, 90, 100]
    assert spread([1, 2, 3, 4, 5], 100, 0, 100) == [0, 25, 50, 75, 100]
    assert nudged([30, 10, 30], 4) == [28, 10, 32]


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 -- as HTMLParser has it
        self.found.append(tag)


def with_sweep(result: Result, *sweep: SweepPoint) -> Result:
    ratio = Ratio(low=1.2, middle=1.3, high=1.4)
    naive = ContestantTimes(name="baseline", milliseconds=0.4, gflops=5e3, gbytes=30, samples=(1.0,))
    timing = Timing(
        words="1.3 times as fast", shape="M=1024", device="A GPU", contestants=(naive,), speedup=ratio, sweep=sweep
    )
    labs = {lab_id: lab.model_copy(update={"timing": timing}) for lab_id, lab in result.labs.items()}
    return result.model_copy(update={"labs": labs})


def test_the_page_shows_it_and_its_table(sample_named: Callable[[str], tuple[Result, dict[str, str]]]) -> None:
    result, sources = sample_named("pass")
    page = student_page(with_sweep(result, *SWEEP), sources=sources)
    assert "cuBLAS, M=1024 N=1024 K=1024" in page
    assert page.count("The numbers, size by size") == sum(lab.verdict is Verdict.PASS for lab in result.labs.values())
    assert not re.search(r"\bnan\b|\binf\b", page)


def test_what_a_kernel_says_cannot_leave_the_picture(
    sample_named: Callable[[str], tuple[Result, dict[str, str]]],
) -> None:
    result, sources = sample_named("pass")
    bad = point(256, ("baseline", HOSTILE), trouble=HOSTILE).model_copy(update={"shape": HOSTILE})
    page = student_page(with_sweep(result, bad), sources=sources)
    assert "script" not in _Tags(page).found
    assert "\u202e" not in page


def test_an_axis_is_logarithmic_and_what_lies_outside_is_at_its_edge() -> None:
    axis = Axis.over([1, 100], 0, 10)
    assert axis.at(10) == 5
    assert math.isclose(axis.at(1000), 10)
    assert axis.at(0.1) == 0
