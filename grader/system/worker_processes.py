"""Processes that read what students handed in, and what compilers made of it. One that breaks off, or needs too much, ends one piece of
work, and a new process takes its place; threads of one process would also do such work one at a time.

What is sent to them and back is data. They hold no lock and no state that others have to see. A machine where they cannot be had
does the same work in the grader's own process.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# Python looks for unused cycles of objects seldom. By itself it does so after each 700 new objects, among all that there are, and a
# twentieth of a batch's processor time went there.
#
# A command ends soon, and what it makes is small beside a machine's memory. What is in no cycle goes at once, as always.

_YOUNG = 50_000  # new objects before the youngest are looked at
_MIDDLE, _OLD = 20, 50  # so many looks at one generation before the next one is looked at as well


def collect_rarely() -> None:
    """For this process, from now on."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


# Once, in the process that all others are copies of: what builds, explains and draws.
_PRELOADED = ["__main__", "grader.engines.dump_scan", "grader.engines.runner_image", "grader.roll.batch.drawn_pages"]
_PRELOADED += ["grader.run.failure_causes", "grader.run.lab_judging"]
# Of one process, and of one piece of work. The largest file that is read needs a quarter of either.
MOST_BYTES = 2 << 30
_LONGEST_FOLDER = 70  # characters
MOST_SECONDS = 300  # of processor time; what compilers and runners use is limited where they are started

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class WorkerProcesses:
    """To be ended, by itself or as a context. `count` 0: everything is done here."""

    def __init__(self, count: int = 0) -> None:
        self._all = [worker for _ in range(count) if (worker := _worker()) is not None]
        self._free: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        for worker in self._all:
            self._free.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """What is asked later is done here."""
        workers, self._all = self._all, []
        for worker in workers:
            worker.shutdown(cancel_futures=True)

    def run(self, function: Callable[_Given, _Found], /, *arguments: _Given.args, **more: _Given.kwargs) -> _Found:
        """What `function` gives or raises, once it has, in a process that does nothing else meanwhile. Raises RuntimeError where that one
        was ended, or came to a limit.
        """
        if not self._all:
            return function(*arguments, **more)
        from concurrent.futures import BrokenExecutor  # noqa: PLC0415 -- a command that has no workers does without

        worker = self._free.get()
        try:
            return worker.submit(_limited, function, *arguments, **more).result()
        except BrokenExecutor as error:
            worker = self._in_place_of(worker)
            message = (
                "the grader's process that read this file was ended: it used more than "
                f"{MOST_SECONDS} seconds of processor time, or this machine has no free memory"
            )
            raise RuntimeError(message) from error
        finally:
            self._free.put(worker)

    def _in_place_of(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        """Where no other can be had, every further piece of work breaks off and is told."""
        made = _worker()
        if made is None:
            return broken
        with suppress(ValueError):  # all have ended meanwhile
            self._all[self._all.index(broken)] = made
        broken.shutdown()
        return made


def _limited(function: Callable[_Given, _Found], /, *arguments: _Given.args, **more: _Given.kwargs) -> _Found:
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + MOST_SECONDS, most))
    try:
        return function(*arguments, **more)
    except MemoryError:
        message = f"reading this file needs more than {MOST_BYTES >> 20} MiB of the grader's memory"
        raise RuntimeError(message) from None


def _worker() -> ProcessPoolExecutor | None:
    """Its process is started when it is needed, by a server without threads. None where this machine has not what that takes."""
    import multiprocessing  # noqa: PLC0415 -- as above
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    try:
        method = multiprocessing.get_context("forkserver")
        method.set_forkserver_preload(_PRELOADED)
        _place_for_sockets()
        return ProcessPoolExecutor(1, mp_context=method, initializer=_begin)
    except (OSError, ImportError, ValueError):  # no shared semaphores, as where /dev/shm is missing
        return None


def _place_for_sockets() -> None:
    """An address has at most 107 bytes, so the server's lies in /tmp where temporary files go to a folder with a long name."""
    import multiprocessing.util  # noqa: PLC0415 -- as above

    if len(tempfile.gettempdir()) > _LONGEST_FOLDER:
        given, tempfile.tempdir = tempfile.tempdir, "/tmp"  # noqa: S108 -- the folder that is made there is private
        try:
            multiprocessing.util.get_temp_dir()  # it keeps what it has made
        finally:
            tempfile.tempdir = given


def _begin() -> None:
    """In a new process: Ctrl-C is for the grader, and none of us outlives it. What it starts raises these limits for itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, most))
    collect_rarely()
    threading.Thread(target=_end_with_the_grader, daemon=True).start()


def _end_with_the_grader() -> None:
    import multiprocessing  # noqa: PLC0415 -- as above

    if grader := multiprocessing.parent_process():
        grader.join()
        os._exit(1)
