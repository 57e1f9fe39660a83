"""Downloads whose folders, or files side by side, are called like their students: of Moodle, Brightspace, Blackboard, Sakai, Canvas,
Autolab and PrairieLearn.

Nothing is written, and of files only what the platform itself has written is read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from grader.model.result import Student
from grader.model.written_names import clean, exact_form, is_variant
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Stored, stored_bytes
from grader.roll.platforms.download_names import (
    PAGES,
    ClassFiles,
    Export,
    Part,
    Parts,
    Top,
    parts_in,
    strange,
    written_date,
)

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


# Canvas's "Download Submissions": `doejohn_LATE_1001_90001_lab.cu`: name, the user's id, the file's id, the file's name.
#
# Only the last attempt of each student is in it. A file that was handed in again is called `lab-1.cu`. What was typed into the text field
# is `doejohn_1001_text.html`. Where students are graded without their names it is `anon_LATE_aB3xZ_90001_lab.cu`. See
# app/models/content_zipper.rb of Canvas.

# What follows the name. Students may choose their file's name and sometimes their own: so the first place counts that fits.
_IDS = re.compile(
    r"_(?P<late>late_)?(?P<student>\d+)_(?:(?P<number>\d+)_(?P<file>.+)|(?:\d+_)?(?P<page>text|link)\.html)\Z",
    re.IGNORECASE | re.DOTALL,  # a file's name may hold a newline
)
_NAMELESS = re.compile(
    r"anon_(?P<late>late_)?(?P<student>[0-9a-z]{5})_(?:(?P<number>\d+)_(?P<file>.+)|(?:\d+_)?(?P<page>text|link)\.html)\Z",
    re.IGNORECASE | re.DOTALL,
)
_STRICT = re.compile(r"(?P<shown>[a-z][a-z0-9-]*)_(?:LATE_)?(?P<student>\d{2,})_(?P<number>\d{4,})_.+", re.DOTALL)
_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")
_Readings = Callable[[str], list[re.Match[str]]]  # of a file's name: in how many ways it can be read


def canvas_download(files: ClassFiles) -> Export | None:
    """`anon_…` is so for all of an assignment or for none."""
    tops = {**files.only(folders=False), **_unpacked(files)}
    parts = parts_in(files, partial(_canvas, files, lambda name: list(filter(None, [_NAMELESS.match(name)]))), tops)
    nameless = parts is not None and not parts.others
    if not nameless:
        parts = parts_in(files, partial(_canvas, files, _readings), tops)
    if parts is None:
        return None
    parts = _with_last_files(_without_unclear(parts))
    uploads = parts.uploads()
    late = sum(one.late for one in uploads)
    notices = [f"{late} of them are marked as late by Canvas"] if late else []
    if nameless:
        notices.append(
            "Canvas has left out the names (anonymous grading), and it calls a student otherwise in each assignment: "
            "each assignment's students have rows of their own, until you turn that off in Canvas and download again"
        )
    folders = strange(files, [name for name in files.only(folders=True) if name not in tops])
    export = parts.export("Canvas", uploads, notices)
    return replace(export, strange=(*export.strange, *folders))


def _unpacked(files: ClassFiles) -> Mapping[str, Top]:
    """Folders that are called like a student's archive without its suffix: somebody has unpacked it. Where there is nothing else, people
    may call folders so too, and all of them have to be of Canvas's very form.
    """
    folders = files.only(folders=True)
    found = {name: top for name, top in folders.items() if _readings(name)}
    if any(_readings(name) for name in files.only(folders=False)):
        return found
    strict = [match for name in folders if (match := _STRICT.fullmatch(name))]
    shown, students, numbers = ({one[part] for one in strict} for part in ("shown", "student", "number"))
    all_are = len(students) == len(numbers) == len(folders) > 1
    return found if all_are and 2 * len(shown) > len(strict) else {}  # `hw_01_2026_x` and `hw_02_2027_x` have one name


def _readings(name: str) -> list[re.Match[str]]:
    places = [place for start in range(len(name)) if name[start] == "_" and (place := _IDS.match(name, start))]
    return places if places and re.fullmatch(r"[\w-]*", name[: places[0].start()]) else []


def _canvas(files: ClassFiles, ids: _Readings, top: Top) -> Part | None:
    """`number` is the file's: a later upload has a larger one. A page that Canvas made of a text or a link is no file."""
    readings = ids(top.name)
    if not readings:
        return None
    first = readings[0]
    nameless = first.re is _NAMELESS
    student = f"anon {first['student']}" if nameless else first["student"]
    file = first["file"] or ""
    original = _AGAIN.sub("", file)
    if any(original == one or is_variant(original, one) for one in files.wanted):
        file = original
    return Part(
        (student,),
        Student(platform_ids={"Canvas": student}),
        student if nameless else f"{top.name[: first.start()]} {student}".strip(),
        tuple(Stored((file, *one.path), one.size, one.at) for one in top.contents.files) if file else (),
        (top.name,),
        online_text(files.text(top.name, _TEXT_BYTES) or "") if first["page"] == "text" else "",
        number=int((first["number"] or "0")[:18]),
        late=bool(first["late"]),
        is_clear=len(readings) == 1,
    )


