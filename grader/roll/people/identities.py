"""Who has which id for good: the book of identities, which is kept from batch to batch in a file of OUT.

An id that was given once stays with the keys it was given for. It is never given to anybody else, also where its student is not in a
batch, has left, or where two identities turned out to be one student.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.roll.people.person_keys import FOLDER, SAFE, Key, StudentIds, contradict, keys_of
from grader.system.own_files import write_atomically

SCHEMA = "tilelab/identities/v1"


class DamagedError(Exception):
    """A text is no book of identities. The text says why."""


@dataclass
class Identity:
    """One student, as far as anybody knows."""

    id: str
    keys: dict[Key, None] = field(default_factory=dict)  # in the order in which they became known
    called: str = ""  # as the platform spelt the name last
    listed: str = ""  # as the roster spelt it last
    handed_in: bool = False  # ever; else the roster alone made it


class Identities:
    """`had_roster`: the last batch was given one. `read`: the file's text when it was read; none: there was no file."""

    def __init__(self, kept: Iterable[Identity] = (), *, had_roster: bool = False, read: str | None = None) -> None:
        self.all = list(kept)
        self.had_roster, self.read = had_roster, read
        self.ids = StudentIds(one.id for one in self.all)
        self._of = {key: one for one in self.all for key in one.keys}
        self._same_folder: dict[str, list[Key]] = {}
        for key in self._of:
            self._note_folder(key)

    def owner(self, key: Key) -> Identity | None:
        return self._of.get(key)

    def age(self, key: Key) -> int:
        """Smaller for one that was bound to its identity earlier."""
        one = self._of.get(key)
        return list(one.keys).index(key) if one is not None else 0

    def find(self, keys: Sequence[Key]) -> Identity | None:
        """By the strongest of `keys` that is known. A weaker one counts only where no stronger one says that it is somebody else: logins
        and addresses are given to new students when others leave.
        """
        for key in sorted(keys, key=lambda one: one.strength):
            found = self._of.get(key)
            if found is not None and not contradict(found.keys, keys, key.strength):
                return found
        return None

    def spelt_otherwise(self, key: Key) -> list[Key]:
        """Known names of uploads that are this one in another Unicode form."""
        return [one for one in self._same_folder.get(unicodedata.normalize("NFC", key.value), []) if one != key]

    def new(self, name: str) -> Identity:
        one = Identity(self.ids.new(name))
        self.all.append(one)
        return one

    def bind(self, identity: Identity, keys: Iterable[Key]) -> list[tuple[Key, Identity]]:
        """From now on `keys` are this identity's. The answer: those that were another's, and whose."""
        moved = []
        for key in keys:
            before = self._of.get(key)
            if before is identity:
                continue
            if before is not None:
                del before.keys[key]
                moved.append((key, before))
            identity.keys[key] = None
            self._of[key] = identity
            self._note_folder(key)
        return moved

    def text(self) -> str:
        """As it is kept. Lone surrogates of names that are no Unicode survive: the text is ASCII."""
        names = ("id", "called", "listed", "handed_in")
        students = [{name: getattr(one, name) for name in names} | {"keys": list(one.keys)} for one in self.all]
        lines = ",\n".join(f"  {json.dumps(student)}" for student in students)
        roster = json.dumps(self.had_roster)
        return f'{{"schema": "{SCHEMA}", "had_roster": {roster}, "students": [\n{lines}\n]}}\n'

    def _note_folder(self, key: Key) -> None:
        if key.kind == FOLDER:
            same = self._same_folder.setdefault(unicodedata.normalize("NFC", key.value), [])
            if key not in same:
                same.append(key)


def identities_in(text: str) -> Identities:
    """Raises DamagedError where the text is not what `text` writes, or where an id or a key would be two students'."""
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedError("it is damaged or cut off") from error
    schema = kept.get("schema") if isinstance(kept, dict) else None
    if schema != SCHEMA:
        raise DamagedError(f"it is not of the form {SCHEMA}: another version of Tilelab may have written it")
    try:
        identities = [_identity(one) for one in kept["students"]]
        book = Identities(identities, had_roster=bool(kept["had_roster"]), read=text)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError("a part of it is missing or is not what it must be") from error
    ids, keys = {one.id.casefold() for one in identities}, {key for one in identities for key in one.keys}
    if len(ids) < len(identities) or len(keys) < sum(len(one.keys) for one in identities):
        raise DamagedError("an id or a key in it is two students'")
    return book


def _identity(kept: Any) -> Identity:  # noqa: ANN401 -- whatever the file holds
    texts = [kept["id"], kept["called"], kept["listed"]]
    keys = [(kind, value) for kind, value in kept["keys"]]
    if not all(isinstance(one, str) for one in [*texts, *(part for key in keys for part in key)]):
        raise TypeError
    if not isinstance(kept["handed_in"], bool) or not SAFE.fullmatch(kept["id"]):
        raise ValueError
    return Identity(kept["id"], dict.fromkeys(Key(*key) for key in keys), texts[1], texts[2], kept["handed_in"])


# The file that keeps identities between batches: OUT/instructor/people/identities.json.
#
# It is written before any page of a batch, so that no page ever bears an id that nobody remembers. A file that cannot be understood is
# left as it is, and nothing is graded: guessed identities could give one student's grade to another.

_NAME = "identities.json"
_LARGEST = 256 << 20


@dataclass(frozen=True)
class IdentityFile:
    """`private`: the instructor's folder in OUT; it need not exist."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "people" / _NAME

    def read(self) -> Identities:
        """Where there is no file, ids follow from the records of earlier batches. Raises RemediableError."""
        text = self._text()
        if text is None:
            return self._of_records()
        try:
            return identities_in(text)
        except DamagedError as error:
            raise RemediableError(
                f"{self.path}: this says which student has which id, but {error}. Nothing was graded and nothing was changed. Put back "
                "an older copy of the file. If there is none, move it away: then ids are taken from the records of the last batch here."
            ) from error

    def write(self, book: Identities) -> None:
        """Raises RemediableError where the file cannot be written, or where another batch has written it since it was read."""
        if self._text() != book.read:
            raise RemediableError(
                f"{self.path}: another batch has written this since. Nothing was changed. Run the same command again."
            )
        try:
            write_atomically(self.path, book.text())
        except OSError as error:
            raise RemediableError(
                f"{self.path}: it cannot be kept which student has which id ({error.strerror}), so nothing was graded. Make room, or "
                "choose another OUT."
            ) from error

    def _text(self) -> str | None:
        try:
            if self.path.stat().st_size > _LARGEST:
                return "far too long"
            return self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RemediableError(
                f"{self.path}: this says which student has which id, and cannot be read ({error.strerror})."
            ) from error

    def _of_records(self) -> Identities:
        """Where no book was kept: of the students whom earlier batches graded here. Of one that cannot be read, the id alone is kept."""
        book = Identities()
        for path in sorted(self.private.glob("*.json")):
            if not SAFE.fullmatch(path.stem) or path.stem in book.ids:
                continue
            one = Identity(path.stem, handed_in=True)
            book.all.append(one)
            book.ids.take(one.id)
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                submission = json.loads(path.read_bytes())["result"]["submission"]
                keys = keys_of(Student.model_validate(submission.get("student", {})))
                one.handed_in = submission.get("handed_in", True) is not False
                keys += [Key(FOLDER, str(submission["name"]))] if one.handed_in else []
                book.bind(one, [key for key in keys if book.owner(key) is None])
        return book
