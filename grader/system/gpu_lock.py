"""Locks a GPU: many processes may judge on it at the same time, and one process alone may time on it. Each device has a lock file,
which every process on this machine finds by the device's name.

There is a second lock file, the gate, which everybody takes first. A process that wants the device alone holds the gate while it
waits, so no further process can start to share the device. Otherwise a steady stream of judging could keep it waiting for ever.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
        with ExitStack() as held:
            with _locked(self._gate, fcntl.LOCK_EX):
                held.enter_context(_locked(self._device, fcntl.LOCK_SH))
            yield

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Holds the device while nobody else does. Gives what `AloneTurns.alone` gives."""
        with _locked(self._gate, fcntl.LOCK_EX), _locked(self._device, fcntl.LOCK_EX):
            yield False


@contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    """In a shared folder, another user's file can be opened for reading, but not with O_CREAT."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        file = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(file, how)
        yield
    finally:
        os.close(file)


# Who of this process has a GPU alone, one after the other. The device is handed on to whoever is ready next, instead of given back in
# between: each time that it is taken, all who judge on it have to end first, and it stands still meanwhile. So it is taken when a whole row
# of those who want it alone is ready, or nobody of this process judges on it.

_MOST_IN_A_ROW = 8  # some seconds: then whoever wants to share the device has a turn


class AloneTurns:
    """Of all threads of this process, on one device or several."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._devices: dict[str, _Device] = {}

    def waiting(self, name: str) -> int:
        """How many wait for one of this process who has the device, or tries to get it."""
        with self._lock:
            return self._devices[name].waiting if name in self._devices else 0

    def alone(self, name: str, lock: GpuLock) -> AbstractContextManager[bool]:
        """Holds the device, whose lock is `lock`, while nobody else does. Gives whether another one had it alone just before."""
        with self._lock:
            return self._devices.setdefault(name, _Device()).alone(lock)

    def shared(self, name: str, lock: GpuLock) -> AbstractContextManager[None]:
        """Holds the device together with others that share it."""
        with self._lock:
            return self._devices.setdefault(name, _Device()).shared(lock)


class _Device:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = False
        self.waiting = self._row = self._sharing = 0
        self._held: ExitStack | None = None  # the device, between two who have it

    @contextmanager
    def alone(self, lock: GpuLock) -> Iterator[bool]:
        with self._changed:
            self.waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(self._is_time)
            self.waiting -= 1
            self._busy = True
        try:
            if self._held is None:
                held = ExitStack()
                held.enter_context(lock.alone())
                self._held = held
            self._row += 1
            yield self._row > 1
        finally:
            with self._changed:
                if self._held is not None and (not self.waiting or self._row >= _MOST_IN_A_ROW):
                    self._held.close()
                    self._held = None
                if self._held is None:
                    self._row = 0
                self._busy = False
                self._changed.notify_all()

    def _is_time(self) -> bool:
        ready = self._held is not None or not self._sharing or self.waiting >= _MOST_IN_A_ROW
        return ready and not self._busy

    @contextmanager
    def shared(self, lock: GpuLock) -> Iterator[None]:
        with self._changed:
            self._sharing += 1
        try:
            with lock.shared():
                yield
        finally:
            with self._changed:
                self._sharing -= 1
                self._changed.notify_all()


# Chooses among several GPUs of one kind: the next piece of work goes to the one that has the fewest pieces of this process.
#
# The work of other processes is not counted. While a kernel is timed, the device's lock keeps them out.


class DeviceLoad:
    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._guard = threading.Lock()

    @contextmanager
    def least(self, ordinals: Sequence[int]) -> Iterator[int]:
        """The least loaded of `ordinals`, and of equal ones the first. It counts as loaded until the end of the block."""
        with self._guard:
            chosen = min(ordinals, key=lambda one: self._counts[one])
            self._counts[chosen] += 1
        try:
            yield chosen
        finally:
            with self._guard:
                self._counts[chosen] -= 1
