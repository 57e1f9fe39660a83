"""How many students made each mistake in the batch before, kept in OUT: instructor/clusters/mistakes.json.

A batch that finds the same as the one before it changes nothing, so grading twice does not hide what changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.clusters.mistake_cause import WrongSubmission
from grader.machine.atomic_file import write_atomically
from grader.model.class_insight import LabMistakes
from grader.model.result import Model


class _Counts(Model):
    schema_: Literal["tilelab/mistakes/v1"] = Field(default="tilelab/mistakes/v1", alias="schema")
    now: dict[str, dict[str, int]] = Field(default_factory=dict)  # by lab: students by key
    before: dict[str, dict[str, int]] = Field(
        default_factory=dict
    )  # in the batch before; a lab that is not there was not graded


@dataclass(frozen=True)
class KeptCounts:
    path: Path

    def update(
        self, wrong: Mapping[str, Sequence[WrongSubmission]], labs: Iterable[str]
    ) -> Mapping[str, Mapping[str, int]]:
        """By lab, the counts of the batch before that found something else. `labs`: all that were graded. Raises OSError."""
        kept = self._read()
        now, before = dict(kept.now), dict(kept.before)
        for lab_id in labs:
            counts = _counts(wrong.get(lab_id, ()))
            if lab_id in now and now[lab_id] != counts:
                before[lab_id] = now[lab_id]
            now[lab_id] = counts
        if (now, before) != (kept.now, kept.before):
            write_atomically(self.path, _Counts(now=now, before=before).model_dump_json(by_alias=True) + "\n")
        return before

    def _read(self) -> _Counts:
        """A file that is missing or damaged counts as none."""
        try:
            return _Counts.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return _Counts()


def with_counts(mistakes: Sequence[LabMistakes], before: Mapping[str, Mapping[str, int]]) -> tuple[LabMistakes, ...]:
    """Each mistake with how many made it before, where the lab was graded before. Those of a rest are not counted alone."""
    return tuple(
        replace(
            lab,
            mistakes=tuple(
                one if one.rest else replace(one, before=before[lab.lab_id].get(one.key, 0)) for one in lab.mistakes
            ),
        )
        if lab.lab_id in before
        else lab
        for lab in mistakes
    )


def _counts(wrong: Sequence[WrongSubmission]) -> dict[str, int]:
    return dict(Counter(step.key for one in wrong for step in one.steps))
