"""Blackboard's "Assignment File Download": `Lab 2_jdoe_attempt_2026-11-20-10-11-12_lab.cu`, and a receipt for each attempt (`…-12.txt`).

The receipt tells the login, the name, and what each file was called before Blackboard cut its name. What students typed stands in the
receipt too: it is believed only about files of the same attempt. Times are the server's, without a zone. Pure.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from grader.model.result import Student
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Stored, Upload, clashes
from grader.roll.platforms.download_names import ClassFiles, Export, read_names, strange, unclear_notices

_MARK = re.compile(r"_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?=_|\.txt$|$)")
# A receipt holds what students typed. So each expression looks at a line only a few times, and blanks are removed afterwards.
# Labels are in the language of the site.
_NAME = re.compile(r"[^:\uff1a]{1,40}[:\uff1a](?P<name>.*) \((?P<login>[^()]+)\)")
_LINE = re.compile(r"[ \t]*[^:\uff1a\s][^:\uff1a]{0,80}[:\uff1a](?P<value>.*)")
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
    is_folder: bool


@dataclass
class _Attempt:
    name: str = ""
    login: str = ""
    originals: dict[str, str] = field(default_factory=dict)  # by the name in the download
    text: str = ""
    files: list[tuple[str, str]] = field(default_factory=list)  # the name in the download, and the student's own


def blackboard_download(files: ClassFiles) -> Export | None:
    read = read_names(files.tops, lambda name: _read(name, is_folder=files.tops[name].is_folder))
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = sorted(name for name, one in told.items() if not one.clear)
    told = {name: one for name, one in told.items() if one.clear}
    attempts: dict[tuple[str, str], _Attempt] = {}
    for name, one in sorted(told.items()):
        attempt = attempts.setdefault((one.head, one.at), _Attempt())
        if one.file or one.is_folder:
            attempt.files.append((name, one.file))
        else:
            _take_receipt(attempt, name, one.head, files.text(name, _RECEIPT_BYTES) or "")
    _add_logins(attempts)
    uploads = [
        _upload(files, at, one)
        for (_, at), one in sorted(attempts.items(), key=lambda item: (item[1].login, item[0][1]))
    ]
    notices = unclear_notices(unclear)
    if not any(one.name for one in attempts.values()):
        notices.append("no receipt (….txt) that tells a login is there: logins are what the names do not share")
    seen = tuple(_with_counts(uploads))
    return Export("Blackboard", seen, tuple(notices), tuple(others), tuple(strange(files, others)), local_times=True)


def _read(name: str, *, is_folder: bool) -> _BlackboardName | None:
    """A folder is what somebody has unpacked: of one attempt, or of one archive in it."""
    marks = list(_MARK.finditer(name))
    if not marks or (not is_folder and marks[0].end() == len(name)):
        return None
    rest = name[marks[0].end() :] or "_"
    file = "" if rest == ".txt" else rest[1:]
    return _BlackboardName(name[: marks[0].start()], marks[0]["at"], file, len(marks) == 1, is_folder)


def _take_receipt(attempt: _Attempt, name: str, head: str, text: str) -> None:
    """The first line is Blackboard's. Its login counts only if the file's name has it too."""
    first = text.lstrip().split("\n", 1)[0].strip()
    told = _NAME.fullmatch(first)
    if told is not None and (head == told["login"] or head.endswith(f"_{told['login']}")):
        attempt.name, attempt.login = told["name"].strip(), told["login"]
    attempt.originals = dict(_originals(text, f"{name.removesuffix('.txt')}_"))
    typed = _typed(text)
    if typed.strip() != _NO_TEXT:
        attempt.text = online_text(typed)


def _originals(text: str, prefix: str) -> Iterator[tuple[str, str]]:
    """What each file is called in the download, and what it was called before: one line tells the one, the line before it the other."""
    before = ""
    for line in text.splitlines():
        found = _LINE.match(line)
        value = found["value"].strip() if found else ""
        if before and value.startswith(prefix):
            yield value, before
        before = value


def _typed(text: str) -> str:
    """What stands in the first text field. Empty: there is none."""
    begin = _TEXT_BEGIN.search(text)
    end = _TEXT_END.search(text, begin.end()) if begin else None
    if begin:
        return text[begin.end() : end.start()] if end else ""
    # In another language: below the first heading after an empty line, down to the heading of the comments. Files come last, indented.
    lines = text.splitlines()
    heads = [
        at
        for at, line in enumerate(lines)
        if at and not lines[at - 1].strip() and line.rstrip().endswith((":", "\uff1a"))
    ]
    behind = 2 if heads and any(line.startswith("\t") for line in lines[heads[-1] :]) else 1
    return "\n".join(lines[heads[0] + 1 : heads[-behind]]) if len(heads) > behind else ""


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
    refused = None
    for name, own in attempt.files:
        top = files.tops[name]
        refused = refused or top.refused
        original = attempt.originals.get(name, own).replace("\\", "/").rsplit("/", 1)[-1] or own
        around = (original,) if original else ()
        found += [Stored((*around, *one.path), one.size, one.at) for one in top.contents.files]
        downloaded.append(name)
    twice = clashes(one.path for one in found)
    return Upload(
        attempt.login,
        Contents(tuple(found)),
        refused or (twice[0].reason if twice else None),
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
