"""The tracer's report as plain data: one launch, and the steps of one of its blocks. Nothing here does input or output.

The steps come from the process that runs the submission, so they are only what that process claims. The tracer limits their number.
trace_phases.py interprets them.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from pydantic import Field

from grader.model.result import Launch, Model
from grader.model.verdicts import Verdict


class StepKind(IntEnum):
    READ = 0
    WRITE = 1
    ATOMIC = 2
    BARRIER = 3
    OUTSIDE = 4  # an access that no array contains: it is told as one of the array that it missed, and nothing is known of its value
    WAIT = 5  # at a barrier or a warp operation that some threads do not reach
    LEAVE = 6  # the thread has returned; told where others wait for it
    STOP = 7  # a finding has ended the thread
    EXCHANGE = 8  # a warp operation: its array is none, its offset is the lane whose value it brings; 0 bytes: it brings nothing


ACCESSES = frozenset({StepKind.READ, StepKind.WRITE, StepKind.ATOMIC})  # to an element that there is
CHANGES = frozenset({StepKind.WRITE, StepKind.ATOMIC})


class TracedArray(Model):
    name: str  # "A", "As"
    space: str  # "global", "shared", "module"
    element: str
    element_bytes: int = Field(gt=0, le=1 << 29)
    dimensions: tuple[int, ...] = ()  # rows and columns of a matrix in global memory; empty: unknown
    base: int = Field(default=0, ge=0, lt=128)  # its first byte's address, modulo the 128 bytes of a row of banks

    def index(self, offset: int, size: int) -> tuple[int, ...]:
        """The subscripts of the element at a byte offset. One flat subscript where the access is no whole element."""
        flat = offset // self.element_bytes
        if size != self.element_bytes or not self.dimensions:
            return (flat,)
        subscripts = []
        for extent in reversed(self.dimensions[1:]):
            subscripts.append(flat % extent)
            flat //= extent
        return (flat, *reversed(subscripts))

    def value(self, bits: int, size: int) -> float:
        """The number in `size` bytes of this array. It is floating-point unless the array's type says otherwise."""
        type_words = self.element.split()
        if (
            type_words
            and type_words[0] in {"int", "unsigned", "char", "long", "short", "signed", "bool"}
            and size == self.element_bytes
        ):
            whole = int.from_bytes(bits.to_bytes(8, "little")[:size], "little", signed="unsigned" not in type_words)
            return float(whole)
        raw = bits.to_bytes(8, "little")
        if size in {4, 8}:
            return float(struct.unpack("<f" if size == 4 else "<d", raw[:size])[0])  # noqa: PLR2004 -- bytes of a float
        return float(bits)


class TracedPlace(Model):
    file: str
    function: str
    line: int
    calls: str = ""  # of an exchange: "__syncwarp()", "a shuffle"
    element: str = ""  # of an exchange: the type of what it brings


BESIDE_FROM = 1024  # a step's thread from here on belongs to the second block, where two were recorded
# kind, thread, interval, array, offset, bytes, bits, place, slot, part. Lanes of a warp with the same slot do a step together, as one
# request. Parts count the elements of one access.
Step = tuple[int, int, int, int, int, int, int, int, int, int]


class Trace(Model):
    arrays: tuple[TracedArray, ...]
    places: tuple[TracedPlace, ...]
    steps: tuple[Step, ...]  # in the order in which they happened
    complete: bool  # False: the block did not end, or did more steps than are kept
    full: bool = False  # it did more steps than are kept: the recording stopped before the block


class TracedInput(Model):
    name: str
    columns: int
    values: tuple[float, ...]


class TraceReport(Model):
    """The file that the tracer writes."""

    factors: tuple[str, ...]  # the two inputs of a sum of products; empty: the problem is none
    inputs: tuple[TracedInput, ...]
    launch: Launch
    trace: Trace | None = None  # None: the grid has no such block, or nothing was launched


def left_out(trace: Trace, launch: Launch) -> str:
    """What the recording does not show, for a reader who has come to its end; empty: it shows all."""
    if trace.complete:
        return ""
    is_endless = launch.verdict is Verdict.TIMEOUT
    if not trace.full:
        return "It goes on like this: the block did not end." if is_endless else "The block came no further than this."
    stops = f"the recording stops after {len(trace.steps):,} steps"
    if is_endless:
        return f"It goes on like this: the loop did not end; {stops}."
    return f"This is only the beginning: the block does more, and {stops}."
