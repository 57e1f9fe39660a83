"""comments.toml: what the instructor writes once to all students who made the same mistake. Tilelab adds entries and changes none.

An entry is `[[comment]]` with a cluster's `key` and the `text`. An empty text says nothing to anybody. A file that cannot be read
stops a batch before it begins: a comment that somebody wrote must not vanish from pages without a word.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.machine.atomic_file import write_atomically
from grader.model.class_insight import LabMistakes, Mistake
from grader.model.errors import RemediableError

_LARGEST = 4 << 20
_HEAD = """\
# One comment for all who made the same mistake. Write it into `text`, and run `make pages` with the OUT of this class: then it stands on
# the page of each of them. A grading puts it there as well.
# A text may have several lines, between \"\"\" and \"\"\", and `code` between backticks. An empty text says nothing.
# Tilelab adds new mistakes at the end and changes no line. Keys stay the same from week to week.
"""


class CommentsError(RemediableError):
    """The file cannot be used. The text says where, and what to do."""


class _Comment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    key: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=8000)


class _Comments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    comment: tuple[_Comment, ...] = Field(default=(), strict=False)


@dataclass(frozen=True)
class CommentsFile:
    path: Path

    def read(self) -> Mapping[str, str]:
        """Each text by its key, also the empty ones. Raises CommentsError."""
        return self._parsed(self._text())

    def _text(self) -> str:
        try:
            large = self.path.stat().st_size > _LARGEST
            text = "" if large else self.path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            what = "it is no UTF-8 text"
            raise self._unusable(what) from error
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        if large:
            what = "it is far too large"
            raise self._unusable(what)
        return text

    def _parsed(self, text: str) -> Mapping[str, str]:
        try:
            comments = _Comments.model_validate(tomllib.loads(text)).comment
        except tomllib.TOMLDecodeError as error:
            raise self._unusable(str(error)) from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(one) for one in first["loc"])
            what = f"{place}: {first['msg']}"
            raise self._unusable(what) from error
        found: dict[str, str] = {}
        for one in comments:
            if one.text.strip() and found.get(one.key, "").strip():
                what = f"two comments have the key {one.key!r}"
                raise self._unusable(what)
            found[one.key] = found.get(one.key, "").strip() or one.text.strip()
        return found

    def add(self, labs: Sequence[LabMistakes]) -> None:
        """An empty entry for each mistake that has none yet, after all that is there. Raises OSError or CommentsError."""
        text = self._text()  # anew: somebody may have written into it while the batch ran
        known = self._parsed(text)
        new = [one for lab in labs for one in lab.mistakes if one.key not in known]
        if new:
            write_atomically(self.path, (text.rstrip("\n") + "\n" if text else _HEAD) + "".join(_entries(new)))

    def _unusable(self, what: str) -> CommentsError:
        return CommentsError(
            f"{self.path}: {what}. Correct it, or move the file away: then the comments in it are not on any page."
        )


def _entries(mistakes: Iterable[Mistake]) -> Iterable[str]:
    for one in mistakes:
        what = f"{one.verdict.facts.label}: {one.title}" if one.title != one.verdict.facts.label else one.title
        lines = [
            what,
            *([f"behaves like {one.like}"] if one.like else []),
            *(
                ["shown by hidden cases alone: students see no comment on what such a case withholds"]
                if one.hidden
                else []
            ),
        ]
        told = "".join(f"# {_plain(line)}\n" for line in lines)
        yield f'\n{told}[[comment]]\nkey = "{one.key}"\ntext = ""\n'


def _plain(text: str) -> str:
    """On one line, without what TOML forbids in a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]
