"""The worked example of lab 02, from the executor: an 8 by 8 product in 4 by 4 tiles, block (0,0), as `tilelab trace` sees it.

Prints what two threads add in each phase, and what is stored, from the model solution with its tile made 4 wide. That lab's write-up
holds them as a passage made by this command: `make check` fails when they are not current, `.venv/bin/tilelab check-course --remake`
brings them up to date.
"""

# ruff: noqa: INP001, T201 -- a script, in no package; it prints
from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import grader
from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.pages.launches.trace_tables import (
    Grid,
    Heading,
    Part,
    Sentence,
    Table,
    side_by_side,
    trace_parts,
)
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.lab_launch import Traced, TraceRequest, launch_builder
from grader.run.launches.trace_phases import block_trace

ROOT = Path(__file__).resolve().parent.parent
LAB, TILE = "02-tiled", 4
KERNEL = ROOT / "solutions" / LAB / "matmul_tiled.cu"
BUILT = (
    Path(grader.__file__).resolve().parent.parent
)  # where the kit that this Python drives was built: here, but for a copy
SHOWN = ((0, 0), (1, 0))  # threads, as (x, y)


def worked_source() -> bytes:
    """The kernel of the example: the model solution, but for its tile's width. Raises ValueError where it states none."""
    source, count = re.subn(rb"\btile = \d+;", f"tile = {TILE};".encode(), read_source(KERNEL))
    if count != 1:
        message = f"{KERNEL} states its tile's width {count} times; it has to once, as `tile = 16;`"
        raise ValueError(message)
    return source


def traced(source: bytes | None = None) -> Traced:
    """The kernel's launch on the worked inputs. Raises LaunchRefusedError where it cannot be traced."""
    toolset = Toolset.open(BUILT, allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        lab = load_lab(ROOT, LAB)
        return launch_builder(toolset, lab, Path(scratch))(source or worked_source())(TraceRequest("8x8x8"))


def tables(launch: Traced) -> str:
    """The section's text: Markdown, without the markers."""
    report = launch.report
    assert report.trace is not None
    assert report.launch.block is not None
    # Without a file no line is told: the kernel is not the reader's.
    steps = block_trace(report.trace, report.factors, report.launch.block, "")
    parts: list[Part] = []
    heading = ""
    for part in trace_parts(steps, lambda thread: thread[:2] in SHOWN):
        if isinstance(part, Heading):
            heading = _phase(part.text)
        # The write-up's pictures show what is loaded.
        if heading == "What is stored" or ("computing" in heading and not isinstance(part, Grid)):
            parts.append(Heading(heading) if isinstance(part, Heading) else part)
    return _as_markdown(parts)


def _phase(heading: str) -> str:
    """A phase is two intervals, loading and computing, and ends with the second barrier."""
    words = heading.split()
    if "barrier" not in words or heading.endswith("to the end"):
        return heading
    interval = int(words[-1]) - 1
    return f"Phase {interval // 2}, {'computing' if interval % 2 else 'loading'}: {heading[0].lower()}{heading[1:]}"


def _as_markdown(parts: Iterable[Part]) -> str:
    """Headings become bold sentences, so that a page can put them under its own heading."""
    blocks = []
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"**{part.text}.**")
        elif isinstance(part, Sentence):
            blocks.append(part.text)
        elif isinstance(part, Grid):
            blocks.append("\n".join(["```", *side_by_side(part), "```"]))
        else:
            blocks.append("\n".join(_piped(part)))
    return "\n\n".join(blocks)


def _piped(table: Table) -> list[str]:
    rule = "|".join("--:" if i in table.numbers else "---" for i in range(len(table.heads)))
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (table.heads, *table.rows)]
    return [rows[0], f"|{rule}|", *rows[1:]]


if __name__ == "__main__":
    print(tables(traced()))
