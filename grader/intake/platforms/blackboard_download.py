"""Blackboard's "Assignment File Download": `Lab 2_jdoe_attempt_2026-11-20-10-11-12_lab.cu`, and a receipt for each attempt (`…-12.txt`).

The receipt tells the login, the name, and what each file was called before Blackboard cut its name. What students typed stands in the
receipt too: it is believed only about files of the same attempt. Times are the server's, without a zone. Pure.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from grader.intake.platforms.flat_names import only_files, read_names, strange, unclear_notices
from grader.intake.uploads.class_files import ClassFiles, Export
from grader.intake.uploads.online_text import online_text
from grader.intake.uploads.upload import Contents, Stored, Upload, clashes
from grader.model.result import Student

_MARK = re.compile(r"_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?=_|\.txt$)")
# A receipt holds what students typed. So each expression looks at a line only a few times, and blanks are removed afterwards.
_NAME = re.compile(r"Name:(?P<name>.*) \((?P<login>[^()]+)\)")
_FILES = re.compile(
    r"^[ \t]*Original filename:(?P<original>[^\r\n]*)\r?\n[ \t]*Filename:(?P<archived>[^\r\n]*)", re.MULTILINE
)
_TEXT_BEGIN = re.compile(r"^Submission Field:[ \t]*\r?\n", re.MULTILINE)
_TEXT_END = re.compile(r"^(?:Comments|Files):[ \t]*\r?$", re.MULTILINE)
_NO_TEXT = "There is no student submission text data for this assignment."
_RECEIPT_BYTES = 1 << 20


@dataclass(frozen=True)
class _BlackboardName:
    head: str  # the assignment's name and the login; both may hold underscores
    at: str
    file: str  # empty: a receipt
    clear: bool


@dataclass
class _Attempt:
    name: str = ""
    login: str = ""
    originals: dict[str, str] = field(default_factory=dict)  # by the name in the download
    text: str = ""
    files: list[tuple[str, str]] = field(default_factory=list)  # the name in the download, and the student's own


def blackboard_download(files: ClassFiles) -> Export | None:
    read = read_names(only_files(files), _read)
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = sorted(name for name, one in told.items() if not one.clear)
    told = {name: one for name, one in told.items() if one.clear}
    attempts: dict[tuple[str, str], _Attempt] = {}
    for name, one in sorted(told.items()):
        attempt = attempts.setdefault((one.head, one.at), _Attempt())
        if one.file:
            attempt.files.append((name, one.file))
        else:
            _take_receipt(attempt, name, one.head, files.text(name, _RECEIPT_BYTES) or "")
    _add_logins(attempts)
    uploads = [
        _upload(files, at, one)
        for (_, at), one in sorted(attempts.items(), key=lambda item: (item[1].login, item[0][1]))
    ]
    notices = tuple(unclear_notices(unclear))
    seen = tuple(_with_counts(uploads))
    return Export("Blackboard", seen, notices, tuple(others), tuple(strange(files, others)), local_times=True)


def _read(name: str) -> _BlackboardName | None:
    marks = list(_MARK.finditer(name))
    if not marks:
        return None
    rest = name[marks[0].end() :]
    return _BlackboardName(
        name[: marks[0].start()], marks[0]["at"], "" if rest == ".txt" else rest[1:], len(marks) == 1
    )


def _take_receipt(attempt: _Attempt, name: str, head: str, text: str) -> None:
    """The first line is Blackboard's. Its login counts only if the file's name has it too."""
    first = text.lstrip().split("\n", 1)[0].strip()
    told = _NAME.fullmatch(first)
    if told is not None and (head == told["login"] or head.endswith(f"_{told['login']}")):
        attempt.name, attempt.login = told["name"].strip(), told["login"]
    prefix = f"{name.removesuffix('.txt')}_"
    attempt.originals = {
        one["archived"].strip(): one["original"].strip()
        for one in _FILES.finditer(text)
        if one["archived"].strip().startswith(prefix)
    }
    typed = _typed(text)
    if typed.strip() != _NO_TEXT:
        attempt.text = online_text(typed)


def _typed(text: str) -> str:
    """What stands in the first text field. Empty: there is none."""
    begin = _TEXT_BEGIN.search(text)
    end = _TEXT_END.search(text, begin.end()) if begin else None
    return text[begin.end() : end.start()] if begin and end else ""


def _add_logins(attempts: Mapping[tuple[str, str], _Attempt]) -> None:
    """Where receipts do not tell: what all names have in common is the assignment's."""
    known = {head: one.login for (head, _), one in attempts.items() if one.login}
    heads = {head for head, _ in attempts}
    common = os.path.commonprefix(sorted(heads)) if len(heads) > 1 else next(iter(heads), "")  # noqa: RUF071 - letters are compared
    if known:
        common = next(head.removesuffix(login) for head, login in known.items())
    for (head, _), one in attempts.items():
        if not one.login:
            plain = head.removeprefix(common) if known and head.startswith(common) else head[common.rfind("_") + 1 :]
            one.login = known.get(head, plain)


def _upload(files: ClassFiles, at: str, attempt: _Attempt) -> Upload:
    found, downloaded = [], []
    for name, own in attempt.files:
        stored = files.tops[name].file
        assert stored is not None
        original = attempt.originals.get(name, own).replace("\\", "/").rsplit("/", 1)[-1] or own
        found.append(Stored((original,), stored.size, stored.at))
        downloaded.append(name)
    twice = clashes(one.path for one in found)
    return Upload(
        attempt.login,
        Contents(tuple(found)),
        twice[0].reason if twice else None,
        owners=(Student(name=attempt.name, login=attempt.login),),
        at=_time(files, at),
        downloaded=tuple(downloaded),
        text=attempt.text,
    )


def _time(files: ClassFiles, at: str) -> datetime | None:
    try:
        return files.local(datetime.strptime(at, "%Y-%m-%d-%H-%M-%S"))  # noqa: DTZ007 -- the zone is added
    except ValueError:
        return None


def _with_counts(uploads: list[Upload]) -> list[Upload]:
    """In the order of their times, which the names have to the second."""
    counts: dict[str, int] = {}
    numbered = []
    for one in uploads:
        counts[one.name] = counts.get(one.name, 0) + 1
        numbered.append(replace(one, attempt=counts[one.name]))
    return numbered
