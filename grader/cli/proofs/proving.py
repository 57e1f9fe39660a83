"""Runs proofs in parallel, and prints their outcomes in the order of the list: a line for each, and below it what is wrong.

An exception in a step becomes a diagnostic of its proof: what could not be checked is not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

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


def prove(proofs: Sequence[Proof], console: Console, *, workers: int) -> list[Proved]:
    """The outcome of every proof. Each is printed when it and those before it are done, above a progress bar on a terminal. Proofs that
    need no kit start first, then those with few steps, so that no long step starts last.
    """
    steps = [(index, step) for index, proof in enumerate(proofs) for step in proof.steps]
    steps.sort(key=lambda one: (proofs[one[0]].needs_kit, len(proofs[one[0]].steps)))
    columns = (TextColumn("proving"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeElapsedColumn())
    running: list[list[Future[Sequence[Diagnostic]]]] = [[] for _ in proofs]
    outcomes: list[Proved] = []
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar,
        ThreadPoolExecutor(workers) as pool,
    ):
        task = bar.add_task("proving", total=len(steps))
        try:
            for index, step in steps:
                running[index].append(pool.submit(_run, step, proofs[index].name))
                running[index][-1].add_done_callback(lambda _: bar.advance(task))
            for proof, futures in zip(proofs, running, strict=True):
                found = sorted(
                    chain.from_iterable(one.result() for one in futures),
                    key=lambda one: (one.path, one.line or 0, one.what),
                )
                outcomes.append(Proved(proof, tuple(found)))
                console.print(lines_of(outcomes[-1]), soft_wrap=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes


def _run(step: Step, name: str) -> Sequence[Diagnostic]:
    try:
        return list(step())
    except RemediableError as error:
        return [Diagnostic(name, None, str(error))]
    except Exception as error:  # noqa: BLE001 -- whatever failed, the other proofs go on
        return [Diagnostic(name, None, f"this could not be looked at: {type(error).__name__}: {error}")]


_NAME_WIDTH = 22


def lines_of(outcome: Proved) -> Text:
    """`ok    leaks   no solution …`, or `FAILS leaks` and a line for each diagnostic."""
    name = f"{outcome.proof.name:{_NAME_WIDTH}} "
    if not outcome.diagnostics:
        return Text.assemble(("ok    ", "green"), name, (outcome.proof.holds, "dim"))
    details = "".join(f"\n      {diagnostic}" for diagnostic in outcome.diagnostics)
    count = len(outcome.diagnostics)
    return Text.assemble(("FAILS ", "bold red"), (name, "bold"), f"{count} problem{'s' if count > 1 else ''}:", details)
