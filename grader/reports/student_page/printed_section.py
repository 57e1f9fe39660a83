"""The section of what a kernel printed: each different text once, with the first shape that printed it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible

_MOST_TEXTS = 3
_MOST_LINES = 40


@dataclass(frozen=True)
class Printed:
    who: str  # "kernel"
    shape: str
    block: visible.Block


def printed_section(view: LabView) -> tuple[Printed, ...]:
    shapes: dict[str, str] = {}
    for launch in view.launches():
        if launch.printed.strip():
            shapes.setdefault(launch.printed, launch.shape)
    texts = list(shapes.items())[:_MOST_TEXTS]
    who = "kernel" if view.lab.contract == "kernel" else "program"
    return tuple(Printed(who, visible.line(shape, 80), visible.block(text, lines=_MOST_LINES)) for text, shape in texts)
