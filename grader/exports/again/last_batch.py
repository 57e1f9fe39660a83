"""Which class a batch graded last, kept in OUT: instructor/people/last_batch.json. With the records it gives the graded class again.

Records of earlier batches may lie beside those of the last one, so what is not listed here is not in any export.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.model.errors import RemediableError
from grader.model.result import Model, Result
from grader.model.result.graded_class import GradedClass
from grader.people.student_ids import SAFE

_LARGEST = 64 << 20


class LastBatch(Model):
    schema_: Literal["tilelab/last-batch/v1"] = Field(default="tilelab/last-batch/v1", alias="schema")
    title: str
    assignment: str = ""  # what the instructor called it for exports
    labs: tuple[str, ...]
    students: tuple[str, ...]  # their ids, in the order of the class


class UnknownBatchError(RemediableError):
    """OUT does not say which class it holds."""


@dataclass(frozen=True)
class LastBatchFile:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "people" / "last_batch.json"

    def text(self, graded: GradedClass, assignment: str) -> str:
        students = tuple(result.submission.id for result in graded.results)
        batch = LastBatch(title=graded.title, assignment=assignment, labs=graded.lab_ids, students=students)
        return batch.model_dump_json(by_alias=True) + "\n"

    def read(self) -> LastBatch:
        """Raises UnknownBatchError."""
        try:
            batch = LastBatch.model_validate_json(_bytes(self.path))
        except (OSError, ValidationError) as error:
            message = (
                f"{self.path}: this says which students the last batch had, and it is missing or cannot be read. Grade once more into this "
                "OUT: what has not changed is not judged again."
            )
            raise UnknownBatchError(message) from error
        if not all(SAFE.fullmatch(one) for one in batch.students):
            message = f"{self.path}: an id in it is none. Grade once more into this OUT."
            raise UnknownBatchError(message)
        return batch

    def seed(self, batch: LastBatch) -> int:
        """The one that the batch was graded with, as its first record says; 0 without records. Raises UnknownBatchError."""
        if not batch.students:
            return 0
        path = self.private / f"{batch.students[0]}.json"
        try:
            return int(json.loads(_bytes(path))["seed"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            message = f"{path}: this record cannot be read. Grade once more into this OUT."
            raise UnknownBatchError(message) from error

    def graded(self, batch: LastBatch) -> tuple[GradedClass, list[str]]:
        """The class as it was graded, and the records that cannot be used: their students are missing in it."""
        results, lost = [], []
        for student in batch.students:
            path = self.private / f"{student}.json"
            try:
                result = Result.model_validate(json.loads(_bytes(path))["result"])
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                lost.append(f"{path} cannot be read, so its student is missing in all exports: grade again")
                continue
            if tuple(result.labs) != batch.labs:
                lost.append(f"{path} is of another batch, so its student is missing in all exports: grade again")
                continue
            results.append(result)
        return GradedClass(batch.title, batch.labs, tuple(results)), lost


def _bytes(path: Path) -> bytes:
    """Raises OSError, also for a file that is far too large."""
    if path.stat().st_size > _LARGEST:
        message = "too large"
        raise OSError(message)
    return path.read_bytes()
