"""Downloads of Moodle, Brightspace, Blackboard and Sakai: folders, or files side by side, that are called like their students.

Nothing is written, and of files only what the platform itself has written is read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from grader.model.result import Student
from grader.model.written_names import exact_form
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Stored, stored_bytes
from grader.roll.platforms.download_names import ClassFiles, Export, Part, Parts, Top, parts_in, written_date

_TEXT_BYTES = 1 << 20

# Moodle's "Download all submissions": `Ada Lovelace_700001_assignsubmission_file/…`, in folders or side by side.
#
# A student's files and what this student typed into the text field (`…_assignsubmission_onlinetext`) belong together. Moodle writes no
# underscore into the name. Of a team it writes the team's name and number. See mod/assign/classes/downloader.php of Moodle.

_MOODLE = re.compile(r"(?:_(?P<id>\d+))?_assignsubmission_(?P<part>[a-z]+)(?=_|$)")


def moodle_download(files: ClassFiles) -> Export | None:
    parts = parts_in(files, _moodle)
    if parts is None:
        return None
    uploads = parts.uploads()
    if len({one.owners[0].name for one in uploads}) == 1 < len(uploads):  # it hides names: all are "Participant"
        hidden = (one.owners[0].model_copy(update={"name": ""}) for one in uploads)
        uploads = [replace(one, owners=(owner,)) for one, owner in zip(uploads, hidden, strict=True)]
    return parts.export("Moodle", uploads)


def _moodle(top: Top) -> Part | None:
    marks = list(_MOODLE.finditer(top.name))
    if not marks:
        return None
    shown, number, rest = top.name[: marks[0].start()], marks[0]["id"] or "", top.name[marks[0].end() + 1 :]
    part = Part(
        (number, "" if number else shown),  # without a number: the default team
        Student(name=shown, platform_ids={"Moodle": number} if number else {}),
        f"{shown} {number}".strip(),
        is_clear=len(marks) == 1,
    )
    if marks[0]["part"] == "onlinetext":
        pages = [one for one in top.contents.files if not one.path or one.path[-1].endswith("onlinetext.html")]
        return replace(part, downloaded=(top.name,), text="\n".join(map(_typed, pages)))
    return part.holding(top, rest) if marks[0]["part"] == "file" and (top.is_folder or rest) else part


def _typed(file: Stored) -> str:
    return online_text((stored_bytes(file, _TEXT_BYTES) or b"").decode("utf-8", "replace"))


# Brightspace's "Download" of an assignment folder: `12345-67890 - Ada Lovelace - Nov 20, 2026 1011 AM/…`, or ` - lab.cu` behind it.
#
# The first number is the student's or the group's, the second the assignment's, as a rule. Each time that a student hands in makes a
# folder of its own. Times are the platform's local ones. `index.html` is Brightspace's list of them.

_HEAD = re.compile(r"(?P<first>\d+)-(?P<second>\d+) ?- ")
_BETWEEN = " - "


def brightspace_download(files: ClassFiles) -> Export | None:
    parts = parts_in(files, _brightspace)
    if parts is None:
        return None
    at = next((at for at in (0, 1) if _tells_students_apart(parts, at)), None)
    for name, part in parts.clear.items():
        number, (_, _, shown, date) = "" if at is None else part.attempt[at], part.attempt
        parts.clear[name] = replace(
            part,
            attempt=(number, shown, date),
            owner=Student(name=shown, platform_ids={"Brightspace": number} if number else {}),
            called=f"{shown} {number}".strip(),
            at=part.at.replace(tzinfo=files.zone) if part.at else None,
        )
    alike = "its numbers do not tell students apart here, so the names do: two students of one name are one"
    notices = [alike] if at is None and parts.clear else []
    return parts.export("Brightspace", parts.uploads(once=True), notices, local_times=True)


def _tells_students_apart(parts: Parts, at: int) -> bool:
    """Whether this one of the two numbers is the student's. One that several names have is none."""
    called: dict[str, set[str]] = {}
    for one in parts.clear.values():
        called.setdefault(one.attempt[at], set()).add(exact_form(one.attempt[2]))
    return all(len(some) == 1 for some in called.values())


def _brightspace(top: Top) -> Part | None:
    """A student may have chosen a name or a file's name that holds a date too: of a folder the last date counts."""
    head = _HEAD.match(top.name)
    words = top.name[head.end() :].split(_BETWEEN) if head else []
    dates = {at: date for at, word in enumerate(words) if at and (date := written_date(word)) is not None}
    if head is None or not dates or (top.is_folder and len(words) - 1 not in dates):
        return None
    at = len(words) - 1 if top.is_folder else min(dates)
    attempt = (head["first"], head["second"], _BETWEEN.join(words[:at]), words[at])
    part = Part(attempt, at=dates[at].at, is_clear=top.is_folder or len(dates) == 1)
    return part.holding(top, _BETWEEN.join(words[at + 1 :]))


