"""What the conductor recorded of a run, as plain data: kit/program writes it. Words of kernels and of the program in it are untrusted;
numbers were checked by the conductor.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from grader.model.result import Finding, Site
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
    freed_by: str | None = None
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


class KernelFinding(_Record):
    """A finding in the runner's words, with the launch that it was seen in."""

    kind: str
    severity: str = "error"
    site: dict[str, Any] | None = None
    other: dict[str, Any] | None = None
    array: str | None = None
    element: str | None = None
    message: str = ""
    count: int = 1
    number: int = 0  # of the launch that it was first seen in
    kernel: str = ""
    at: int = 0
    file: str | None = None
    line: int | None = None
    function: str | None = None
    access: str | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None

    def finding(self) -> Finding:
        """Without the text of its lines. Raises ValueError where its kind is no verdict."""
        first = _site(self.site if self.site is not None else self.model_dump())
        other = _site(self.other) if self.other else None
        return Finding(
            **first.model_dump(),
            kind=Verdict(self.kind),
            severity="note" if self.severity == "note" else "error",
            message=self.message,
            array=self.array or None,
            element=self.element or None,
            other=other,
            count=self.count,
        )


def _site(given: dict[str, Any]) -> Site:
    line = given.get("line")
    return Site(
        file=given.get("file") or None,
        line=line if isinstance(line, int) and line > 0 else None,
        function=given.get("function") or None,
        access=given.get("access") or None,
        block=given.get("block"),
        thread=given.get("thread"),
    )


class HostRecord(BaseModel):
    """Something that the conductor saw on the host's side. Which of the numbers there are depends on the kind."""

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


class TracedLaunchRecord(_Record):
    """The launch that was followed: what it alone did."""

    number: int
    kernel: str
    at: int = 0
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int = 0
    status: str = "completed"
    detail: str = ""
    findings: tuple[KernelFinding, ...] = ()
    trace: dict[str, Any] | None = None  # None: the grid has no such block


class RefusalRecord(_Record):
    kernel: str = ""  # empty: not a kernel, but a call of a library
    at: int = 0
    verdict: str = "needs-gpu"
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
    findings: tuple[KernelFinding, ...] = ()
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
