"""Fuzzes what platforms let instructors download: an honest student beside others who choose their own names and their files' names.

Whatever those choose: the download is recognised or refused with a reason, the honest student's files are taken unchanged under the
honest student's own id, nobody else gets that id, and nobody gets more rows than there are students.
"""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzzer import WrongError

from grader.roll.intake.intake import Discovery, discover
from grader.roll.intake.upload_search import IntakeError

_HONEST = 500  # the honest student's number
_WORDS = (
    "x", "honest", "500", "_500_", "_500_9_", "500-7", " - ", "Nov 20, 2026 1011 AM", "_attempt_2026-12-31-00-00-00", "_LATE_", "_late",
    "_assignsubmission_file_", "_assignsubmission_onlinetext_", "h@x.edu", "_1_", "submission_metadata.yml", "index.html", ".zip", ".7z",
    "(1)", "\u202e", "\u0301", "é", "张", "'", '"', "<b>", "$(id)", ";", "#", "&", "%00", "\t", "..", "~", "-", ".", ",", ".git",
    "old", "build",
)  # fmt: skip


@dataclass(frozen=True)
class DownloadFuzzer:
    files: dict[str, bytes] = field(hash=False)  # what the honest student hands in
    name: str = "downloads"
    seconds: float = 20

    def make(self, chance: random.Random, folder: Path) -> None:
        layout = chance.choice(list(_LAYOUTS))
        tree: dict[str, bytes] = {}
        for name, data in self.files.items():
            tree |= _LAYOUTS[layout](_HONEST, "honest", name, data)
        others = chance.randint(1, 3)
        for number in range(others):
            person = _words(chance, 3)
            for _ in range(chance.randint(1, 3)):
                own = chance.choice(
                    (*self.files, _words(chance, 4), _words(chance, 2) + chance.choice(list(self.files)))
                )
                data = chance.choice((b"", b"PK\x03\x04", b"int other;\n", chance.randbytes(40)))
                tree |= _LAYOUTS[layout](_HONEST + 1 + number, person, own, data)
        if layout == "Gradescope":
            tree["submission_metadata.yml"] = _metadata([_HONEST + number for number in range(others + 1)])
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path in sorted(tree):
                archive.writestr(path, tree[path])
        (folder / "download.zip").write_bytes(buffer.getvalue())
        expected = {"layout": layout, "students": others + 1}
        (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")

    def check(self, folder: Path) -> str:
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        scratch = folder / "scratch"
        try:
            found = discover(folder / "download.zip", scratch, list(self.files))
        except IntakeError as refusal:
            message = f"{expected['layout']}: the whole class was refused: {refusal}"
            raise WrongError(message) from refusal
        finally:
            left = [path for path in folder.rglob("*") if path.is_symlink()]
            if left:
                message = f"intake made a link: {left[0]}"
                raise WrongError(message)
        self._check(found, expected["layout"], expected["students"])
        shutil.rmtree(scratch, ignore_errors=True)
        return str(expected["layout"])

    def _check(self, found: Discovery, layout: str, students: int) -> None:
        if not any(layout in notice for notice in found.notices):
            message = f"{layout} was not recognised: {found.notices}"
            raise WrongError(message)
        if len(found.students) > students:
            message = f"{layout}: {students} students became {len(found.students)}"
            raise WrongError(message)
        ours = [one for one in found.students if _key(layout, _HONEST) in _keys(one.submission.student.model_dump())]
        if len(ours) != 1 or {name: path.read_bytes() for name, path in ours[0].sources.items()} != self.files:
            message = f"{layout}: the honest student's files were not taken as they are: {ours}"
            raise WrongError(message)
        json.dumps([one.submission.model_dump() for one in found.students]).encode()


def _words(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(_WORDS) for _ in range(chance.randint(1, most)))


def _plain(text: str) -> str:
    """As every platform stores a name: without slashes and control characters, and not empty."""
    return re.sub(r"[/\\\x00-\x1f]", "", text).strip(" .") or "x"


def _canvas(number: int, person: str, file: str, data: bytes) -> dict[str, bytes]:
    name = re.sub(r"_(\d+)_", r"\1", person)
    name = re.sub(r"\W", "", name).lower() or "x"
    return {f"{name}_{number}_{90_000 + number}_{_plain(file)}": data}


def _moodle(number: int, person: str, file: str, data: bytes) -> dict[str, bytes]:
    return {f"{_plain(person.replace('_', ' '))}_{number}_assignsubmission_file/{_plain(file)}": data}


def _blackboard(number: int, person: str, file: str, data: bytes) -> dict[str, bytes]:
    base = f"Lab 1_u{number}_attempt_2026-11-20-10-11-12"
    files = f"Files:\n\tOriginal filename: {file}\n\tFilename: {base}_{file}\n"
    receipt = f"Name: {_plain(person)} (u{number})\nSubmission Field:\n{person}\n{files}"
    return {f"{base}_{_plain(file)}": data, f"{base}.txt": receipt.encode()}


def _brightspace(number: int, person: str, file: str, data: bytes) -> dict[str, bytes]:
    return {f"{number}-88204 - {_plain(person)} - Nov 20, 2026 1011 AM/{_plain(file)}": data}


def _gradescope(number: int, _: str, file: str, data: bytes) -> dict[str, bytes]:
    return {f"submission_{number}/{_plain(file)}": data}


def _prairielearn(number: int, _: str, file: str, data: bytes) -> dict[str, bytes]:
    return {f"u{number}@x.edu_1_lab_1_1_{number}_{_plain(file)}": data}


def _metadata(numbers: list[int]) -> bytes:
    return "".join(f"submission_{one}:\n  :submitters:\n  - :name: N\n    :sid: '{one}'\n" for one in numbers).encode()


_LAYOUTS: dict[str, Callable[[int, str, str, bytes], dict[str, bytes]]] = {
    "Canvas": _canvas,
    "Moodle": _moodle,
    "Blackboard": _blackboard,
    "Brightspace": _brightspace,
    "Gradescope": _gradescope,
    "PrairieLearn": _prairielearn,
}


def _key(layout: str, number: int) -> str:
    return {"Blackboard": f"u{number}", "PrairieLearn": f"u{number}@x.edu"}.get(layout, str(number))


def _keys(student: dict[str, object]) -> set[object]:
    ids = student["platform_ids"]
    return {student["login"], student["number"], student["email"], *(ids.values() if isinstance(ids, dict) else ())}
