"""Students' keys and ids, and who has which id for good: the book of identities, which is kept from batch to batch in a file of OUT.

An id that was given once stays with the keys it was given for. It is never given to anybody else, also where its student is not in a
batch, has left, or where two identities turned out to be one student.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.model.written_names import plain_letters
from grader.system.own_files import write_atomically

# What tells students apart: a platform's id, the university's number, the login, the e-mail address, the name of the upload. Pure.
#
# Names of people are no keys: two students may have the same one, and students change theirs.

NUMBER, LOGIN, EMAIL = "number", "login", "e-mail"
ACCOUNT = "GitHub Classroom"  # the platform's own id there
FOLDER = "upload"  # the exact name of an upload of which nothing else is known
ROSTER = "roster"  # of a row whose own keys are another student's at the moment
_WEAKER = {NUMBER: 1, LOGIN: 2, EMAIL: 3, FOLDER: 4, ROSTER: 5}  # a platform's own id is the strongest: 0
# One student has several: Moodle numbers participants anew in each assignment.
_CHANGES = frozenset({"Moodle", FOLDER, ROSTER})


class Key(NamedTuple):
    kind: str  # one of the above, or a platform's name
    value: str

    @property
    def strength(self) -> int:
        """The smaller, the stronger."""
        return _WEAKER.get(self.kind, 0)

    @property
    def changes(self) -> bool:
        """Whether one student has several of this kind."""
        return self.kind in _CHANGES

    def __str__(self) -> str:
        value = self.value.partition("\0")[0]
        return f"{self.kind} {value[:60]!r}"


def keys_of(student: Student) -> list[Key]:
    """The strongest first."""
    keys = [Key(platform, plain(value)) for platform, value in student.platform_ids.items()]
    keys += [Key(NUMBER, plain(student.number)), Key(LOGIN, plain(student.login)), Key(EMAIL, plain(student.email))]
    return [key for key in keys if key.value]


def plain(value: str) -> str:
    """As a key: case and Unicode's forms do not count."""
    return unicodedata.normalize("NFC", value.strip()).casefold()


def contradict(one: Iterable[Key], other: Iterable[Key], below: int = len(_WEAKER) + 1) -> bool:
    """Whether some kind stronger than `below` says that these are two people: both have a value of it, and none in common."""
    left, right = _by_kind(one), _by_kind(other)
    both = [kind for kind in left.keys() & right.keys() - _CHANGES if Key(kind, "").strength < below]
    return any(left[kind].isdisjoint(right[kind]) for kind in both)


def numbered(keys: Sequence[Key]) -> list[Key]:
    """The same keys, with a mark at each that has occurred before: nobody's own key holds a NUL."""
    seen: dict[Key, int] = {}
    marked = []
    for key in keys:
        seen[key] = count = seen.get(key, 0) + 1
        marked.append(key if count == 1 else Key(key.kind, f"{key.value}\0{count}"))
    return marked


def _by_kind(keys: Iterable[Key]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for kind, value in keys:
        kinds.setdefault(kind, set()).add(value)
    return kinds


# Ids of students: safe as a folder's name, and unique in any case.

_LENGTH = 60
# Names that Windows reserves, with or without a suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def id_form(name: str) -> str:
    """An id made from `name` alone: ASCII letters, digits and `-_.`."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", plain_letters(name))[:_LENGTH].strip("-._")
    if not slug:
        slug = "student-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug}-student" if _RESERVED.fullmatch(slug) else slug


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
        self._used = {one.id.casefold() for one in self.all}
        self._next: dict[str, int] = {}
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

    def __contains__(self, student_id: str) -> bool:
        return student_id.casefold() in self._used

    def add(self, one: Identity) -> Identity:
        self.all.append(one)
        self._used.add(one.id.casefold())
        return one

    def new(self, name: str) -> Identity:
        """Its id is the id form of `name`, with the next free number where that is in use: none is ever given twice."""
        form = id_form(name)
        key, candidate = form.casefold(), form
        while candidate in self:
            self._next[key] = number = self._next.get(key, 1) + 1
            candidate = f"{form}-{number}"
        return self.add(Identity(candidate))

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
            if not SAFE.fullmatch(path.stem) or path.stem in book:
                continue
            one = book.add(Identity(path.stem, handed_in=True))
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                submission = json.loads(path.read_bytes())["result"]["submission"]
                keys = keys_of(Student.model_validate(submission.get("student", {})))
                one.handed_in = submission.get("handed_in", True) is not False
                keys += [Key(FOLDER, str(submission["name"]))] if one.handed_in else []
                book.bind(one, [key for key in keys if book.owner(key) is None])
        return book
