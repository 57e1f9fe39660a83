"""Reads a class's submissions: takes each student's files that labs ask for, and says what is wrong with the rest.

It changes nothing in SUBMISSIONS, follows no link and writes only into `scratch`. A student whose upload cannot be taken gets
`refused`. IntakeError means that SUBMISSIONS as a whole is not a class's submissions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path

from grader.model.result import Student, Submission
from grader.model.written_names import clean
from grader.roll.intake.attempts import (
    Attempt,
    Delivery,
    Intake,
    counted_attempts,
    deliveries,
    with_counted,
    with_team_owners,
    with_team_shares,
)
from grader.roll.intake.class_level import LAYOUT, IntakeError, Spool, not_apart
from grader.roll.intake.matching import LabFile, lab_files
from grader.roll.intake.upload import Upload, stem_of
from grader.roll.intake.upload_search import find_uploads
from grader.roll.intake.upload_taking import take_upload
from grader.roll.people.identities import Identities
from grader.roll.people.roster import Roster
from grader.roll.people.who_is_who import Person, is_known, who_is_who
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
    people = who_is_who([one.arrival for one in given], roster, book)
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
    students += [_absent(person) for person in people.absent]
    students, shared = with_team_shares(students)
    title = ", ".join(clean(stem_of(one.resolve().name)) for one in sources[:_TITLES])
    notices = [*found.notices]
    if found.local_times:
        zone = (
            f"{options.zone} (course.toml or --timezone)"
            if options.zone
            else f"{spool.zone}, this machine's time zone (--timezone names another)"
        )
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
    one: Delivery, person: Person, uploads: Sequence[Upload], taken: Mapping[int, Attempt], wanted: Collection[str]
) -> Intake:
    """One owner's share of the uploads, which is all of them."""
    attempts = []
    for number in one.uploads:
        upload = uploads[number]
        beside = [each for each in one.uploads if uploads[each].download == upload.download]
        at = upload.attempt if upload.told else beside.index(number) + 1
        attempts.append(replace(taken[number], number=at, of=upload.told or len(beside)))
    last = attempts[-1]
    team = one.arrival.of_team
    submission = Submission(
        id=person.id,
        name=clean(person.student.name) if team and person.student.name else last.name,
        student=person.student,
        files=last.files,
        downloaded=last.downloaded,
    )
    counted = counted_attempts(attempts, sorted(wanted))
    return with_counted(Intake(submission, attempts=tuple(attempts)), counted)


def _absent(person: Person) -> Intake:
    name = person.student.name or person.student.login or person.id
    return Intake(Submission(id=person.id, name=clean(name), student=person.student, handed_in=False))


def _check_plausible(
    source: Path, uploads: Sequence[Upload], students: Sequence[Intake], wanted: frozenset[str]
) -> None:
    """Raises IntakeError where nobody handed in anything that looks like a lab: then this is some other folder. So it does where a whole
    class would become one student: the only upload holds several files whose names end like one that a lab asks for.
    """
    if len(students) == 1 and not (students[0].sources or students[0].blocked):
        names = [file.path[-1].casefold() for file in uploads[0].contents.files if file.path]
        for name in sorted(wanted):
            alike = [one for one in names if one != name.casefold() and one.endswith(name.casefold())]
            if len(alike) > 1:
                raise not_apart(source, alike)
    if any(one.sources or one.blocked or one.hints or one.answers or one.submission.refused for one in students):
        return
    if any(
        file.path and file.path[-1].casefold().endswith(".cu") for upload in uploads for file in upload.contents.files
    ):
        return
    raise IntakeError(
        f"{source}: none of its folders and archives holds a file that a lab asks for "
        f"({', '.join(sorted(wanted))}). {LAYOUT}."
    )
