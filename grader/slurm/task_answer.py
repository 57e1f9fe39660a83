"""What a task of an array leaves behind: on which node it ran and with what, and what is not in the job store. Plain data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import Environment, Model


class Bench(Model):
    """What a node judges with. Outcomes of two nodes are of one class only where this is the same."""

    fingerprints: dict[str, str]  # by lab, as job keys have them
    environment: Environment
    speed_message: str = ""

    def differences(self, other: Bench) -> str:
        """In words, what is known of them; empty: nothing differs in the labs that `other` tells of."""
        if all(self.fingerprints.get(lab) == one for lab, one in other.fingerprints.items()):
            return ""
        mine, its = self.environment, other.environment
        pairs = [
            (word, getattr(mine, word), getattr(its, word)) for word in ("kit", "compiler", "backend", "gpu", "sandbox")
        ]
        told = [f"{word} {b or 'none'!r} instead of {a or 'none'!r}" for word, a, b in pairs if a != b]
        return ", ".join(told) or "its files of the course, the compiler or the grader are other ones"


class TaskAnswer(Model):
    """`refused`: why this node judged nothing, its controls among the reasons. Then nothing that it says of a submission counts."""

    schema_: Literal["tilelab/task-answer/v1"] = Field(default="tilelab/task-answer/v1", alias="schema")
    node: str
    bench: Bench | None = None
    refused: str = ""
    # What was not kept: failures of ours, and times that are to be measured again.
    outcomes: dict[str, LabOutcome] = Field(default_factory=dict)
    faults: dict[str, str] = Field(default_factory=dict)  # by key, what broke on our side
    other_faults: tuple[str, ...] = ()
