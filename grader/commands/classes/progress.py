"""The progress of a batch on the terminal: a bar if a person watches, a few lines if the output is a log."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_LINES = 5  # in a log, for the whole batch


class TerminalProgress:
    """Implements the batch's Progress on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._jobs = self._done = 0
        self._bar: Progress | None = None

    def begin(self, jobs: int, reused: int) -> None:
        self._jobs, self._done = jobs, 0
        known = f", {reused} already judged earlier" if reused else ""
        self._console.print(f"{jobs} to judge{known}")
        if jobs and self._console.is_terminal:
            columns = (TextColumn("judging"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.add_task("judging", total=jobs)
            self._bar.start()

    def step(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])
        elif self._done * _LINES // self._jobs > (self._done - 1) * _LINES // self._jobs:
            self._console.print(f"judged {self._done} of {self._jobs}")

    def end(self) -> None:
        """Removes the bar, also after an interruption."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
