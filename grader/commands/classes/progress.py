"""The progress of a batch on the terminal: one line that moves if a person watches, a few lines if the output is a log."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from grader.commands.classes.time_left import time_left

_LINES = 5  # in a log, for the judging of a whole batch
_QUIET_SECONDS = 2.0  # in a log, of any other work before it is mentioned
_REPEATED_SECONDS = 60.0  # in a log, between two lines about it


class TerminalProgress:
    """Implements the batch's Progress on a console."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock
        self._jobs = self._done = 0
        self._began = self._told = self._noted = 0.0
        self._what = self._note = ""
        self._bar: Progress | None = None

    def doing(self, what: str, done: int, total: int) -> None:
        """Work other than judging: `done` of `total` steps. It may be called as often as one likes."""
        if what != self._what:
            self._start(what, total)
            self._told = self._began + _QUIET_SECONDS - _REPEATED_SECONDS
        if self._bar is not None:
            self._show(what, done, total)
        elif self._clock() - self._told >= _REPEATED_SECONDS and done < total:
            self._told = self._clock()
            self._console.print(self._sentence(what, done, total))

    def begin(self, jobs: int, reused: int) -> None:
        self.end()
        self._jobs, self._done, self._note = jobs, 0, ""
        known = f", {reused} already judged earlier" if reused else ""
        self._console.print(f"{jobs} to judge{known}")
        self._start("judged", jobs)

    def step(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._show("judged", self._done, self._jobs)
        elif self._done * _LINES // self._jobs > (self._done - 1) * _LINES // self._jobs:
            self._console.print(self._sentence("judged", self._done, self._jobs))

    def note(self, text: str) -> None:
        """What else there is to know of the work at this moment; the last one counts. A log gets one in a minute."""
        if text == self._note:
            return
        if self._bar is not None:
            self._note = text
            self._show(self._what, self._done, self._jobs)
        elif not self._note or self._clock() - self._noted >= _REPEATED_SECONDS:
            self._note, self._noted = text, self._clock()
            self._console.print(text, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Removes the bar, also after an interruption."""
        self._what = ""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self, what: str, total: int) -> None:
        self.end()
        self._what, self._began = what, self._clock()
        if total and self._console.is_terminal:
            columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.add_task("", total=total)
            self._show(what, 0, total)
            self._bar.start()

    def _show(self, what: str, done: int, total: int) -> None:
        assert self._bar is not None
        words = self._sentence(what, done, total) + (f"; {self._note}" if self._note else "")
        self._bar.update(self._bar.task_ids[0], completed=done, total=total, description=words)

    def _sentence(self, what: str, done: int, total: int) -> str:
        left = time_left(done, total, self._clock() - self._began)
        said = f"{done} of {total} judged" if what == "judged" else f"{what}: {done} of {total}"
        return f"{said}, {left}" if left else said
