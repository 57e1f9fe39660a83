"""The processor time that a process and all that it started have used, as the kernel counts it in /proc."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)  # among the fields behind the name: own, and of children that were waited for


def processor_seconds(process: int) -> float:
    """Of a process that was started here. What has ended without being waited for is not in it."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            number = int(folder.name)
            children.setdefault(int(fields[_PARENT]), []).append(number)
            ticks[number] = sum(map(int, fields[_TIMES]))
    total, waiting = 0, [process]
    while waiting:
        one = waiting.pop()
        total += ticks.get(one, 0)
        waiting += children.pop(one, [])
    return total / _TICKS
