"""What the broker recorded of a run, as plain data: kit/program writes it. Words of kernels and of the program in it are untrusted;
numbers were checked by the broker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from grader.model.result import Finding
from grader.model.verdicts import Verdict


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ReachRecord(_Record):
    """How far from its beginning a copy or a fill went, and where it was asked for."""

    at: int = 0
    bytes: int = 0


class AllocationRecord(_Record):
    index: int = -1
    address: int
    bytes: int
    at: int = 0  # a return address in the program, here and below; 0: unknown
    kind: str = "device"  # "variable": a __device__ or __constant__ one
    name: str = ""
    freed_at: int | None = None
    filled: ReachRecord | None = None  # the host's last copy or fill, if it did not reach the end
    taken: ReachRecord | None = None  # what was copied to the host, the farthest


class LaunchRecord(_Record):
    kernel: str  # a symbol
    at: int = 0
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    shared: int = 0
    count: int = 1
    error: int = 0
    status: str = "completed"
    detail: str = ""
    number: int = 0  # of the first of them among the run's launches, from 1


class ErrorRecord(_Record):
    op: str
    error: int
    at: int = 0
    seen: bool = True  # the program asked for the last error afterwards
    seen_at: int = 0  # where it did
    count: int = 1


class ProgramFinding(Finding):
    """A finding of a kernel, as `tilelab check` has it, and the launch in which it was seen."""

    kernel: str = ""  # in the record its symbol, in a report its name
    launch_file: str | None = None
    # Of the record alone: where that launch was asked for, and its number.
    at: SkipJsonSchema[int] = Field(default=0, exclude=True)
    number: SkipJsonSchema[int] = Field(default=0, exclude=True)


class HostRecord(BaseModel):
    """Something that the broker saw on the host's side. Which of the numbers there are depends on the kind."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str
    at: int = 0
    other_at: int | None = None
    count: int = 1
    allocation: int | None = None
    frames: tuple[int, ...] = ()  # of a fault: the calls that led there, the innermost first

    def number(self, name: str) -> int | None:
        value = (self.model_extra or {}).get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        return (self.model_extra or {}).get(name) is True

    def text(self, name: str) -> str:
        value = (self.model_extra or {}).get(name)
        return value if isinstance(value, str) else ""


class TracedLaunchRecord(LaunchRecord):
    """The launch that was followed: what it alone did."""

    findings: tuple[ProgramFinding, ...] = ()
    trace: dict[str, Any] | None = None  # None: the grid has no such block


class RefusalRecord(_Record):
    kernel: str = ""  # empty: not a kernel, but a call of a library
    at: int = 0
    verdict: Verdict = Verdict.NEEDS_GPU
    message: str = ""
    line: int = 0


class RunRecord(_Record):
    ended: str
    status: int | None = None
    signal: int | None = None
    limit: str = ""  # which one the program met: "processor-time", "wall-clock", "memory", "file-size"
    most: int = 0  # of it, in milliseconds or bytes
    detail: str = ""
    refusal: RefusalRecord | None = None
    launches: tuple[LaunchRecord, ...] = ()
    findings: tuple[ProgramFinding, ...] = ()
    host: tuple[HostRecord, ...] = ()
    allocations: tuple[AllocationRecord, ...] = ()
    errors: tuple[ErrorRecord, ...] = ()
    printed: str = ""  # by kernels, and nobody waited for it: a GPU does not show it
    said_bye: bool = False  # the program ended in order
    truncated: bool = Field(default=False)
    traced: TracedLaunchRecord | None = None
    reversed: bool = False  # every launch ran its blocks and threads in reverse order

    def places(self) -> list[int]:
        """Every return address that a sentence may need."""
        found = [one.at for one in self.launches] + [one.at for one in self.findings] + [one.at for one in self.host]
        found += [one.seen_at for one in self.errors]
        found += [one.at for one in self.allocations] + [one.at for one in self.errors]
        found += [one.other_at or 0 for one in self.host] + [one.freed_at or 0 for one in self.allocations]
        found += [self.refusal.at] if self.refusal else []
        found += [reach.at for one in self.allocations for reach in (one.filled, one.taken) if reach]
        found += [frame for one in self.host for frame in one.frames]
        return sorted({one for one in found if one > 0})


# CUDA's errors by their numbers: their names, CUDA's own words, and what a student may look at.


@dataclass(frozen=True)
class ErrorWords:
    name: str
    said: str  # as cudaGetErrorString has it
    advice: str = ""


NOT_READY = 600
FIRST_OF_KERNELS = 700  # errors from this number on are what a kernel leaves behind
_TABLE = Path(__file__).resolve().parents[3] / "kit" / "host" / "runtime_types.hpp"
_ROW = re.compile(r'^  X\((?P<name>\w+), (?P<number>\d+), "(?P<said>.*)"\)', re.MULTILINE)
_ADVICE = {
    1: "Check the pointers, the bytes and the direction of this call.",
    2: "Check how the number of bytes is computed, and what could be freed before.",
    9: "A block has at most 1,024 threads, and no side of a grid or a block may be 0.",
    12: "A pitch is at least as large as the bytes of a row.",
    13: "Name the variable itself, not its address or a string.",
    20: "A texel has one, two or four numbers of the same size: make its description with cudaCreateChannelDesc<T>().",
    26: "A linear filter needs texels of floats, or integers of 8 or 16 bits that are read with cudaReadModeNormalizedFloat.",
    98: "Only a __global__ function can be launched.",
    101: "There is one device here: number 0.",
    400: "Check whether this stream or event was created, and not yet destroyed.",
    700: "A kernel before this call used memory that it may not use.",
    701: "Use fewer threads in a block or less shared memory.",
    900: "Between begin and end of a capture, call only what adds work to a stream: allocate before, wait afterwards.",
    901: "An earlier call since cudaStreamBeginCapture failed, or was not allowed.",
    903: "End a capture in the stream in which it began.",
    904: "Record an event at the end of each stream that joined the capture, and let the first stream wait for it.",
    905: "This event was not recorded in the capture.",
    906: "Name the captured stream in this call, or create that stream with cudaStreamNonBlocking.",
    910: "Instantiate the graph anew where its nodes or edges have changed.",
}


@cache
def _errors() -> dict[int, ErrorWords]:
    """The kit's own table."""
    rows = _ROW.finditer(_TABLE.read_text(encoding="utf-8"))
    return {
        int(one["number"]): ErrorWords(one["name"], one["said"], _ADVICE.get(int(one["number"]), "")) for one in rows
    }


def error_words(error: int) -> ErrorWords:
    return _errors().get(error, ErrorWords(f"error {error}", f"error {error}"))


# How a signal ended the program, in plain words.

SIGNALS = {
    4: "an illegal instruction",
    6: "abort(), after an assert, an exception that nobody caught, or memory that is damaged",
    7: "a bus error",
    8: "a division by zero",
    11: "segmentation fault: the host's code used an address that is no memory of its own",
}
