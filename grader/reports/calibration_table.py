"""What `tilelab calibrate` measured, as a table in Markdown: it reads well on a terminal too, and goes into a course's page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.calibration import Measurement

_HEAD = (
    "| lab | kernel | shape | naive ms | GFLOP/s | kernel ms | GFLOP/s | speedup over naive | naive against itself |"
)


def calibration_table(found: Sequence[Measurement], *, device: str, toolkit: str, date: str) -> str:
    lines = [
        f"{date}, {device}, {toolkit}. Medians of 31 rounds, new inputs in each, L2 flushed; intervals of 95 %.",
        "",
        _HEAD,
        "|---|---|---|---|---|---|---|---|---|",
        *(row(one) for one in found),
    ]
    return "\n".join(lines) + "\n"


def row(one: Measurement) -> str:
    cells = [one.lab_id, one.kernel, one.shape]
    if one.speedup is None:
        return "| " + " | ".join([*cells, "", "", "", "", f"not measured: {one.trouble}", ""]) + " |"
    cells += [f"{one.baseline_ms:.4f}", f"{one.baseline_gflops:,.0f}", f"{one.milliseconds:.4f}", f"{one.gflops:,.0f}"]
    cells += [str(one.speedup), f"{one.control}{' **noisy**' if one.trouble else ''}"]
    return "| " + " | ".join(cells) + " |"
