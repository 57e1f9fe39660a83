"""Who may use a GPU: many at once to judge, one alone to time. A lock file for each device, which every process of this machine
finds by the device's own name.

Whoever wants the device alone first closes the gate behind which everybody else waits, so that a stream of judging cannot keep
timing out for ever.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class GpuLock:
    """`name` is the device's: letters, digits and dashes."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        base = folder or Path(tempfile.gettempdir())
        self._gate, self._device = base / f"tilelab-gpu-{name}.gate", base / f"tilelab-gpu-{name}.lock"

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Together with others that share it."""
        with _locked(self._gate, fcntl.LOCK_EX):
            held = _take(self._device, fcntl.LOCK_SH)
        try:
            yield
        finally:
            os.close(held)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with _locked(self._gate, fcntl.LOCK_EX), _locked(self._device, fcntl.LOCK_EX):
            yield


@contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    held = _take(path, how)
    try:
        yield
    finally:
        os.close(held)


def _take(path: Path, how: int) -> int:
    """The open file. Another user's file in a shared folder may be opened, not made."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        file = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(file, how)
    except BaseException:
        os.close(file)
        raise
    return file
