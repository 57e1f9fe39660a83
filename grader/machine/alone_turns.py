"""Who of this process has a GPU alone, one after the other. The device is handed on to whoever is ready next, instead of given back in
between: each time that it is taken back, all who judge on it have to end first, and it stands still meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from grader.machine.gpu_lock import GpuLock

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

    @contextmanager
    def alone(self, name: str, lock: GpuLock) -> Iterator[None]:
        """Holds the device, whose lock is `lock`, while nobody else does."""
        with self._lock:
            device = self._devices.setdefault(name, _Device())
        with device.alone(lock):
            yield


class _Device:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = False
        self.waiting = self._row = 0
        self._held: ExitStack | None = None  # the device, between two who have it

    @contextmanager
    def alone(self, lock: GpuLock) -> Iterator[None]:
        with self._changed:
            self.waiting += 1
            self._changed.wait_for(lambda: not self._busy)
            self.waiting -= 1
            self._busy = True
        try:
            if self._held is None:
                held = ExitStack()
                held.enter_context(lock.alone())
                self._held = held
            self._row += 1
            yield
        finally:
            with self._changed:
                if self._held is not None and (not self.waiting or self._row >= _MOST_IN_A_ROW):
                    self._held.close()
                    self._held = None
                if self._held is None:
                    self._row = 0
                self._busy = False
                self._changed.notify()
