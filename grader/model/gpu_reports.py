"""What NVIDIA's tools said of a kernel, as plain data: the resources that ptxas gave it, and compute-sanitizer's reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.model.verdicts import Verdict

Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]


@dataclass(frozen=True)
class KernelResources:
    """What one thread and one block of a kernel take, as ptxas allotted it."""

    registers: int  # of a thread
    static_shared_bytes: int  # of a block
    stack_bytes: int  # of a thread
    spill_store_bytes: int
    spill_load_bytes: int


@dataclass(frozen=True)
class Sanitized:
    """One report: the first place of the submission's that it names; `line` None where it names none."""

    tool: Tool
    kind: Verdict
    line: int | None
    words: str  # its own first line
    lines: tuple[int, ...] = ()  # every line of the submission's that it names
    source: str = ""  # the text of `line`
