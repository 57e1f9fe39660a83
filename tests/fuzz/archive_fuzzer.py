"""Fuzzes intake: a class with one honest student beside uploads with odd names and damaged archives.

Whatever the others hand in: each upload is somebody's, the honest student's files are taken unchanged, nothing is written outside of
intake's own folder, and what is said can be shown on every page.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from archive_edits import Entry, odd_entries, packed_plainly, tarred, zipped
from document_edits import edited_bytes
from fuzzer import WrongError

from grader.model.graded_class import GradedClass
from grader.model.labs import Lab
from grader.model.outcome import unjudged
from grader.model.result import Environment
from grader.model.verdicts import Verdict
from grader.pages.pages import class_page, student_page
from grader.roll.batch.plugin import Export, Grades, registered
from grader.roll.intake.intake import Discovery, Intake, discover
from grader.roll.intake.upload import FILE_BYTES
from grader.roll.intake.upload_search import IntakeError
from grader.run.scoring.lab_score import JudgedStudent, decide_class, score_class
from grader.run.scoring.redaction import for_student, redacted

HONEST = "honest"
_NAMES = (
    b"bob", b"Bob", b"honest-2", b"honest (1)", b"\xff\xfe", b"a\nb", b"-rf", b"con", b"a b", b"x..y", "zoë".encode(), "zoe\u0301".encode(),
    "\u202ebob".encode(), b"x" * 240, b"$(id)", b"<b>", b"a,b", b"=1+1", b"'", b"\x1b[2J", "学生".encode(), b"\xed\xa0\x80",
)  # fmt: skip
_SUFFIXES = (b".zip", b".tar", b".tar.gz", b".tgz", b".ZIP", b".rar", b".tar.xz")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ENVIRONMENT = Environment(kit="0", compiler="g++", sandbox="none", date="2026-09-01")


@dataclass(frozen=True)
class ArchiveFuzzer:
    labs: tuple[Lab, ...]
    files: dict[str, bytes] = field(hash=False)  # what the honest student hands in
    name: str = "archives"
    seconds: float = 20

    def make(self, chance: random.Random, folder: Path) -> None:
        honest = [Entry(f"{HONEST}/{name}", data) for name, data in self.files.items()]
        whole = (
            chance.random() < 0.3
        )  # one archive of everybody, as course systems give to instructors; itself undamaged
        uploads = {
            self._upload_name(chance, whole=whole): self._archive(chance) for _ in range(chance.choice((1, 1, 2, 3)))
        }
        if whole:
            hostile = [Entry(os.fsdecode(name), data) for name, data in uploads.items()]
            (folder / "class.zip").write_bytes(packed_plainly([*honest, *hostile], tar=chance.random() < 0.5))
        else:
            for entry in honest:
                _write(folder / "class" / entry.name, entry.data)
            for name, data in uploads.items():
                place = folder / "class" / os.fsdecode(name)
                _write(place if name.endswith(_SUFFIXES) else place / self._file_name(chance), data)
        expected = {"whole": whole, "uploads": 1 + len(uploads)}
        (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")

    def _upload_name(self, chance: random.Random, *, whole: bool) -> bytes:
        """An archive's, or a folder's. In an archive of everybody it is Unicode."""
        name = chance.choice(_NAMES)
        name = name.decode("utf-8", "replace").encode() if whole else name
        return name + (chance.choice(_SUFFIXES) if whole or chance.random() < 0.8 else b"")

    def _file_name(self, chance: random.Random) -> str:
        return os.fsdecode(chance.choice((b"x.zip", b"\xff.cu", b"a\nb.cu", *map(str.encode, self.files))))

    def _archive(self, chance: random.Random) -> bytes:
        entries = odd_entries(chance, self.files)
        if chance.random() < 0.1:
            entries.append(Entry("inner.zip", zipped(entries, chance)))
        data = (zipped if chance.random() < 0.5 else tarred)(entries, chance)
        return edited_bytes(data, chance, chance.choice((0, 0, 1, 2, 4, 30)))

    def check(self, folder: Path) -> str:
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        source = folder / ("class.zip" if expected["whole"] else "class")
        scratch = folder / "scratch"
        before = sorted(_tree(folder))
        try:
            found = discover(source, scratch, list(self.files))
        except IntakeError as refusal:
            message = f"the whole class was refused: {refusal}"
            raise WrongError(message) from refusal
        finally:
            if before != sorted(path for path in _tree(folder) if not path.startswith(b"scratch")):
                message = "intake wrote outside of its own folder"
                raise WrongError(message)
            _check_scratch(scratch)
        self._check_students(found, expected["uploads"])
        self._check_pages(found)
        others = [one for one in found.students if one.submission.id != HONEST]
        shutil.rmtree(scratch, ignore_errors=True)
        return "all refused" if all(one.submission.refused for one in others) else "some taken"

    def _check_students(self, found: Discovery, uploads: int) -> None:
        ids = [one.submission.id for one in found.students]
        if len(ids) != uploads:
            message = f"{uploads} uploads became {len(ids)} students: {ids}"
            raise WrongError(message)
        if len({one.casefold() for one in ids}) != len(ids) or not all(map(_ID.fullmatch, ids)):
            message = f"ids are not unique or no safe folder names: {ids}"
            raise WrongError(message)
        taken = {one.submission.id: one for one in found.students}
        honest = taken.get(HONEST)
        if honest is None or {name: path.read_bytes() for name, path in honest.sources.items()} != self.files:
            message = f"the honest student's files were not taken as they are: {honest}"
            raise WrongError(message)
        for one in found.students:
            _check_sources(one, set(self.files))

    def _check_pages(self, found: Discovery) -> None:
        """Raises whatever a page raises."""
        students = [
            JudgedStudent(
                one.submission, {lab.id: unjudged(lab.id, Verdict.REJECTED, _reason(one)) for lab in self.labs}
            )
            for one in found.students
        ]
        results = score_class(students, self.labs, _ENVIRONMENT, decide_class(students, self.labs))
        graded = GradedClass(found.title, tuple(lab.id for lab in self.labs), tuple(results), found.notices)
        texts = [one.submission.model_dump_json() for one in found.students]
        texts += [
            str(contents)
            for export in registered(Export)
            for contents in export.made(Grades(redacted(graded), graded.title))[0].values()
        ]
        texts.append(class_page(results, course=found.title, notes=found.notices))
        for result, one in zip(results, found.students, strict=True):
            if result.submission.id != HONEST:
                texts.append(student_page(for_student(result), sources=one.texts()))
        for text in texts:
            text.encode()


def _reason(one: Intake) -> str:
    return " ".join([one.submission.refused or "", *one.blocked.values(), *one.hints.values(), *one.submission.notices])


def _check_sources(one: Intake, wanted: set[str]) -> None:
    for name, path in one.sources.items():
        if name not in wanted or path.name != name or not path.is_file() or path.is_symlink():
            message = f"{one.submission.id}: took {name!r} as {path}"
            raise WrongError(message)
        if path.stat().st_size > 2 * FILE_BYTES:
            message = f"{one.submission.id}: {name} has {path.stat().st_size} bytes"
            raise WrongError(message)


def _check_scratch(scratch: Path) -> None:
    for path in scratch.rglob("*") if scratch.exists() else ():
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            message = f"intake made {path.name!r}, which is neither a file nor a folder"
            raise WrongError(message)


def _tree(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*"):
        yield os.fsencode(path.relative_to(folder))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