def _without_unclear(parts: Parts) -> Parts:
    """Whoever is called `x_666` makes names that begin like those of the user 666: where an id has two names, only what can be read in one
    way is taken.
    """
    called: dict[tuple[str, ...], set[str]] = {}
    for one in parts.told.values():
        called.setdefault(one.attempt, set()).add(one.called)
    unclear = [name for name in parts.unclear if len(called[parts.told[name].attempt]) > 1]
    return replace(parts, clear={name: one for name, one in parts.told.items() if name not in unclear}, unclear=unclear)


def _with_last_files(parts: Parts) -> Parts:
    """Of several files of one name, the last one. The names of pages count as downloaded where there is no file."""
    last: dict[tuple[str, ...], tuple[int, str]] = {}
    clear = dict(parts.clear)
    for name, one in parts.clear.items():
        if one.stored:
            key = (*one.attempt, one.stored[0].path[0])
            said = f"{clean(key[-1])} was handed in several times: the last one counts"
            if key in last:
                older = min((one.number, name), last[key])[1]
                clear[name] = replace(one, notices=(said,))
                clear[older] = replace(clear[older], stored=(), downloaded=(), notices=(said,))
            last[key] = max((one.number, name), last.get(key, (-1, "")))
    with_files = {one.attempt for one in clear.values() if one.stored}
    for name, one in clear.items():
        if not one.stored and one.attempt in with_files:
            clear[name] = replace(one, downloaded=())
    return replace(parts, clear=clear)


# Autolab's zip of all handins: `ada@example.org_3_handin.tar`, the address, the version, and the assessment's own name for the file.
#
# Autolab's download puts the address before the last two words of `3_handin.tar`, so it stands elsewhere where that name has underscores.
# On Autolab's own disk it always stands in front. See submissions_controller.rb of Autolab. All versions are in it.

_ADDRESS = r"[^@\s/]+@[A-Za-z0-9.-]+"
_FIRST = re.compile(rf"(?P<email>{_ADDRESS})_(?P<version>\d+)_(?P<file>.+)")


def autolab_handins(files: ClassFiles) -> Export | None:
    parts = parts_in(files, partial(_autolab, files.wanted), files.only(folders=False))
    if parts is None:
        return None
    clear = dict(sorted(parts.clear.items(), key=lambda item: (item[1].called, item[1].number)))
    last = {one.called: one.number for one in clear.values()}
    numbers = dict.fromkeys((one.called, one.number) for one in clear.values())  # in the order of the uploads
    uploads = replace(parts, clear=clear).uploads()
    told = zip(uploads, numbers, strict=True)
    counted = [replace(one, attempt=number, told=last[one.name]) for one, (_, number) in told]
    return parts.export("Autolab", counted)


