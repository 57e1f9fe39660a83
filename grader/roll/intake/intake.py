"""Reads a class's submissions: takes each student's files that labs ask for, and says what is wrong with the rest.

It changes nothing in SUBMISSIONS, follows no link and writes only into `scratch`. A student whose upload cannot be taken gets
`refused`. IntakeError means that SUBMISSIONS as a whole is not a class's submissions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path

from grader.model.result import Student, Submission
from grader.model.written_names import clean, is_variant
from grader.roll.intake.attempts import (
    Attempt,
    Intake,
    counted_attempts,
    deliveries,
    with_counted,
    with_team_owners,
    with_team_shares,
)
from grader.roll.intake.class_level import LAYOUT, IntakeError, Spool, not_apart
from grader.roll.intake.matching import HandedAnswers, LabFile, Match, lab_files, match_files, take_answers
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, failure_reason, is_archive_name, stem_of
from grader.roll.intake.upload_search import archive_upload, find_uploads
from grader.roll.people.identities import Identities
from grader.roll.people.roster import Roster
from grader.roll.people.who_is_who import Arrival, Person, is_known, who_is_who
from grader.system.confinement import Confinement


@dataclass(frozen=True)
class IntakeOptions:
    """How a class is taken in."""

    zone: tzinfo | None = None  # of times that a platform writes without one; none: this machine's
    confinement: Confinement | None = None  # of the programs that unpack archives; none: for one's own alone


_TITLES = 3  # of several sources


@dataclass(frozen=True)
class Discovery:
    title: str  # the name of SUBMISSIONS
    students: tuple[Intake, ...]
    notices: tuple[str, ...] = ()  # about SUBMISSIONS as a whole
    rostered: frozenset[str] = frozenset()  # the ids of those who have a row of the roster


def discover(
    source: Path | Sequence[Path],
    scratch: Path,
    wanted: Collection[str] | Collection[LabFile],
    roster: Roster | None = None,
    identities: Identities | None = None,
    options: IntakeOptions | None = None,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Discovery:
    """Every student of `source`, with the `wanted` files that this student handed in, copied into `scratch`. With a roster, those of it
    who handed in nothing as well. Several sources are one class: files of one student are put together. `identities` is brought up to
    date; none: nobody was here before. `told` hears how many uploads of how many were read.
    """
    options = options or IntakeOptions()
    sources = [source] if isinstance(source, Path) else list(source)
    files = lab_files(wanted)
    labs = [one.lab for one in files if one.lab]
    book = Identities() if identities is None else identities
    is_student = partial(is_known, roster=roster, book=book)
    spool = Spool(scratch, [one.name for one in files], options.zone, told, labs, options.confinement, is_student)
    found = find_uploads(sources, spool)
    uploads, of_teams = with_team_owners(found.uploads, roster)
    given = deliveries(uploads)
    people = who_is_who(given, roster, book)
    taken: dict[int, Attempt] = {}
    students: list[Intake] = []
    for at, (one, person) in enumerate(zip(given, people.arrived, strict=True)):
        told(len(given) + at, 2 * len(given))
        for number, upload in enumerate(one.uploads, 1):
            if upload not in taken:
                folder = person.id if upload == one.uploads[-1] else f".{person.id}-{number}"
                taken[upload] = take_upload(uploads[upload], scratch / folder, files, spool)
        students.append(_for_person(one, person, uploads, taken, spool.wanted))
    _check_plausible(sources[0], uploads, students, spool.wanted)
    for absent in people.absent:
        name = clean(absent.student.name or absent.student.login or absent.id)
        students.append(Intake(Submission(id=absent.id, name=name, student=absent.student, handed_in=False)))
    students, shared = with_team_shares(students)
    title = ", ".join(clean(stem_of(one.resolve().name)) for one in sources[:_TITLES])
    notices = [*found.notices]
    if found.local_times:
        own = f"{spool.zone}, this machine's time zone (--timezone names another)"
        zone = f"{options.zone} (course.toml or --timezone)" if options.zone else own
        notices.append(f"the platform writes times without a time zone: they are read as {zone}")
    return Discovery(title, tuple(students), (*notices, *people.notices, *of_teams, *shared), people.rostered)


def take_one(
    upload: Upload,
    student_id: str,
    scratch: Path,
    wanted: Collection[str] | Collection[LabFile],
    confinement: Confinement | None = None,
) -> Intake:
    """One student's upload that no class surrounds, with its `wanted` files copied into `scratch`."""
    files = lab_files(wanted)
    names = [one.name for one in files]
    taken = take_upload(upload, scratch / student_id, files, Spool(scratch, names, confinement=confinement))
    owner = upload.owners[0] if len(upload.owners) == 1 else Student()
    submission = Submission(id=student_id, name=taken.name, student=owner, files=taken.files)
    return with_counted(Intake(submission, attempts=(taken,)), counted_attempts([taken], names))


