"""What the tracer found, as plain data: one launch, and what one block of it did step by step. Nothing here does I/O.

The steps come from the process that held the submission; the tracer has bounded them, and they are never more than what
that process says of itself. What they mean is trace_phases.py's affair.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from pydantic import Field

from grader.model.result import Launch, Model


class StepKind(IntEnum):
    READ = 0
    WRITE = 1
    ATOMIC = 2
    BARRIER = 3


class TracedArray(Model):
    name: str  # "A", "As"
    space: str  # "global", "shared", "module"
    element: str
    element_bytes: int = Field(gt=0)
    dimensions: tuple[int, ...] = ()  # of a matrix in global memory: rows and columns; empty: unknown

    def index(self, offset: int, size: int) -> tuple[int, ...]:
        """The subscripts of the element at a byte offset; flat where the access is no whole element."""
        flat = offset // self.element_bytes
        if size != self.element_bytes or not self.dimensions:
            return (flat,)
        subscripts = []
        for extent in reversed(self.dimensions[1:]):
            subscripts.append(flat % extent)
            flat //= extent
        return (flat, *reversed(subscripts))

    def value(self, bits: int, size: int) -> float:
        """The number that `size` bytes of this array hold; floating-point where nothing says otherwise."""
        words = self.element.split()
        if (
            words
            and words[0] in {"int", "unsigned", "char", "long", "short", "signed", "bool"}
            and size == self.element_bytes
        ):
            whole = int.from_bytes(bits.to_bytes(8, "little")[:size], "little", signed="unsigned" not in words)
            return float(whole)
        raw = bits.to_bytes(8, "little")
        if size in {4, 8}:
            return float(struct.unpack("<f" if size == 4 else "<d", raw[:size])[0])  # noqa: PLR2004 -- bytes of a float
        return float(bits)


class TracedPlace(Model):
    file: str
    function: str
    line: int


Step = tuple[int, int, int, int, int, int, int, int]  # kind, thread, interval, array, offset, bytes, bits, place


class Trace(Model):
    arrays: tuple[TracedArray, ...]
    places: tuple[TracedPlace, ...]
    steps: tuple[Step, ...]  # in the order in which the block made them
    complete: bool  # False: the block did not end, or did more than was kept


class TracedInput(Model):
    name: str
    columns: int
    values: tuple[float, ...]


class TraceReport(Model):
    """What the tracer writes."""

    factors: tuple[
        str, ...
    ]  # two inputs whose elements are multiplied in pairs and added up; empty: no sum of products
    inputs: tuple[TracedInput, ...]
    launch: Launch
    trace: Trace | None = None  # None: the grid has no such block, or nothing was launched
