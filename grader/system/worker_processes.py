"""Processes that do what takes Python long, as checking what a compiler made: threads of one process would do it one at a time.

What is sent to them and back is data. They hold no lock and no state that others have to see. A machine where they cannot be had
does the same work in the grader's own process.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import ParamSpec, Self, TypeVar

# Python looks for unused cycles of objects seldom. By itself it does so after each 700 new objects, among all that there are, and a
# twentieth of a batch's processor time went there.
#
# A command ends soon, and what it makes is small beside a machine's memory. What is in no cycle goes at once, as always.

_YOUNG = 50_000  # new objects before the youngest are looked at
_MIDDLE, _OLD = 20, 50  # so many looks at one generation before the next one is looked at as well


def collect_rarely() -> None:
    """For this process, from now on."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


_FEWEST_CORES = 4  # on fewer, compilers and runners keep them busy, and a worker would only need memory
_PRELOADED = ["__main__", "grader.engines.cpu_build"]  # once, in the process that all others are copies of

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class WorkerProcesses:
    """To be ended, by itself or as a context. `count` 0: everything is done here."""

    def __init__(self, count: int = 0) -> None:
        self._pool = _pool(count) if count else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """What is asked later is done here."""
        if pool := self._pool:
            self._pool = None
            pool.shutdown(cancel_futures=True)

    def run(self, function: Callable[_Given, _Found], /, *arguments: _Given.args, **more: _Given.kwargs) -> _Found:
        """What `function` gives or raises, once it has. Raises RuntimeError where its process was ended; later calls are done here."""
        pool = self._pool
        if pool is None:
            return function(*arguments, **more)
        try:
            return pool.submit(function, *arguments, **more).result()
        except BrokenExecutor as error:
            self._pool = None
            message = "a process of the grader's own was ended by something else, as by a machine without free memory"
            raise RuntimeError(message) from error


def fitting_count(cores: int) -> int:
    """How many a batch has on a machine with so many cores."""
    return cores if cores >= _FEWEST_CORES else 0


def _pool(count: int) -> ProcessPoolExecutor | None:
    """A process is started when it is needed, by a server without threads. None where this machine has not what that takes."""
    try:
        method = multiprocessing.get_context("forkserver")
        method.set_forkserver_preload(_PRELOADED)
        return ProcessPoolExecutor(count, mp_context=method, initializer=_begin)
    except (OSError, ImportError, ValueError):  # no shared semaphores, as where /dev/shm is missing
        return None


def _begin() -> None:
    """In a new process: Ctrl-C is for the grader, and none of us outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_rarely()
    threading.Thread(target=_end_with_the_grader, daemon=True).start()


def _end_with_the_grader() -> None:
    if grader := multiprocessing.parent_process():
        grader.join()
        os._exit(1)
