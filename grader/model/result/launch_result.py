"""One shape that was run: what it found, where its output is wrong, and what it asked of memory."""

from __future__ import annotations

from pydantic import Field

from grader.model.result.finding import Finding
from grader.model.result.plain_data import Model
from grader.model.verdicts import Verdict


class WrongElement(Model):
    row: int
    column: int
    expected: float | None  # None: Inf or NaN, because the inputs of this element hold one
    got: float | None  # None: never written, or not a finite number


class Mismatch(Model):
    """Where an output differs from the oracle."""

    output: str  # the kernel's argument: "C"
    rows: int
    columns: int
    wrong: int
    unwritten: int
    first: tuple[WrongElement, ...]  # at most eight, in row-major order
    tile_rows: int  # the launch's block.y and block.x: the grid of the picture
    tile_columns: int
    # A coarse picture of the output: '.' right, '#' wrong, 'o' unwritten. Each character covers cell_rows x cell_columns
    # elements.
    picture: tuple[str, ...] = ()
    cell_rows: int = 1
    cell_columns: int = 1
    summary: str  # in words: "wrong in the last 3 columns, past the last full 16-wide tile"


class LineTraffic(Model):
    """What one line of the submission asked of memory."""

    file: str | None = None
    line: int | None = None
    source: str | None = None  # that line's text, taken from the submission itself
    metrics: dict[str, int]  # by Nsight Compute's names


class Traffic(Model):
    """What a launch asked of memory, counted at source level, beside what no kernel can do without."""

    metrics: dict[str, int]
    lines: tuple[LineTraffic, ...] = ()
    complete: bool  # false: the launch did more than was counted
    work_unit: str = ""  # "multiply-add": the name of one unit of the problem's work
    work: int = Field(default=0, ge=0)
    compulsory_bytes: int = Field(default=0, ge=0)  # each input read once, each output written once


class Explanation(Model):
    """The one known mistake that reproduces the whole output, and every launch of the case that came out right."""

    mistake: str  # its name: "a-transposed"
    sentence: str  # what the kernel does
    advice: str  # what to look at next, without the solution


class Launch(Model):
    """One shape that was run."""

    shape: str  # "M=33 N=17 K=65"
    inputs: str  # "small integers", "signed random"
    verdict: Verdict
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared_bytes: int = 0
    message: str = ""
    findings: tuple[Finding, ...] = ()
    mismatch: Mismatch | None = None
    explanation: Explanation | None = None  # none: no known mistake explains it, or several do
    counters: dict[str, int] = Field(default_factory=dict)
    traffic: Traffic | None = None  # only for cases that count it
    printed: str = ""  # untrusted, at most 16 KiB
