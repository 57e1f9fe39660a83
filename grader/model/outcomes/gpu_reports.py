"""Reports of NVIDIA's tools about a kernel, as plain data: its resources from ptxas, and compute-sanitizer's reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.model.verdicts import Verdict

Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]


@dataclass(frozen=True)
class KernelResources:
    """The resources that one thread and one block of a kernel use, as ptxas assigned them."""

    registers: int  # of a thread
    static_shared_bytes: int  # of a block
    stack_bytes: int  # of a thread
    spill_store_bytes: int
    spill_load_bytes: int


@dataclass(frozen=True)
class Sanitized:
    """One report, at the first place of the submission that it names; `line` is None if it names none."""

    tool: Tool
    kind: Verdict
    line: int | None
    words: str  # the first line of its text
    lines: tuple[int, ...] = ()  # every line of the submission that it names
    source: str = ""  # the text of `line`
