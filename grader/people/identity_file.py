"""The file that keeps identities between batches: OUT/instructor/people/identities.json.

It is written before any page of a batch, so that no page ever bears an id that nobody remembers. A file that cannot be understood is
left as it is, and nothing is graded: guessed identities could give one student's grade to another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from grader.machine.atomic_file import write_atomically
from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.people.identities import DamagedError, Identities, Record, identities_in, identities_of_records
from grader.people.person_keys import keys_of
from grader.people.student_ids import SAFE

_NAME = "identities.json"
_LARGEST = 256 << 20


class IdentityError(RemediableError):
    """Ids of students cannot be read or kept. The text says what to do."""


@dataclass(frozen=True)
class KeptIdentities:
    """What was read, and the file's text then."""

    book: Identities
    before: str | None  # None: there was no file


@dataclass(frozen=True)
class IdentityFile:
    """`private`: the instructor's folder in OUT; it need not exist."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "people" / _NAME

    def read(self) -> KeptIdentities:
        """Where there is no file, ids follow from the records of earlier batches. Raises IdentityError."""
        text = self._text()
        if text is None:
            return KeptIdentities(identities_of_records(self._records()), None)
        try:
            return KeptIdentities(identities_in(text), text)
        except DamagedError as error:
            message = (
                f"{self.path}: this says which student has which id, but {error}. Nothing was graded and nothing was changed. Put back "
                "an older copy of the file. If there is none, move it away: then ids are taken from the records of the last batch here."
            )
            raise IdentityError(message) from error

    def write(self, kept: KeptIdentities) -> None:
        """Raises IdentityError where the file cannot be written, or where another batch has written it since it was read."""
        if self._text() != kept.before:
            message = (
                f"{self.path}: another batch has written this since. Nothing was changed. Run the same command again."
            )
            raise IdentityError(message)
        try:
            write_atomically(self.path, kept.book.text())
        except OSError as error:
            message = (
                f"{self.path}: it cannot be kept which student has which id ({error.strerror}), so nothing was graded. Make room, or "
                "choose another OUT."
            )
            raise IdentityError(message) from error

    def _text(self) -> str | None:
        try:
            if self.path.stat().st_size > _LARGEST:
                return "far too long"
            return self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            message = f"{self.path}: this says which student has which id, and cannot be read ({error.strerror})."
            raise IdentityError(message) from error

    def _records(self) -> Iterator[Record]:
        """Of the students whom earlier batches graded here. Of one that cannot be read, the id alone is kept."""
        for path in sorted(self.private.glob("*.json")):
            if not SAFE.fullmatch(path.stem):
                continue
            try:
                submission = json.loads(path.read_bytes())["result"]["submission"]
                student = Student.model_validate(submission.get("student", {}))
                handed_in = submission.get("handed_in", True) is not False
                yield Record(path.stem, str(submission["name"]), tuple(keys_of(student)), handed_in)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError):
                yield Record(path.stem)
