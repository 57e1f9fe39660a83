"""Prints proofs on the terminal: a line for each proof when it is done, below it what is wrong, and a progress bar at the end."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from grader.proofs.proving import Proved

_NAME_WIDTH = 22


class ProofLines:
    """Implements `proving`'s Watcher on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None

    def begin(self, steps: int) -> None:
        if self._console.is_terminal:
            columns = (TextColumn("proving"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.add_task("proving", total=steps)
            self._bar.start()

    def step(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])

    def proved(self, outcome: Proved) -> None:
        self._console.print(lines_of(outcome), soft_wrap=True)

    def end(self) -> None:
        """Removes the bar, also after an interruption."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def lines_of(outcome: Proved) -> Text:
    """`ok    leaks   no solution …`, or `FAILS leaks` and a line for each diagnostic."""
    name = f"{outcome.proof.name:{_NAME_WIDTH}} "
    if not outcome.diagnostics:
        return Text.assemble(("ok    ", "green"), name, (outcome.proof.holds, "dim"))
    details = "".join(f"\n      {diagnostic}" for diagnostic in outcome.diagnostics)
    count = len(outcome.diagnostics)
    return Text.assemble(("FAILS ", "bold red"), (name, "bold"), f"{count} problem{'s' if count > 1 else ''}:", details)
