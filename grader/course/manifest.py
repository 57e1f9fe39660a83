"""`handout.json`: the files of a handout when it was packed. With it, an upgrade can tell a student's changes from our files.

It uses only the standard library: an upgrade has to work even where set-up failed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.model.errors import RemediableError

MANIFEST = "handout.json"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Manifest:
    version: str
    date: str  # of the last change to the course, as 2026-09-01
    files: Mapping[str, str]  # path to digest, without this file and VERSION
    starters: frozenset[str]  # the files that students edit

    @property
    def contents(self) -> str:
        """Twelve digits that change when any file changes."""
        return digest(json.dumps([self.version, sorted(self.files.items())]).encode())[:12]

    def __str__(self) -> str:
        return f"{self.version} of {self.date}, contents {self.contents}"

    def to_json(self) -> bytes:
        fields = {
            "version": self.version,
            "date": self.date,
            "starters": sorted(self.starters),
            "files": dict(sorted(self.files.items())),
        }
        return (json.dumps(fields, indent=1) + "\n").encode()

    @classmethod
    def from_json(cls, data: bytes, source: str) -> Manifest:
        """Raises RemediableError, which names `source`, where `data` is no manifest."""
        damaged = RemediableError(f"{source}: {MANIFEST} is damaged; get the handout again")
        try:
            fields = json.loads(data)
            files, starters = dict(fields["files"]), frozenset(fields["starters"])
            made = cls(fields["version"], fields["date"], files, starters)
        except (ValueError, KeyError, TypeError) as error:
            raise damaged from error
        if not all(isinstance(word, str) for word in (made.version, made.date, *files, *files.values(), *starters)):
            raise damaged
        if not all(map(_is_inside, made.files)):
            raise damaged
        return made


def _is_inside(path: str) -> bool:
    """Whether it names a file below the handout's folder, in one way only."""
    return (
        str(PurePosixPath(path)) == path
        and path[:1] not in {"", "/"}
        and not {".", "..", MANIFEST} & set(path.split("/"))
        and "\0" not in path
    )