def _for_person(
    one: Arrival, person: Person, uploads: Sequence[Upload], taken: Mapping[int, Attempt], wanted: Collection[str]
) -> Intake:
    """One owner's share of the uploads, which is all of them."""
    attempts = []
    for number in one.uploads:
        upload = uploads[number]
        beside = [each for each in one.uploads if uploads[each].download == upload.download]
        at = upload.attempt if upload.told else beside.index(number) + 1
        attempts.append(replace(taken[number], number=at, of=upload.told or len(beside)))
    last = attempts[-1]
    team = one.of_team
    submission = Submission(
        id=person.id,
        name=clean(person.student.name) if team and person.student.name else last.name,
        student=person.student,
        files=last.files,
        downloaded=last.downloaded,
    )
    counted = counted_attempts(attempts, sorted(wanted))
    return with_counted(Intake(submission, attempts=tuple(attempts)), counted)


def _check_plausible(
    source: Path, uploads: Sequence[Upload], students: Sequence[Intake], wanted: frozenset[str]
) -> None:
    """Raises IntakeError where nobody handed in anything that looks like a lab: then this is some other folder. So it does where a whole
    class would become one student: the only upload holds several files whose names end like one that a lab asks for.
    """
    names = [[file.path[-1].casefold() for file in one.contents.files if file.path] for one in uploads]
    if len(students) == 1 and not (students[0].sources or students[0].blocked):
        for name in sorted(wanted):
            alike = [one for one in names[0] if one != name.casefold() and one.endswith(name.casefold())]
            if len(alike) > 1:
                raise not_apart(source, alike)
    found = any(one.sources or one.blocked or one.hints or one.answers or one.submission.refused for one in students)
    if not found and not any(name.endswith(".cu") for of_upload in names for name in of_upload):
        raise IntakeError(
            f"{source}: none of its folders and archives holds a file that a lab asks for ({', '.join(sorted(wanted))}). {LAYOUT}."
        )


# Takes the labs' files of one upload: opens the archive that it is or holds, and looks into what was typed into the platform.

_LISTED = 40  # at most this many file names go into a result
_SEVERAL = 6  # archives of one upload, such as one for each lab
_NESTED = 3  # how many archives may lie in one another
_CODE = re.compile(r"__global__|^[ \t]*#[ \t]*include|\bint\s+main\s*\(", re.MULTILINE)


def take_upload(upload: Upload, target: Path, wanted: Sequence[LabFile], spool: Spool) -> Attempt:
    """Matches the upload's files with the wanted ones and copies them to `target`. Where that fails, this upload alone is refused."""
    match = Match(target)
    try:
        upload = _opened(upload, wanted, spool)
        if upload.refused is None:
            upload, match = _matched(upload, target, wanted)
    except (OSError, MemoryError):  # this machine's, and so every student's
        raise
    except Exception as error:  # noqa: BLE001 -- whatever one student's files bring about is nothing to the class
        upload = replace(upload, refused=failure_reason(error))
    answers, said = _answers(upload, wanted)
    return Attempt(
        download=upload.download,
        at=upload.at,
        late=upload.late,
        name=clean(upload.name),
        files=tuple(clean("/".join(file.path)) for file in upload.contents.files[:_LISTED]),
        downloaded=tuple(clean(one) for one in upload.downloaded[:_LISTED]),
        sources=match.sources,
        blocked=match.blocked,
        hints=match.hints,
        notices=(*upload.notices, *match.notices, *said),
        refused=upload.refused,
        answers=answers,
    )


