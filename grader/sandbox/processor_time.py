"""The processor time that a process and all that it started have used, as the kernel counts it in /proc."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)  # among the fields behind the name: own, and of children that were waited for
_BYTES = 4096  # of /proc/…/stat; numbers of children may be more


def processor_seconds(process: int) -> float:
    """Of a process that was started here. What has ended without being waited for is not in it."""
    children = None if _children_are_told() else _by_parent()
    total, waiting, seen = 0, [process], {process}
    while waiting:
        one = waiting.pop()
        fields = _fields(one)
        total += sum(map(int, fields[_TIMES]))
        found = _children(one) if children is None else children.get(one, [])
        waiting += [child for child in found if child not in seen]
        seen.update(found)
    return total / _TICKS


@functools.cache
def _children_are_told() -> bool:
    """Whether this kernel lists a process's children. Otherwise all processes must be asked for their parents, which takes long."""
    return os.path.exists(f"/proc/self/task/{threading.get_native_id()}/children")  # noqa: PTH110 -- many a second


def _children(process: int) -> list[int]:
    """While one of them ends, the kernel may leave others out; the next look finds them."""
    return [int(child) for task in _listed(f"/proc/{process}/task") for child in _read(f"{task}/children").split()]


def _by_parent() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for folder in _listed("/proc"):
        name = folder.rpartition("/")[2]
        if name.isdecimal() and (fields := _fields(int(name))):
            found.setdefault(int(fields[_PARENT]), []).append(int(name))
    return found


def _fields(process: int) -> list[str]:
    """Those behind the name, which may contain anything. None where the process is gone."""
    return _read(f"/proc/{process}/stat").rpartition(")")[2].split()


def _listed(folder: str) -> Iterator[str]:
    try:
        yield from (f"{folder}/{name}" for name in os.listdir(folder))  # noqa: PTH208 -- as above
    except OSError:  # it has ended
        return


def _read(path: str) -> str:
    """The whole file; empty where it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return b"".join(iter(functools.partial(os.read, descriptor, _BYTES), b"")).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
