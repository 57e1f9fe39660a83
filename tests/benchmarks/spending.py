"""What a piece of work costs: the processor time of everything that it starts, and the wall time.

When a sandbox is killed, its children are not reaped, and their times are lost. So where the kernel allows it, we use its task clock,
which all descendants inherit. Otherwise we use the times of reaped children, which miss a part of a sandboxed runner's.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
_SOFTWARE, _TASK_CLOCK, _INHERIT = 1, 1, 1 << 1


@dataclass(frozen=True)
class Spent:
    cpu_s: float
    wall_s: float


def _task_clock() -> int | None:
    """A descriptor that counts the nanoseconds of this process and of all that it starts later. None where that is not allowed."""
    number = _PERF_EVENT_OPEN.get(os.uname().machine)
    if number is None:
        return None
    attributes = struct.pack("<IIQQQQQ", _SOFTWARE, 112, _TASK_CLOCK, 0, 0, 0, _INHERIT).ljust(112, b"\0")
    descriptor = ctypes.CDLL(None, use_errno=True).syscall(number, attributes, 0, -1, -1, 0)
    return descriptor if descriptor >= 0 else None


def exact() -> bool:
    """Whether processor times include those in killed sandboxes."""
    clock = _task_clock()
    if clock is not None:
        os.close(clock)
    return clock is not None


def spend(work: Callable[[], object]) -> Spent:
    """Runs `work` in a forked child. Raises RuntimeError where it fails."""
    reader, writer = os.pipe()
    began = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            clock = _task_clock()
            work()
            status = 0
            if clock is not None:
                os.write(writer, os.read(clock, 8))
        except BaseException as error:  # noqa: BLE001 - the parent reports it; nothing may run on in the child
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        os._exit(status)
    os.close(writer)
    counted = os.read(reader, 8)
    os.close(reader)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - began
    if status != 0:
        message = "a benchmark's work failed; what it said stands above"
        raise RuntimeError(message)
    cpu = struct.unpack("<Q", counted)[0] / 1e9 if len(counted) == 8 else usage.ru_utime + usage.ru_stime
    return Spent(cpu, wall)


def alternate(first: Callable[[], object], second: Callable[[], object], pairs: int) -> Iterator[tuple[Spent, Spent]]:
    """The costs of both, measured in the order ABBA, so that a machine that gets slower affects both."""
    for pair in range(pairs):
        if pair % 2 == 0:
            a = spend(first)
            yield a, spend(second)
        else:
            b = spend(second)
            yield spend(first), b


def spread(values: list[float]) -> str:
    """Median, lowest and highest."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
