"""Runs proofs in parallel, and passes their outcomes on in the order of the list. Prints nothing.

An exception in a step becomes a diagnostic of its proof: what could not be checked is not proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol

from grader.course.diagnostic import Diagnostic
from grader.model.errors import RemediableError
from grader.proofs.proof import Proof, Step


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
        return step()
    except RemediableError as error:
        return [Diagnostic(name, None, str(error))]
    except Exception as error:  # noqa: BLE001 -- whatever failed, the other proofs go on
        return [Diagnostic(name, None, f"this could not be looked at: {type(error).__name__}: {error}")]
