"""Reads a class's submissions: takes each student's files that labs ask for, and says what is wrong with the rest.

It changes nothing in SUBMISSIONS, follows no link and writes only into `scratch`. A student whose upload cannot be taken gets
`refused`. IntakeError means that SUBMISSIONS as a whole is not a class's submissions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path

from grader.model.result import Student, Submission
from grader.model.several_files import can_be_named
from grader.model.visible_text import counted as counted_words
from grader.model.written_names import clean, exact_form, is_variant, shown, some
from grader.roll.intake.matching import HandedAnswers, LabFile, Match, lab_files, match_files, take_answers
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, failure_reason, is_archive_name, stem_of
from grader.roll.intake.upload_search import LAYOUT, IntakeError, Spool, archive_upload, find_uploads, not_apart
from grader.roll.people.identities import FOLDER, Identities, Key, keys_of
from grader.roll.people.identity_resolution import Arrival, Person, is_known, resolve_identities
from grader.roll.people.roster import Roster, RosterRow
from grader.source.student_code import cells_written, notebook_source
from grader.system.confinement import Confinement

# Whose each upload is: one arrival for each of its owners, with all attempts of that owner in their order.
#
# Which id an arrival gets is decided in grader/roll/people/.


def deliveries(uploads: Sequence[Upload]) -> list[Arrival]:
    """In the order of the uploads. Attempts that nothing puts in an order stay, as those of several students."""
    given = [
        Arrival(upload.name, clean(upload.name), owner, len(upload.owners) > 1, (number,))
        for number, upload in enumerate(uploads)
        for owner in (upload.owners or (None,))
    ]
    of_owner: dict[Key, list[int]] = {}
    for at, one in enumerate(given):
        of_owner.setdefault(_key(one), []).append(at)
    left: set[int] = set()
    for places in of_owner.values():
        if len(places) > 1 and (order := _in_order([given[at].uploads[0] for at in places], uploads)):
            last = next(at for at in places if given[at].uploads[0] == order[-1])
            left.update(at for at in places if at != last)
            given[last] = replace(given[last], uploads=tuple(order))
    return [one for at, one in enumerate(given) if at not in left]


def _key(arrival: Arrival) -> Key:
    """What is one student's in all downloads of a batch. Moodle numbers participants anew in each, so there the name is, where it is the
    only one. Of an upload that only its name is known of, it is the name.
    """
    keys = keys_of(arrival.owner) if arrival.owner is not None else []
    if keys and not keys[0].changes:
        return keys[0]
    return Key(FOLDER, f"{arrival.name if arrival.owner is None else ''}\0{exact_form(arrival.person)}")


def _in_order(numbers: Sequence[int], uploads: Sequence[Upload]) -> list[int]:
    """Of each download by when they were handed in, else by the platform's count. Empty: neither tells them apart."""
    ordered: list[int] = []
    for download in sorted({uploads[number].download for number in numbers}):
        here = [number for number in numbers if uploads[number].download == download]
        moments = {number: at.timestamp() for number in here if (at := uploads[number].at) is not None}
        counts = {uploads[number].attempt for number in here}
        if len(here) == 1:
            ordered += here
        elif len(moments) == len(here) == len({*moments.values()}):
            ordered += sorted(here, key=lambda number: moments[number])
        elif 0 not in counts and len(counts) == len(here):
            ordered += sorted(here, key=lambda number: uploads[number].attempt)
        else:
            return []
    return ordered


# What was taken from one student's uploads, as data: all attempts, and for each lab's file the attempt that counts.


@dataclass(frozen=True)
class Attempt:
    """One time that a student handed something in, and what was taken of it.

    The platform or its download says the time. A student cannot choose it. `sources`, `blocked`, `hints` and `answers` are as in Intake.
    """

    number: int = 1  # 1, 2, …: of those of the same download, in the order in which they were handed in
    of: int = 1  # how many the same download holds of this student
    download: int = 0  # which of the given SUBMISSIONS it is from
    at: datetime | None = None  # with its time zone; none: the platform does not say
    late: bool = False  # the platform itself marked it as late
    name: str = ""  # of the upload
    files: tuple[str, ...] = ()  # what was in it
    downloaded: tuple[str, ...] = ()  # the same, as the platform called it
    sources: Mapping[str, Path] = field(default_factory=dict)
    blocked: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    refused: str | None = None
    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)

    def holds(self, file: str) -> bool:
        """Whether a lab's file is in it, be it one that can be taken or not."""
        return file in self.sources or file in self.blocked


@dataclass(frozen=True)
class Intake:
    """What was taken from one student's upload. Members of a team share their files' paths."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead
    attempts: tuple[Attempt, ...] = ()  # of each download, the first one first; also those that do not count
    # A lab's file → the index in `attempts` of the one that counts.
    counted: Mapping[str, int] = field(default_factory=dict)

    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)  # a lab's file → the answers to its questions

    def texts(self) -> dict[str, str]:
        """The text of each file that was taken. Pages quote from it."""
        return {name: path.read_bytes().decode("utf-8", "replace") for name, path in self.sources.items()}


# Which of a student's attempts counts for each lab: the latest one, or the last before the deadline. Pure.
#
# "The best" is chosen where scores are known: see grader/roll/batch/. Until then the latest counts, and all are in `Intake.attempts`.


@dataclass(frozen=True)
class Counted:
    """By a lab's file: the index of the attempt that counts; and why none counts, although some attempt holds the file."""

    attempts: Mapping[str, int]
    hints: Mapping[str, str] = field(default_factory=dict)


