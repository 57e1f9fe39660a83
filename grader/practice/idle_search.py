"""Looks for the line of a wrong result while nobody waits: in a thread of its own, until the next save. Not here: what is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable

from grader.practice.practice import Practice
from grader.reports.screens.checklist import Tried


class IdleSearch:
    """`found` is called with the lines added, in the search's thread, unless `stop` was called before. It holds `lock` then: whoever
    holds it too knows that nothing is found meanwhile.
    """

    def __init__(self, practice: Practice, found: Callable[[Tried], None]) -> None:
        self._practice, self._found = practice, found
        self.lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, tried: Tried) -> None:
        """Ends the search before it."""
        self.stop()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(tried, self._stop), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What is being tried ends by itself, and nothing is said of it."""
        self._stop.set()

    def wait(self) -> None:
        """Until the search has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, tried: Tried, stop: threading.Event) -> None:
        suspected = self._practice.suspected(tried, stopped=stop.is_set)
        with self.lock:
            if suspected.result.suspects and not stop.is_set():
                self._found(suspected)
