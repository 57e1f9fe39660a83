"""A proof: a statement that has to be true of every course. It has a name, and steps that may run in parallel.

A step returns what is wrong, by file and line. An empty list means that it holds. The caller decides on the order and the cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.course.diagnostic import Diagnostic

Step = Callable[[], Sequence[Diagnostic]]


@dataclass(frozen=True)
class Proof:
    name: str  # "rejects 01-add", as in `--proof`
    holds: str  # one line, printed when it holds
    steps: Sequence[Step]
    needs_kit: bool = False  # whether it builds and judges, for which set-up must have run