# Blackboard's "Assignment File Download": `Lab 2_jdoe_attempt_2026-11-20-10-11-12_lab.cu`, and a receipt for each attempt (`…-12.txt`).
#
# The receipt tells the login, the name, and what each file was called before Blackboard cut its name. What students typed stands in the
# receipt too: it is believed only about files of the same attempt. Times are the server's, without a zone.

_BLACKBOARD = re.compile(r"_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?=_|\.txt$|$)")
# A receipt holds what students typed. So each expression looks at a line only a few times, and blanks are removed afterwards.
# Labels are in the language of the site.
_NAME = re.compile(r"[^:\uff1a]{1,40}[:\uff1a](?P<name>.*) \((?P<login>[^()]+)\)")
_LINE = re.compile(r"[ \t]*[^:\uff1a\s][^:\uff1a]{0,80}[:\uff1a](?P<value>.*)")
_TEXT_BEGIN = re.compile(r"^Submission Field:[ \t]*\r?\n", re.MULTILINE)
_TEXT_END = re.compile(r"^(?:Comments|Files):[ \t]*\r?$", re.MULTILINE)
_NO_TEXT = "There is no student submission text data for this assignment."


@dataclass(frozen=True)
class _Receipt:
    name: str = ""
    login: str = ""
    originals: Mapping[str, str] = field(default_factory=dict)  # by the name in the download
    text: str = ""


def blackboard_download(files: ClassFiles) -> Export | None:
    parts = parts_in(files, _blackboard)
    if parts is None:
        return None
    receipts = {
        part.attempt: _receipt(name, part.attempt[0], files.text(name, _TEXT_BYTES) or "")
        for name, part in parts.clear.items()
        if _is_receipt(files.tops[name])
    }
    logins = _logins({part.attempt[0] for part in parts.clear.values()}, receipts)
    for name, part in parts.clear.items():
        parts.clear[name] = _with_receipt(files, name, part, receipts.get(part.attempt, _Receipt()), logins)
    in_order = dict(sorted(parts.clear.items(), key=lambda item: (item[1].called, item[1].attempt[1], item[0])))
    counts: Counter[str] = Counter()
    uploads = []
    for one in replace(parts, clear=in_order).uploads(once=True):  # in the order of their times, told to the second
        counts[one.name] += 1
        uploads.append(replace(one, attempt=counts[one.name]))
    nobody = "no receipt (….txt) that tells a login is there: logins are what the names do not share"
    notices = [] if any(one.name for one in receipts.values()) else [nobody]
    return parts.export("Blackboard", uploads, notices, local_times=True)


def _is_receipt(top: Top) -> bool:
    """A folder is what somebody has unpacked: of one attempt, or of one archive in it."""
    mark = _BLACKBOARD.search(top.name)
    return not top.is_folder and mark is not None and top.name[mark.end() :] == ".txt"


def _blackboard(top: Top) -> Part | None:
    """The assignment's name and the login stand in front; both may hold underscores."""
    marks = list(_BLACKBOARD.finditer(top.name))
    if not marks or (not top.is_folder and marks[0].end() == len(top.name)):
        return None
    return Part((top.name[: marks[0].start()], marks[0]["at"]), is_clear=len(marks) == 1)


def _with_receipt(files: ClassFiles, name: str, part: Part, receipt: _Receipt, logins: Mapping[str, str]) -> Part:
    head, at = part.attempt
    login, top = receipt.login or logins[head], files.tops[name]
    part = replace(part, owner=Student(name=receipt.name, login=login), called=login, at=_server_time(files, at))
    if _is_receipt(top):
        return replace(part, text=receipt.text)
    own = name.partition(f"_attempt_{at}")[2].removeprefix("_")
    original = receipt.originals.get(name, own).replace("\\", "/").rsplit("/", 1)[-1] or own
    around = (original,) if original else ()
    stored = tuple(Stored((*around, *one.path), one.size, one.at) for one in top.contents.files)
    return replace(part, stored=stored, downloaded=(name,))


def _server_time(files: ClassFiles, at: str) -> datetime | None:
    try:
        return datetime.strptime(at, "%Y-%m-%d-%H-%M-%S").replace(tzinfo=files.zone)
    except ValueError:
        return None


def _receipt(name: str, head: str, text: str) -> _Receipt:
    """The first line is Blackboard's. Its login counts only if the file's name has it too."""
    first = text.lstrip().split("\n", 1)[0].strip()
    told = _NAME.fullmatch(first)
    known = told is not None and (head == told["login"] or head.endswith(f"_{told['login']}"))
    typed = _typed_in(text)
    return _Receipt(
        told["name"].strip() if told and known else "",
        told["login"] if told and known else "",
        dict(_originals(text, f"{name.removesuffix('.txt')}_")),
        online_text(typed) if typed.strip() != _NO_TEXT else "",
    )


def _originals(text: str, prefix: str) -> Iterator[tuple[str, str]]:
    """What each file is called in the download, and what it was called before: one line tells the one, the line before it the other."""
    before = ""
    for line in text.splitlines():
        found = _LINE.match(line)
        value = found["value"].strip() if found else ""
        if before and value.startswith(prefix):
            yield value, before
        before = value


