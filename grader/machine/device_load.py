"""Which of several GPUs of one kind the next piece of work goes to: the one with the least of this process's work on it.

Other processes are not counted: the lock of each device keeps them out while a kernel is timed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class DeviceLoad:
    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._guard = threading.Lock()

    @contextmanager
    def least(self, ordinals: Sequence[int]) -> Iterator[int]:
        """One of `ordinals`, the first of several that are equal; work goes on there until the end of the block."""
        with self._guard:
            chosen = min(ordinals, key=lambda one: self._counts[one])
            self._counts[chosen] += 1
        try:
            yield chosen
        finally:
            with self._guard:
                self._counts[chosen] -= 1
