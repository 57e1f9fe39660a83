"""What the comparison of a lab's files found, kept in OUT: where no file has changed since, nothing is compared again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from grader.machine.atomic_file import write_atomically
from grader.similarity.similar_files import SimilarFiles, similar_files

_KEPT: TypeAdapter[tuple[str, SimilarFiles]] = TypeAdapter(tuple[str, SimilarFiles])
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class KeptPairs:
    """Those of one lab."""

    path: Path

    def similar(
        self, texts: Mapping[str, str], known: Sequence[str], teams: Mapping[str, str]
    ) -> tuple[str, SimilarFiles]:
        """A digest of all that it depends on, and what was found. `teams`: of students who may hand in one work. Raises OSError."""
        of = _digest(texts, known, teams)
        try:
            kept, found = _KEPT.validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            kept, found = "", SimilarFiles()
        if kept != of:
            found = similar_files(texts, known, _together(teams))
            write_atomically(self.path, _KEPT.dump_json((of, found)) + b"\n")
        return of, found


def _together(teams: Mapping[str, str]) -> Callable[[str, str], bool]:
    return lambda one, other: bool(teams.get(one)) and teams.get(one) == teams.get(other)


def _digest(texts: Mapping[str, str], known: Sequence[str], teams: Mapping[str, str]) -> str:
    """Of the files, and of the modules that compare them."""
    digest = hashlib.blake2b(digest_size=16)
    parts = [path.read_text(encoding="utf-8") for path in sorted(_HERE.glob("*.py"))]
    parts += [
        *known,
        "",
        *(part for student in sorted(texts) for part in (student, texts[student], teams.get(student, ""))),
    ]
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
