"""Runs proofs in parallel, and passes their outcomes on in the order of the list. Prints nothing.

An exception in a step becomes a diagnostic of its proof: what could not be checked is not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from grader.course.leaks import Diagnostic
from grader.model.errors import RemediableError

# A proof: a statement that has to be true of every course. It has a name, and steps that may run in parallel.
#
# A step tells what is wrong, by file and line. Nothing means that it holds. The caller decides on the order and the cores.

Step = Callable[[], Iterable[Diagnostic]]


@dataclass(frozen=True)
class Proof:
    name: str  # "rejects 01-add", as in `--proof`
    holds: str  # one line, printed when it holds
    steps: Sequence[Step]
    needs_kit: bool = False  # whether it builds and judges, for which set-up must have run


@dataclass(frozen=True)
class Proved:
    proof: Proof
    diagnostics: tuple[Diagnostic, ...]


class Watcher(Protocol):
    """Gets the progress of the proofs. All calls come from one thread."""

    def begin(self, steps: int) -> None: ...
    def step(self) -> None: ...
    def proved(self, outcome: Proved) -> None: ...


def prove(proofs: Sequence[Proof], watcher: Watcher, *, workers: int) -> list[Proved]:
    """The outcome of every proof. Proofs that need no kit start first, then those with few steps, so that no long step starts last."""
    steps = [(index, step) for index, proof in enumerate(proofs) for step in proof.steps]
    steps.sort(key=lambda one: (proofs[one[0]].needs_kit, len(proofs[one[0]].steps)))
    waiting = [len(proof.steps) for proof in proofs]
    diagnostics: list[list[Diagnostic]] = [[] for _ in proofs]
    outcomes: list[Proved] = []
    watcher.begin(len(steps))
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Future[Sequence[Diagnostic]], int] = {
            pool.submit(_run, step, proofs[index].name): index for index, step in steps
        }
        try:
            for done in as_completed(running):
                index = running[done]
                diagnostics[index] += done.result()
                waiting[index] -= 1
                watcher.step()
                for ready in _ready(waiting, len(outcomes)):
                    found = sorted(diagnostics[ready], key=lambda one: (one.path, one.line or 0, one.what))
                    outcomes.append(Proved(proofs[ready], tuple(found)))
                    watcher.proved(outcomes[-1])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes


def _ready(waiting: Sequence[int], reported: int) -> Iterator[int]:
    """The proofs from number `reported` on that are done, up to the first one that is not."""
    for index in range(reported, len(waiting)):
        if waiting[index]:
            return
        yield index


def _run(step: Step, name: str) -> Sequence[Diagnostic]:
    try:
        return list(step())
    except RemediableError as error:
        return [Diagnostic(name, None, str(error))]
    except Exception as error:  # noqa: BLE001 -- whatever failed, the other proofs go on
        return [Diagnostic(name, None, f"this could not be looked at: {type(error).__name__}: {error}")]


# Prints proofs on the terminal: a line for each proof when it is done, below it what is wrong, and a progress bar at the end.

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
