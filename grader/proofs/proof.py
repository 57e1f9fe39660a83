"""A proof: something that has to be so in every course, with a name, and steps that may run side by side.

A step returns what is wrong, by file and line; nothing means that it holds. Whoever runs proofs decides on order and cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.course.diagnostic import Diagnostic

Step = Callable[[], Sequence[Diagnostic]]


@dataclass(frozen=True)
class Proof:
    name: str  # "rejects 01-add": what a person may ask for
    holds: str  # one line, said when it does
    steps: Sequence[Step]
    needs_kit: bool = False  # whether it builds and judges, so that set-up must have run