def counted_attempts(
    attempts: Sequence[Attempt], wanted: Iterable[str], deadlines: Mapping[str, datetime | None] | None = None
) -> Counted:
    """In each download one attempt counts as a whole: a later one replaces all that was in an earlier one. Between downloads, the one
    that was handed in last and holds the file counts. An upload that was refused counts where no other holds the file. `deadlines`: by
    file, after which none counts.
    """
    counted, hints = {}, {}
    for file in wanted:
        deadline = (deadlines or {}).get(file)
        of_download: dict[int, int] = {}
        for number, one in enumerate(attempts):
            if deadline is None or one.at is None or one.at <= deadline:
                of_download[one.download] = number
        holding = [number for number in of_download.values() if attempts[number].holds(file)]
        holding = holding or [number for number in of_download.values() if attempts[number].refused is not None]
        if holding:
            # What no time is known of comes first. Of equal ones, the download that was named later counts.
            times = {at: when.timestamp() if (when := attempts[at].at) is not None else 0.0 for at in holding}
            counted[file] = max(holding, key=lambda at: (times[at], attempts[at].download))
        elif lost := [number for number, one in enumerate(attempts) if one.holds(file)]:
            late = all(number > of_download.get(attempts[number].download, -1) for number in lost)
            reason = "after the deadline" if late else "in an earlier attempt, which a later one without it replaced"
            hints[file] = f"it was handed in {reason}"
    return Counted(counted, hints)


# A student's intake with the attempts that count: their files, and what has to be said of them. Pure.


def with_counted(student: Intake, counted: Counted) -> Intake:
    """What no attempt counts for is missing. Hints of the last attempt of each download say what was there instead."""
    attempts = student.attempts
    last = {one.download: number for number, one in enumerate(attempts)}
    shown = sorted({*counted.attempts.values()} or {*last.values()})
    of_file = {file: attempts[number] for file, number in counted.attempts.items()}
    hints: dict[str, str] = {}
    for number in sorted({*last.values(), *shown}):
        hints |= attempts[number].hints
    hints |= counted.hints
    times = [at for number in shown if (at := attempts[number].at) is not None]
    said = [f"{attempts[number].number} of {attempts[number].of}" for number in shown if attempts[number].of > 1]
    refused = attempts[shown[0]].refused if len(shown) == 1 else None
    submission = student.submission.model_copy(
        update={
            "at": max(times).isoformat() if times else "",
            "attempt": ", ".join(dict.fromkeys(said)),
            "notices": tuple(dict.fromkeys(one for number in shown for one in attempts[number].notices)),
            "refused": refused,
        }
    )
    return replace(
        student,
        submission=submission,
        sources={file: one.sources[file] for file, one in of_file.items() if file in one.sources},
        blocked={} if refused else {file: why for file, one in of_file.items() if (why := _blocked(one, file))},
        hints={file: hint for file, hint in hints.items() if file not in counted.attempts},
        counted=dict(counted.attempts),
        # Of the attempt that counts for the lab's file, where it has any; else of the last attempt that has.
        answers={file: answers for one in attempts for file, answers in one.answers.items()}
        | {file: one.answers[file] for file, one in of_file.items() if file in one.answers},
    )


def _blocked(attempt: Attempt, file: str) -> str:
    """Empty: it is taken. Where the upload as a whole was refused, other downloads may still count for other labs."""
    if attempt.refused is not None:
        return f"the submission was refused: {attempt.refused}"
    return attempt.blocked.get(file, "")


# The roster's teams: an upload that is called like a team is each member's, and one member's hand-in counts for all members who have
# none of their own.
#
# Where members handed in different files, nobody says which of them is the team's: each keeps their own, and a notice says so.

_MOST = 5


