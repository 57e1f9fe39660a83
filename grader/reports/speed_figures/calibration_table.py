"""What `tilelab calibrate` measured, as a Markdown table, which can go into a course's page and is readable on a terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.speed.calibration import Measurement

_HEAD = (
    "| lab | kernel | shape | naive ms | GFLOP/s | kernel ms | GFLOP/s | speedup over naive | naive against itself |"
)


def conditions(*, device: str, toolkit: str, date: str) -> str:
    return (
        f"{date}, {device}, {toolkit}. Medians of 31 rounds with new inputs and a flushed L2 in each; 95 % intervals."
    )


def calibration_table(
    found: Sequence[Measurement], *, device: str, toolkit: str, date: str, pictures: Mapping[str, str] | None = None
) -> str:
    """`pictures`: for each lab, the name of a file beside the page."""
    lines = [
        conditions(device=device, toolkit=toolkit, date=date),
        "",
        _HEAD,
        "|---|---|---|---|---|---|---|---|---|",
        *(row(one) for one in found),
        *(line for lab_id, name in (pictures or {}).items() for line in ("", f"![{lab_id} over sizes]({name})")),
    ]
    return "\n".join(lines) + "\n"


def row(one: Measurement) -> str:
    cells = [one.lab_id, one.kernel, one.shape]
    if one.speedup is None:
        return "| " + " | ".join([*cells, "", "", "", "", f"not measured: {one.trouble}", ""]) + " |"
    cells += [f"{one.baseline_ms:.4f}", f"{one.baseline_gflops:,.0f}", f"{one.milliseconds:.4f}", f"{one.gflops:,.0f}"]
    cells += [str(one.speedup), f"{one.control}{' **noisy**' if one.trouble else ''}"]
    return "| " + " | ".join(cells) + " |"
