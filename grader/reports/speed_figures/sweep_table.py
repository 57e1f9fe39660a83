"""A size sweep's numbers by size and kernel, for readers who cannot see the picture or want exact numbers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.result import SweepPoint, SweepTime
from grader.reports.text import visible

_NAMES = {"baseline": "naive", "student": "your kernel", "model": "model", "cublas": "cuBLAS"}


@dataclass(frozen=True)
class SweepCell:
    """One kernel at one size. Empty where it was not measured."""

    milliseconds: str
    rate: str
    speedup: str  # with its interval


@dataclass(frozen=True)
class SweepRow:
    shape: str
    cells: tuple[SweepCell, ...]
    trouble: str


@dataclass(frozen=True)
class SweepTable:
    kernels: tuple[str, ...]
    unit: str
    rows: tuple[SweepRow, ...]


def called(name: str) -> str:
    return _NAMES.get(name) or visible.line(name, 24)


def sweep_table(points: Sequence[SweepPoint], names: Sequence[str], *, arithmetic: bool) -> SweepTable:
    rows = [
        SweepRow(
            visible.line(point.shape, 80),
            tuple(_cell(point, name, arithmetic=arithmetic) for name in names),
            visible.line(point.trouble, 200),
        )
        for point in points
    ]
    return SweepTable(tuple(called(name) for name in names), "GFLOP/s" if arithmetic else "GB/s", tuple(rows))


def _cell(point: SweepPoint, name: str, *, arithmetic: bool) -> SweepCell:
    kernel = next((one for one in point.kernels if one.name == name), None)
    if kernel is None:
        return SweepCell("", "", "")
    return SweepCell(
        f"{kernel.milliseconds:.4f}", f"{kernel.gflops if arithmetic else kernel.gbytes:,.0f}", _speedup(kernel)
    )


def _speedup(kernel: SweepTime) -> str:
    ratio = kernel.speedup
    if ratio is None:
        return ""
    return f"{ratio.middle:.2f}× ({ratio.low:.2f} to {ratio.high:.2f})"  # noqa: RUF001 -- the sign for times