def with_team_owners(uploads: Sequence[Upload], roster: Roster | None) -> tuple[list[Upload], list[str]]:
    """The same uploads, those that are called like one team of the roster as its members'; and notices. Platforms name a group's folder
    after the group. What is called like a student too, or has a student's number or login, stays as it is; and so does who has an upload
    of their own.
    """
    teams: dict[str, dict[str, list[RosterRow]]] = {}
    persons: set[str] = set()
    for row in roster.rows if roster is not None else ():
        persons.update(_words(row))
        for team in (row.student.team,) if row.student.team else row.groups:
            one = replace(row, student=row.student.model_copy(update={"team": team}))
            teams.setdefault(_form(team), {}).setdefault(team, []).append(one)
    keys = {key for row in (roster.rows if roster is not None else ()) for key in row.keys}
    own: set[str | Key] = set()  # of uploads that are no team's
    found: dict[int, list[RosterRow]] = {}
    for number, upload in enumerate(uploads):
        forms = {_form(word) for word in _called(upload)} - {""}
        theirs = [key for owner in upload.owners for key in keys_of(owner)]
        fitting = [team for form in forms - persons for team in teams.get(form, {}).values()]
        if fitting and all(team is fitting[0] for team in fitting) and keys.isdisjoint(theirs):
            found[number] = fitting[0]
        else:
            own.update(forms, theirs)
    given = list(uploads)
    of_team: dict[str, None] = {}
    for number, members in found.items():
        left = [row.student for row in members if own.isdisjoint([*_words(row), *row.keys])]
        if left:
            given[number] = replace(uploads[number], owners=tuple(left))
            of_team[shown(clean(uploads[number].name))] = None
    return given, [f"called like teams of the roster, so each member has it: {some(of_team)}"] if of_team else []


def _words(row: RosterRow) -> set[str]:
    """What an upload of this student alone may be called."""
    one = row.student
    return {_form(word) for word in (one.name, one.login, one.number, one.email, row.upload)} - {""}


def _called(upload: Upload) -> Iterator[str]:
    """What the group may be called, of an upload that no more than one student or group has."""
    if len(upload.owners) > 1:
        return
    yield upload.name
    for owner in upload.owners:
        yield from (owner.name, owner.login)
        yield from (upload.name.removesuffix(value) for value in owner.platform_ids.values())


def _form(name: str) -> str:
    """Without what platforms take out of a name or put into it."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())


def with_team_shares(students: Sequence[Intake]) -> tuple[list[Intake], list[str]]:
    """Those who handed in nothing get what their team handed in. And notices."""
    teams: dict[str, list[Intake]] = {}
    for one in students:
        if one.submission.student.team:
            teams.setdefault(one.submission.student.team, []).append(one)
    shared: dict[str, Intake] = {}
    notices: list[str] = []
    differing: list[str] = []
    for team, members in teams.items():
        given = [one for one in members if one.submission.handed_in]
        without = [one for one in members if not one.submission.handed_in]
        if len({_contents(one) for one in given}) > 1:
            names, others = (", ".join(one.submission.id for one in them[:_MOST]) for them in (given, without))
            differing.append(f"team {team[:40]!r}: {names}{f'; {others} handed in nothing' if others else ''}")
        elif given:
            shared |= {one.submission.id: _share(one, given[0]) for one in without}
    if shared:
        notices.append(f"{counted_words(len(shared), 'student')} without an upload share their team's")
    if differing:
        notices.append(
            "members of one team handed in different files, so each keeps their own: "
            + "; ".join(differing[:_MOST])
            + ("; …" if len(differing) > _MOST else "")
        )
    return [shared.get(one.submission.id, one) for one in students], notices


def _contents(one: Intake) -> tuple[object, ...]:
    """Equal where the labs' files are."""
    files = tuple((name, path.read_bytes()) for name, path in sorted(one.sources.items()))
    return files, tuple(sorted(one.blocked.items())), one.submission.refused


def _share(member: Intake, given: Intake) -> Intake:
    said = f"this is your team's: {given.submission.name} handed it in"
    own = {name: getattr(member.submission, name) for name in ("id", "name", "student")}
    notices = (*given.submission.notices, said)
    return replace(given, submission=given.submission.model_copy(update=own | {"notices": notices}))


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
    spool.beside = _beside(files)
    found = find_uploads(sources, spool)
    uploads, of_teams = with_team_owners(found.uploads, roster)
    given = deliveries(uploads)
    people = resolve_identities(given, roster, book)
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


def _beside(files: Sequence[LabFile]) -> tuple[str, ...]:
    return tuple(pattern for one in files for pattern in one.beside)


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
    spool = Spool(scratch, names, confinement=confinement)
    spool.beside = _beside(files)
    taken = take_upload(upload, scratch / student_id, files, spool)
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
    _take_notebooks(upload, wanted, match)
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


def _take_notebooks(upload: Upload, wanted: Sequence[LabFile], match: Match) -> None:
    """A cell of the only notebook is a lab's file where that did not come otherwise."""
    notebooks = [one for one in upload.contents.files if one.path[-1].endswith(".ipynb") and one.at is not None]
    missing = [one for one in wanted if one.name not in match.sources and one.name not in match.blocked]
    if len(notebooks) != 1 or not missing or notebooks[0].at is None:
        return
    data = notebooks[0].at.read_bytes()
    for one in missing:
        if (found := notebook_source(data, one.name)) and (len(wanted) == 1 or one.name.encode() in data):
            match.hints.pop(one.name, None)
            match.notices.append(f"took {one.name} from the cells of {clean(notebooks[0].path[-1])!r}")
            match.place(one.name, found)
            names = [name for name in cells_written(data) if one.asks_beside(name) and can_be_named(name)]
            if one.beside and one.name in match.sources:
                match.place_beside(one, {name: notebook_source(data, name) for name in names})


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
        if one.beside and one.name in match.sources:
            match.place_beside(one, {})