def _answers(upload: Upload, wanted: Sequence[LabFile]) -> tuple[dict[str, HandedAnswers], list[str]]:
    """Nobody loses a lab's file by what is wrong with answers."""
    if upload.refused is not None:
        return {}, []
    try:
        return take_answers(upload.contents, wanted)
    except (OSError, MemoryError):  # this machine's, and so every student's
        raise
    except Exception as error:  # noqa: BLE001 -- see above
        failed = f"Tilelab failed while it read the answers ({type(error).__name__})"
        return {}, [f"{failed}; no lab's file is touched by that"]


def _matched(upload: Upload, target: Path, wanted: Sequence[LabFile]) -> tuple[Upload, Match]:
    match = match_files(upload.contents, target, wanted)
    if upload.text.strip():
        _take_text(upload.text, wanted, match)
    archives = [file.path[-1] for file in upload.contents.files if is_archive_name(file.path[-1])]
    if archives and not (match.sources or match.blocked or match.hints):
        reason = f"the archive holds another archive, which is not opened: {clean(archives[0])!r}; hand in the files themselves"
        if not upload.packed:
            reason = f"the upload has several archives and no file of a lab: {clean(archives[0])!r}, …; hand in only one archive"
        return replace(upload, refused=reason), Match(target)
    return upload, match


def _opened(upload: Upload, wanted: Sequence[LabFile], spool: Spool) -> Upload:
    """Opens the archive where the upload holds one archive and no wanted file, and the one in that. Course systems and students make
    such archives. Each is held against the same limits.
    """
    for _ in range(_NESTED):
        files = upload.contents.files
        archives = [file for file in files if is_archive_name(file.path[-1])]
        if upload.refused is not None or not 0 < len(archives) <= _SEVERAL or any(one.at is None for one in archives):
            break
        if any(file.path[-1] == one.name or is_variant(file.path[-1], one.name) for file in files for one in wanted):
            break
        if len(archives) > 1:
            return _together(upload, archives, spool)
        name = archives[0].path[-1]
        alone = len(files) == 1 and len(archives[0].path) == 1 and bool(upload.owners) and not upload.packed
        said = f"opened {clean(name)!r}, the only archive in the {'archive' if upload.packed else 'folder'}"
        notices = (*upload.notices, *([] if alone else [said]))
        inner = archive_upload(archives[0], spool)
        upload = replace(upload, contents=inner.contents, refused=inner.refused, packed=True, notices=notices)
    return upload


def _together(upload: Upload, archives: Sequence[Stored], spool: Spool) -> Upload:
    """Several archives, such as one for each lab: each is a folder of its name. The first that is refused refuses all."""
    files, defects, refused = [], [], None
    for number, one in enumerate(archives):
        inner = archive_upload(one, spool)
        if inner.refused is not None:
            refused = f"{clean(one.path[-1])!r}: {inner.refused}"
            break
        folder = (f"{number + 1} {inner.name}",)
        files += [Stored((*folder, *file.path), file.size, file.at) for file in inner.contents.files]
        defects += [Defect(each.reason, (*folder, *each.path)) for each in inner.contents.defects]
    said = f"opened {len(archives)} archives: {', '.join(clean(one.path[-1]) for one in archives)}"
    notices = (*upload.notices, said)
    return replace(
        upload, contents=Contents(tuple(files), defects=tuple(defects)), refused=refused, packed=True, notices=notices
    )


def _take_text(text: str, wanted: Sequence[LabFile], match: Match) -> None:
    """What was typed is a lab's file where it is code, that lab's file did not come otherwise, and it is sure which lab it is."""
    if not _CODE.search(text):
        return
    missing = [one for one in wanted if one.name not in match.sources and one.name not in match.blocked]
    fitting = [one for one in missing if any(re.search(rf"\b{re.escape(entry)}\s*\(", text) for entry in one.entries)]
    fitting = fitting or [one for one in missing if one.name in text]
    if not fitting and len(wanted) == len(missing) == 1:
        fitting = missing
    if missing and not fitting:
        match.notices.append("there is code in the platform's text field, and it is not clear for which lab it is")
    for one in fitting:
        match.hints.pop(one.name, None)
        match.notices.append(f"took {one.name} from the platform's text field")
        match.place(one.name, text.encode("utf-8", "replace") + b"\n")
