"""Downloads of Canvas, Autolab and PrairieLearn: files side by side, whose names begin with their students'. Nothing is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from grader.model.result import Student
from grader.model.written_names import clean, is_variant
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Stored
from grader.roll.platforms.download_names import PAGES, ClassFiles, Export, Part, Parts, Top, parts_in, strange

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
_TEXT_BYTES = 1 << 20
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