def _autolab(wanted: frozenset[str], top: Top) -> Part | None:
    found, file = _FIRST.fullmatch(top.name), ""
    for one in sorted(wanted, reverse=True):
        *front, before, last = f"0_{one}".split("_")
        if len(front) > 0:  # `3_lab.cu` has two words; in `3_my_lab.cu` the address comes behind the first of three
            middle = "".join(f"{re.escape(word)}_" for word in front[1:])
            within = rf"(?P<version>\d+)_{middle}(?P<email>{_ADDRESS})_{re.escape(f'{before}_{last}')}"
            if inside := re.fullmatch(within, top.name):
                found, file = inside, one
    if found is None:
        return None
    email, version = found["email"], int(found["version"][:18])
    part = Part((email, str(version)), Student(email=email), email, number=version)
    return part.holding(top, file or found["file"])


# PrairieLearn's zips of files: `ada@example.org_1_cuda/tiled_2_3_98765_lab.cu` in `all_files.zip` and its like, and without the numbers
# of assessment, variant and attempt in `files_for_manual_grading.zip`.
#
# The question's name may hold a slash. Attempts are counted for each question alone. Of a group, its name stands in front. See
# instructorAssessmentDownloads.sql of PrairieLearn.

_UID = r"(?P<uid>[^@/\s]+@[A-Za-z0-9.-]+|[A-Za-z0-9-]+)"
_ALL = re.compile(
    rf"{_UID}_(?P<instance>\d+)_(?P<question>[^\s].*?)_(?P<variant>\d+)_(?P<count>\d+)_(?P<id>\d+)_(?P<file>.+)\Z",
    re.DOTALL,  # a file's name may hold a newline
)
_MANUAL = re.compile(
    r"(?P<uid>[^@/\s]+@[A-Za-z0-9.-]+)_(?P<uin>[A-Za-z0-9-]*)_(?P<question>[^\s].*?)_(?P<id>\d+)_(?P<file>.+)\Z",
    re.DOTALL,
)


def prairielearn_files(files: ClassFiles) -> Export | None:
    """Of folders, those that a slash in a question's name makes."""
    listed = [(name, file) for name, top in files.tops.items() for file in top.contents.files]
    inside = {"/".join((name, *file.path)): (name, Top(name, Contents((file,)))) for name, file in listed}
    for pattern in (_ALL, _MANUAL):
        read = {name: pattern.fullmatch(name) for name in inside}
        told = {name: _prairielearn(match, name, inside[name][1]) for name, match in read.items() if match}
        unread = (inside[name][0] for name, match in read.items() if not match)
        others = dict.fromkeys(name for name in unread if name.casefold() not in PAGES)
        sure = pattern is _MANUAL or not others or any("@" in one.called for one in told.values())
        if len(told) > len(others) and sure:
            break
    else:
        return None
    clear = dict(sorted(told.items(), key=lambda item: (item[1].attempt[:2], item[1].number)))
    questions = sorted({one.attempt[1] for one in clear.values()})
    of_upload = dict.fromkeys(one.attempt for one in clear.values())
    counts: Counter[tuple[str, ...]] = Counter()
    uploads = []
    flat = replace(files, tops={name: top for name, (_, top) in inside.items()})
    for one, attempt in zip(Parts(flat, clear).uploads(), of_upload, strict=True):
        counts[attempt[:2]] += 1
        uploads.append(replace(one, download=questions.index(attempt[1]), attempt=counts[attempt[:2]]))
    return Parts(files, {}, others=[name for name in files.tops if name in others]).export("PrairieLearn", uploads)


def _prairielearn(match: re.Match[str], name: str, top: Top) -> Part:
    """`number` is the submission's: a later one has a larger one."""
    uid, said = match["uid"], match.groupdict()
    uin = said.get("uin") or ""
    person = Student(number="" if uin == "null" else uin, email=uid, platform_ids={"PrairieLearn": uid})
    owner = person if "@" in uid else Student(name=uid)
    number = int(match["id"][:18])
    stored = tuple(Stored((match["file"].rsplit("/", 1)[-1],), one.size, one.at) for one in top.contents.files)
    return Part((uid, match["question"], str(number)), owner, uid, stored, (name,), number=number)
