"""PrairieLearn's zips of files: `ada@example.org_1_cuda/tiled_2_3_98765_lab.cu` in `all_files.zip` and its like, and without the numbers
of assessment, variant and attempt in `files_for_manual_grading.zip`.

The question's name may hold a slash. Attempts are counted for each question alone. Of a group, its name stands in front. See
instructorAssessmentDownloads.sql of PrairieLearn. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.model.result import Student
from grader.roll.intake.upload import Contents, Stored, Upload
from grader.roll.platforms.download_names import PAGES, ClassFiles, Export, is_submission

_UID = r"(?P<uid>[^@/\s]+@[A-Za-z0-9.-]+|[A-Za-z0-9-]+)"
_ALL = re.compile(
    rf"{_UID}_(?P<instance>\d+)_(?P<question>[^\s].*?)_(?P<variant>\d+)_(?P<count>\d+)_(?P<id>\d+)_(?P<file>.+)\Z",
    re.DOTALL,  # a file's name may hold a newline
)
_MANUAL = re.compile(
    r"(?P<uid>[^@/\s]+@[A-Za-z0-9.-]+)_(?P<uin>[A-Za-z0-9-]*)_(?P<question>[^\s].*?)_(?P<id>\d+)_(?P<file>.+)\Z",
    re.DOTALL,
)


@dataclass(frozen=True)
class _File:
    uid: str
    uin: str
    question: str
    id: int  # of the submission; a later one has a larger one
    file: str
    stored: Stored
    name: str


def prairielearn_files(files: ClassFiles) -> Export | None:
    found: list[_File] = []
    others: list[str] = []
    for pattern in (_ALL, _MANUAL):
        found, others = _read(files, pattern)
        if len(found) > len(others) and (pattern is _MANUAL or any("@" in one.uid for one in found) or not others):
            break
    else:
        return None
    questions = sorted({one.question for one in found})
    attempts: dict[tuple[str, str, int], list[_File]] = {}
    for one in found:
        attempts.setdefault((one.uid, one.question, one.id), []).append(one)
    uploads = []
    counts: dict[tuple[str, str], int] = {}
    for (uid, question, _), some in sorted(attempts.items(), key=lambda item: item[0]):
        counts[uid, question] = counts.get((uid, question), 0) + 1
        uploads.append(replace(_upload(some), download=questions.index(question), attempt=counts[uid, question]))
    tops = [name for name in files.tops if name in others]
    odd = tuple(name for name in tops if is_submission(files.tops[name], files.wanted))
    return Export("PrairieLearn", tuple(uploads), ignored=tuple(tops), strange=odd)


def _read(files: ClassFiles, pattern: re.Pattern[str]) -> tuple[list[_File], list[str]]:
    """Of folders, those that a slash in a question's name makes."""
    found, others = [], []
    for top, name, stored in _names(files):
        one = pattern.fullmatch(name)
        if one is not None:
            uin = one["uin"] if pattern is _MANUAL and one["uin"] != "null" else ""
            found.append(
                _File(
                    one["uid"], uin, one["question"], int(one["id"][:18]), one["file"].rsplit("/", 1)[-1], stored, name
                )
            )
        elif top.casefold() not in PAGES:
            others.append(top)
    return found, list(dict.fromkeys(others))


def _names(files: ClassFiles) -> Iterator[tuple[str, str, Stored]]:
    for name, top in files.tops.items():
        for file in top.contents.files:
            yield name, "/".join((name, *file.path)), file


def _upload(some: list[_File]) -> Upload:
    one = some[0]
    files = tuple(Stored((each.file,), each.stored.size, each.stored.at) for each in some)
    is_person = "@" in one.uid
    owner = (
        Student(number=one.uin, email=one.uid, platform_ids={"PrairieLearn": one.uid})
        if is_person
        else Student(name=one.uid)
    )
    return Upload(one.uid, Contents(files), owners=(owner,), downloaded=tuple(each.name for each in some))
