"""What recording a block's steps costs: `recorded_steps.py [LAB FILE SHAPE]`. It prints ratios to the same launch without, and the size of
the page; where host code is the student's, ratios to the same run without. It asserts nothing.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import story_of
from grader.explain.page_block import page_block
from grader.model.labs import Lab, load_lab
from grader.pages.pages import trace_page
from grader.roll.batch.opened_tools import open_toolset
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.lab_launch import RunTracer, Traced, TraceRequest, build_launch
from grader.run.launches.trace_phases import TraceReport
from grader.run.program_judging import build_submission

ROOT = Path(__file__).resolve().parents[2]
_ROUNDS = 7
_NO_BLOCK = (999999, 0, 0)  # the grid has no such block: the same launch, and nobody records
_USUAL = (
    ("01-naive", "64x64x64"),
    ("02-tiled", "64x64x64"),
    ("04-open", "64x64x64"),
    ("05-transpose", "64x64"),
    ("08-scan", "1000"),
    ("10-softmax", "7x64"),
)


def measure(lab_id: str, file: Path, shape: str) -> None:
    toolset = open_toolset(ROOT, allow_no_sandbox=True)
    lab, source = load_lab(ROOT, lab_id), read_source(file)
    if lab.public.starts_itself:
        measure_run(toolset, lab, source.decode(), shape)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        watched = partial(build_launch(toolset, lab, source, folder).watch, report=TraceReport)
        plain: list[float] = []
        recorded: list[float] = []
        for _ in range(_ROUNDS):  # in turns, so that a busy machine disturbs both alike
            for times, block in ((plain, _NO_BLOCK), (recorded, (0, 0, 0))):
                began = time.perf_counter()
                report = watched({"shape": shape, "inputs": "integers", "trace": {"block": block}})
                times.append(time.perf_counter() - began)
    tell(Traced(lab.id, lab.public.file, TraceRequest(shape), report), shape, recorded, plain, source.decode())


def measure_run(toolset: Toolset, lab: Lab, text: str, shape: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _, program = build_submission(toolset, lab, text, folder)
        assert program is not None
        tracer = RunTracer(program)
        run = tracer.survey(TraceRequest(shape))
        launch = run.first_to_see()
        if launch is None:
            print(f"{lab.id} at {shape}: no launch began")
            return
        plain: list[float] = []
        recorded: list[float] = []
        for _ in range(_ROUNDS):
            began = time.perf_counter()
            tracer.survey(TraceRequest(shape))
            between = time.perf_counter()
            traced = tracer.trace(run, launch, TraceRequest(shape))
            plain.append(between - began)
            recorded.append(time.perf_counter() - between)
    tell(traced, shape, recorded, plain, text)


def tell(traced: Traced, shape: str, recorded: Sequence[float], plain: Sequence[float], text: str) -> None:
    lab_id = traced.name
    ratio = statistics.median(one / other for one, other in zip(recorded, plain, strict=True))
    began = time.perf_counter()
    story = story_of(traced, text.split("\n"))
    if story is None:
        print(f"{lab_id} at {shape}: the block did not run")
        return
    page = trace_page(story)
    made = time.perf_counter() - began
    accesses = sum(len(step.lanes) * step.parts for step in story.runs[0].steps)
    print(
        f"{lab_id} at {shape}: {accesses:,} accesses in {len(story.runs[0].steps):,} steps; recording takes {ratio:.2f} times the launch"
        f" without; the page has {len(page.encode()):,} bytes, {len(page_block(story)):,} of them data, and is made in {made:.1f} s"
    )


def main() -> None:
    if len(sys.argv) == 4:
        measure(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
        return
    for lab_id, shape in _USUAL:
        measure(lab_id, ROOT / "solutions" / lab_id / load_lab(ROOT, lab_id).public.file, shape)


if __name__ == "__main__":
    main()
