"""Locks a GPU: many processes may judge on it at the same time, and one process alone may time on it. Each device has a lock file,
which every process on this machine finds by the device's name.

There is a second lock file, the gate, which everybody takes first. A process that wants the device alone holds the gate while it
waits, so no further process can start to share the device. Otherwise a steady stream of judging could keep it waiting for ever.
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

    def files(self) -> tuple[Path, Path]:
        """The gate and the device's lock, both there, for a program that takes them itself in this order."""
        with self.shared():
            return self._gate, self._device

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Holds the device together with others that share it."""
        with _locked(self._gate, fcntl.LOCK_EX):
            held = _take(self._device, fcntl.LOCK_SH)
        try:
            yield
        finally:
            os.close(held)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Holds the device while nobody else does."""
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
    """The open, locked file. In a shared folder, another user's file can be opened for reading, but not with O_CREAT."""
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
