"""Processes that somebody ends while they judge, as a kernel does when memory runs out, and sandboxes that stop working."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

Prove = Callable[[Callable[[Any], AbstractContextManager[Any]], str], None]


@contextmanager
def _killing(place: Path, name: str, number: int, *, children: bool) -> Iterator[Callable[[], bool]]:
    """Meanwhile, every program called `name` under `place` gets the signal as soon as it is seen. `children`: its forked ones alone.
    Says whether one was seen: on a busy machine a launch may be over before anybody looks.
    """
    over, seen = threading.Event(), threading.Event()

    def is_ours(pid: int) -> bool:
        words = _words(Path("/proc", str(pid)))
        return words[:1] != [] and words[0].startswith(str(place)) and words[0].endswith(f"/{name}")

    def hunt() -> None:
        """A launch may last a millisecond: only processes that began since the last look are looked at."""
        looked: dict[int, float] = {}
        while not over.is_set():
            there = {int(one) for one in os.listdir("/proc") if one.isdecimal()}  # noqa: PTH208 -- a Path for each takes too long
            looked = {pid: since for pid, since in looked.items() if pid in there}
            now = time.monotonic()
            for pid in there - looked.keys():
                if is_ours(pid) and is_ours(_parent(pid)) == children:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                        seen.set()
                looked[pid] = now
            if not children:  # a process becomes the program that it is by execve(), some time after it began
                looked = {pid: since for pid, since in looked.items() if now - since > 1}
            time.sleep(0)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        yield seen.is_set
    finally:
        over.set()
        hunter.join()


def _words(process: Path) -> list[str]:
    with suppress(OSError):
        return (process / "cmdline").read_text(errors="replace").split("\0")
    return []


def _parent(pid: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    return 0


# Whether it is the runner or a child of it. Two of these in each run: both processes, and both signals.
ENDED = [(False, signal.SIGKILL), (False, signal.SIGTERM), (True, signal.SIGTERM), (True, signal.SIGKILL)]


@pytest.mark.parametrize(("children", "number"), sample(ENDED, 2))
def test_a_process_that_is_ended_from_outside_is_no_crash(children: bool, number: signal.Signals, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[Callable[[], bool]]:  # noqa: ANN401 -- conftest's Course
        with _killing(course.temporary, "runner", number, children=children) as has_struck:
            yield has_struck

    prove(fault, "this machine cannot grade")


CONFINES = {
    "does not start": "exit 125",
    "is killed": "kill -9 $$",
    "finds no program": "echo confine: there is no program >&2; exit 127",
}


@pytest.mark.parametrize("what", sample([*CONFINES], 2))
def test_a_sandbox_costs_nobody_anything_when_after_the_controls_it(what: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        confine = course.build / "bin" / "confine"
        course.midway = lambda: course.damage(confine, f"#!/bin/sh\n{CONFINES[what]}\n")
        yield
        course.mend(confine)

    prove(fault, "this machine cannot grade")


def test_a_sandbox_that_does_not_start_is_named_before_anything_is_graded(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        confine = course.build / "bin" / "confine"
        course.damage(confine, "#!/bin/sh\nexit 125\n")
        yield
        course.mend(confine)

    prove(fault, "launcher does not work")