def _typed_in(text: str) -> str:
    """What stands in the first text field. Empty: there is none."""
    begin = _TEXT_BEGIN.search(text)
    end = _TEXT_END.search(text, begin.end()) if begin else None
    if begin:
        return text[begin.end() : end.start()] if end else ""
    # In another language: below the first heading after an empty line, down to the heading of the comments. Files come last, indented.
    lines = text.splitlines()
    ends = [at for at, line in enumerate(lines) if line.rstrip().endswith((":", "\uff1a"))]
    heads = [at for at in ends if at and not lines[at - 1].strip()]
    behind = 2 if heads and any(line.startswith("\t") for line in lines[heads[-1] :]) else 1
    return "\n".join(lines[heads[0] + 1 : heads[-behind]]) if len(heads) > behind else ""


def _logins(heads: set[str], receipts: Mapping[tuple[str, ...], _Receipt]) -> dict[str, str]:
    """By what stands in front of the mark. Where receipts do not tell: what all names have in common is the assignment's."""
    known = {head: one.login for (head, _), one in receipts.items() if one.login}
    common = os.path.commonprefix(sorted(heads)) if len(heads) > 1 else next(iter(heads), "")  # noqa: RUF071 - letters are compared
    if known:
        common = next(head.removesuffix(login) for head, login in known.items())
    behind = common.rfind("_") + 1
    starts = {head: len(common) if known and head.startswith(common) else behind for head in heads}
    return {head: head[start:] for head, start in starts.items()} | known


# Sakai's "Download All": a folder `Lovelace, Ada(ada)` for each student, with `Submission attachment(s)/…`, `timestamp.txt` and the like;
# or the same names side by side, joined with `_`.
#
# The login stands in brackets. What instructors give back lies in the same folder, so it is left out. Sakai gives the last submission
# alone.

ATTACHED, STAMP, TEXT = "Submission attachment(s)", "timestamp.txt", "_submissionText.html"
_TABLES = frozenset({"grades.csv", "grades.xls", "grades.xlsx"})  # which Sakai adds itself
_WHO = re.compile(r"(?P<shown>.+?) ?\((?P<login>[^()/\s]+)\)")
_PART = re.compile(
    rf"_(?:{re.escape(ATTACHED)}_(?P<file>.+)|(?P<stamp>{re.escape(STAMP)})|(?P<text>submissionText\.html)"
    r"|(?P<ours>(?:Feedback Attachment\(s\)_.+|feedbackText\.html|comments\.txt)))\Z",
    re.DOTALL,
)
_STAMP_BYTES = 200


def sakai_download(files: ClassFiles) -> Export | None:
    parts = parts_in(files, _sakai, {name: top for name, top in files.tops.items() if name not in _TABLES})
    return None if parts is None else parts.export("Sakai", parts.uploads())


def _sakai(top: Top) -> Part | None:
    if top.is_folder:
        who = _WHO.fullmatch(top.name)
        marks = {file.path[0] for file in top.contents.files} | {folder[0] for folder in top.contents.folders}
        known = ATTACHED in marks or STAMP in marks or f"{top.name}{TEXT}" in marks
        return _with_folder(_of_student(who), top) if who and known else None
    readings = [
        (front, part)
        for who in re.finditer(r"\([^()/\s]+\)", top.name)
        if (part := _PART.match(top.name, who.end())) and (front := _WHO.fullmatch(top.name[: who.end()]))
    ]
    if not readings:
        return None
    front, part = readings[0]
    found = replace(_of_student(front), is_clear=len(readings) == 1)
    if part["file"]:
        return found.holding(top, part["file"])
    if part["stamp"]:
        return replace(found, at=_moment(top.file))
    return replace(found, text=_typed(top.file)) if part["text"] and top.file is not None else found


def _of_student(who: re.Match[str]) -> Part:
    last, comma, first = (part.strip() for part in who["shown"].partition(","))
    student = Student(name=f"{first} {last}" if comma else who["shown"], login=who["login"])
    return Part((who["login"], who["shown"]), student, who["login"])


def _with_folder(part: Part, top: Top) -> Part:
    own = [file for file in top.contents.files if file.path[0] == ATTACHED and len(file.path) > 1]
    beside = {file.path[0]: file for file in top.contents.files if len(file.path) == 1}
    text = beside.get(f"{top.name}{TEXT}")
    return replace(
        part,
        stored=tuple(Stored(file.path[1:], file.size, file.at) for file in own),
        downloaded=tuple("/".join((top.name, *file.path)) for file in own),
        at=_moment(beside.get(STAMP)),
        text=_typed(text) if text is not None else "",
    )


def _moment(file: Stored | None) -> datetime | None:
    """Sakai writes it in UTC: `20261120101112000` or `2026-11-20T10:11:12Z`. Other forms say no time zone, and are not believed."""
    data = stored_bytes(file, _STAMP_BYTES) if file is not None else None
    text = (data or b"").decode("ascii", "replace").strip()
    if found := re.fullmatch(r"(\d{14})\d{3}", text):
        text = f"{found[1][:8]}T{found[1][8:]}Z"
    elif not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None
