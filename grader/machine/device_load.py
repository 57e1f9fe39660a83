"""Chooses among several GPUs of one kind: the next piece of work goes to the one that has the fewest pieces of this process.

The work of other processes is not counted. While a kernel is timed, the device's lock keeps them out.
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
        """The least loaded of `ordinals`, and of equal ones the first. It counts as loaded until the end of the block."""
        with self._guard:
            chosen = min(ordinals, key=lambda one: self._counts[one])
            self._counts[chosen] += 1
        try:
            yield chosen
        finally:
            with self._guard:
                self._counts[chosen] -= 1
