"""The course's policy in a batch: when each student handed in each lab, what late days earlier labs took, and the history of grades.

The rules are in grader/roll/policy/. Nothing here is judged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from glob import glob
from pathlib import Path

from grader.model.labs import Lab
from grader.model.result import LabResult, Result
from grader.model.written_names import some
from grader.roll.batch.output_folder import Record, SaidHandIn, kept_step_pages, read_kept
from grader.roll.intake.intake import Counted, Intake, counted_attempts, with_counted
from grader.roll.people.identities import Identities, IdentityFile
from grader.roll.policy.class_policy import Applied, Candidate, ClassPolicy, apply_policy
from grader.roll.policy.course_file import PolicyError
from grader.roll.policy.grade_history import Basis, KeptBatch, KeptGrade, last_grades, new_grades, with_changes
from grader.roll.policy.late_rules import handed_in_at
from grader.system.own_files import write_atomically

# Which of a student's attempts counts by the course's policy: those in time, or the best once all points are known.
#
# It reads files that were taken, and writes nothing.

MOST = 20  # different files of a student for one lab that are judged to find the best


@dataclass(frozen=True)
class OtherAttempt:
    """An attempt that does not count yet, as a submission of its own. Its points may show that it is the best."""

    student: int  # whose: the number in the class
    attempt: int
    intake: Intake


def before_deadlines(students: Sequence[Intake], labs: Sequence[Lab], policy: ClassPolicy) -> list[Intake]:
    """For each lab, the last attempt that was in time counts, where the course says so."""
    if policy.course.attempts != "before-deadline":
        return list(students)
    return [_in_time(one, labs, policy) for one in students]


def other_attempts(
    students: Sequence[Intake], labs: Sequence[Lab], policy: ClassPolicy
) -> tuple[list[OtherAttempt], list[str]]:
    """Those with a lab's file for which another attempt counts, where the course takes the best one. Of each lab the last different files
    are taken; the second part tells the instructor whose earlier ones are not.
    """
    if policy.course.attempts != "best":
        return [], []
    files = [lab.public.file for lab in labs]
    found, shortened = [], []
    for number, student in enumerate(students):
        tried = {file: _last_different(student, file) for file in files}
        shortened += [f"{student.submission.id} {lab.id}" for lab in labs if tried[lab.public.file][1]]
        for attempt, one in enumerate(student.attempts):
            others = [file for file in files if attempt in tried[file][0] and student.counted.get(file) != attempt]
            if sources := {file: one.sources[file] for file in others}:
                name = f"{student.submission.id}, another attempt ({attempt + 1})"
                submission = student.submission.model_copy(update={"id": name, "refused": None})
                found.append(OtherAttempt(number, attempt, Intake(submission, sources=sources)))
    notice = (
        f"{policy.course.name}: only the last {MOST} different files of a lab are judged to find the best, and these handed in more: "
        f"{some(shortened)} ({len(shortened)} in all)"
    )
    return found, [notice] if shortened else []


def _last_different(student: Intake, file: str) -> tuple[set[int], bool]:
    """The attempts with one of a lab's last different files, and whether there are others. An earlier attempt with the same file is judged
    with it, and is less late.
    """
    digests = {
        attempt: hashlib.sha256(one.sources[file].read_bytes()).digest()
        for attempt, one in enumerate(student.attempts)
        if file in one.sources
    }
    kept = set(list(dict.fromkeys(reversed(digests.values())))[:MOST])
    taken = {attempt for attempt, digest in digests.items() if digest in kept}
    return taken, len(taken) < len(digests)


def _in_time(student: Intake, labs: Sequence[Lab], policy: ClassPolicy) -> Intake:
    grace = policy.course.late.grace
    dues = {lab.id: policy.due(student.submission, lab.id).at for lab in labs}
    deadlines = {lab.public.file: None if (due := dues[lab.id]) is None else due + grace for lab in labs}
    counted = counted_attempts(student.attempts, deadlines, deadlines)
    same = dict(counted.attempts) == dict(student.counted) and not counted.hints
    return student if same or not student.attempts else _recounted(student, counted)


def _recounted(student: Intake, counted: Counted) -> Intake:
    """What was said of the student besides the attempts, such as whose team's it is, stays said."""
    of_attempts = {notice for one in student.attempts for notice in one.notices}
    besides = [notice for notice in student.submission.notices if notice not in of_attempts]
    new = with_counted(student, counted)
    notices = (*new.submission.notices, *besides)
    return replace(new, submission=new.submission.model_copy(update={"notices": notices}))


# The folder OUT/instructor/history: a file for each batch that found something new, numbered, and never written again.
#
# A file is there as a whole or not at all, also after a crash or a loss of power. One that cannot be read stays as it is, and a notice
# says so.

_NAME = re.compile(r"(\d{5,})\.json")


@dataclass
class HistoryFolder:
    """`private`: the instructor's folder in OUT; it need not exist."""

    private: Path
    notices: list[str] = field(default_factory=list)  # what was found damaged

    @property
    def path(self) -> Path:
        return self.private / "history"

    def read(self) -> list[KeptBatch]:
        """The oldest first."""
        batches = []
        for path in self._files().values():
            if (batch := read_kept(path, KeptBatch)) is not None:
                batches.append(batch)
            else:
                self.notices.append(
                    f"{path}: this part of the grades' history cannot be read, so it is not known what changed then. It stays as it is; "
                    "no grade of a lab in this batch follows from it"
                )
        return batches

    def with_new(
        self,
        results: Sequence[Result],
        known: Sequence[KeptBatch],
        sources: Mapping[tuple[str, str], str],
        bases: Mapping[str, Basis],
        now: datetime,
    ) -> tuple[tuple[Result, ...], int, list[str]]:
        """Appends what is new. The results with their changes, how many grades are others now, and what could not be written: nothing is
        lost by that, for the next batch finds it again. `sources`: by student and lab, the digest of the file.
        """
        batches, unwritten = list(known), []
        found = new_grades(results, sources, bases, last_grades(known))
        if found:
            date = now.astimezone(UTC).isoformat(timespec="seconds")
            batches.append(KeptBatch(date=date, kit=results[0].environment.kit, grades=found))
            text = batches[-1].model_dump_json(by_alias=True) + "\n"
            try:
                path = self.path / f"{max(self._files(), default=0) + 1:05}.json"
                write_atomically(path, text, durable=True)
            except OSError as error:
                unwritten.append(f"{self.path}: {error.strerror}")
        return tuple(with_changes(results, batches)), len(found), unwritten

    def _files(self) -> dict[int, Path]:
        """By their numbers."""
        try:
            found = {int(match[1]): one for one in self.path.iterdir() if (match := _NAME.fullmatch(one.name))}
        except FileNotFoundError:
            return {}
        return dict(sorted(found.items()))


@dataclass
class Standings:
    """What turns a batch's scores into grades."""

    policy: ClassPolicy
    students: list[Intake]  # with the attempts that count
    labs: Sequence[Lab]
    history: HistoryFolder
    now: datetime
    elsewhere: Mapping[tuple[str, str], KeptGrade] = field(default_factory=dict)  # by student and lab: other OUTs
    known: list[KeptBatch] = field(default_factory=list)  # of earlier batches, once it was read

    def applied(self, results: Sequence[Result], others: Sequence[OtherAttempt] = ()) -> Applied:
        """The results by the course's policy, and notices about them and about the history. `results`: of the students, then of the
        `others`, among which the best may be.
        """
        self.known = self.history.read()
        own, of_others = results[: len(self.students)], results[len(self.students) :]
        candidates: dict[tuple[str, str], list[Candidate]] = {}
        for student, result in zip(self.students, own, strict=True):
            for lab in self.labs:
                counted = student.counted.get(lab.public.file, -1)
                candidates[student.submission.id, lab.id] = [self._candidate(student, counted, lab, result)]
        for other, result in zip(others, of_others, strict=True):
            student = self.students[other.student]
            for lab in self.labs:
                if lab.public.file in other.intake.sources:
                    tried = candidates[student.submission.id, lab.id]
                    tried.append(self._candidate(student, other.attempt, lab, result))
                    tried.sort(key=lambda one: one.attempt)
        earlier = earlier_labs({**self.elsewhere, **last_grades(self.known)}, [lab.id for lab in self.labs])
        applied = apply_policy(own, self.policy, candidates, self.now, earlier)
        self.students = [self._with_chosen(one, applied.chosen) for one in self.students]
        both = zip(applied.results, self.students, strict=True)
        final = tuple(result.model_copy(update={"submission": student.submission}) for result, student in both)
        return Applied(final, (*self.history.notices, *applied.notices))

    def _candidate(self, student: Intake, attempt: int, lab: Lab, result: Result) -> Candidate:
        said, found = _said(student, attempt), result.labs[lab.id]
        return candidate(self.policy, student.submission.id, found, lab.id, said, attempt)

    def keep(self, results: Sequence[Result], bases: Mapping[str, Basis]) -> tuple[tuple[Result, ...], list[str]]:
        """The results with their changes, and what could not be written."""
        changed, _, unwritten = self.history.with_new(results, self.known, self._sources(), bases, self.now)
        return changed, unwritten

    def records(
        self, results: Sequence[Result], texts: Mapping[str, Mapping[str, str]], seed: int
    ) -> dict[str, Record]:
        """By student. `results`: of the students, in their order; `texts`: of their files."""
        digests = self._sources()
        return {
            student.submission.id: Record(
                seed=seed,
                result=result,
                texts=dict(texts[student.submission.id]),
                digests={lab.id: found for lab in self.labs if (found := digests.get((student.submission.id, lab.id)))},
                said={lab.id: _said(student, student.counted.get(lab.public.file, -1)) for lab in self.labs},
                step_pages=kept_step_pages(result),
            )
            for student, result in zip(self.students, results, strict=True)
        }

    def _with_chosen(self, student: Intake, chosen: Mapping[tuple[str, str], Candidate]) -> Intake:
        attempts = {lab.public.file: chosen[student.submission.id, lab.id].attempt for lab in self.labs}
        moved = {file: at for file, at in attempts.items() if at >= 0 and student.counted.get(file) != at}
        return _recounted(student, Counted({**student.counted, **moved})) if moved else student

    def _sources(self) -> dict[tuple[str, str], str]:
        """By student and lab, the digest of the file."""
        every = [(student, lab) for student in self.students for lab in self.labs if lab.public.file in student.sources]
        paths = {(student.submission.id, lab.id): student.sources[lab.public.file] for student, lab in every}
        digests = {path: hashlib.sha256(path.read_bytes()).hexdigest()[:32] for path in {*paths.values()}}
        return {key: digests[path] for key, path in paths.items()}


def candidate(
    policy: ClassPolicy, student: str, found: LabResult, lab: str, said: SaidHandIn, attempt: int = -1
) -> Candidate:
    """What the platform does not say, the instructor may have said."""
    at = handed_in_at(said.at, policy.course.zone) or policy.times.get((student, lab))
    return Candidate(found, at, said.late, attempt)


def earlier_labs(known: Mapping[tuple[str, str], KeptGrade], labs: Sequence[str]) -> dict[str, dict[str, KeptGrade]]:
    """By student, those that are none of `labs`."""
    found: dict[str, dict[str, KeptGrade]] = {}
    for (student, lab), one in known.items():
        if lab not in labs:
            found.setdefault(student, {})[lab] = one
    return found


def _said(student: Intake, attempt: int) -> SaidHandIn:
    """Of one attempt; of a student whose attempts are not known, of the whole submission."""
    if attempt < 0:
        return SaidHandIn(at=student.submission.at)
    one = student.attempts[attempt]
    return SaidHandIn(at="" if one.at is None else one.at.isoformat(), late=one.late)


# What other OUT folders of the same term say of labs that this batch does not grade: late days are counted over all of them.
#
# course.toml names the folders. Nothing in them is changed. Ids are each OUT's own, so students are found by what tells them apart.


@dataclass
class OtherOuts:
    """`grades`: by student, with this OUT's ids, and lab."""

    grades: dict[tuple[str, str], KeptGrade] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def other_outs(patterns: Sequence[str], own: Path, book: Identities) -> OtherOuts:
    """Of two OUTs with one lab, the one that was graded last counts. Raises PolicyError where a pattern names no graded class, and
    RemediableError.
    """
    found = OtherOuts()
    dated = []
    for private in _folders(patterns, own):
        history = HistoryFolder(private)
        batches = history.read()
        found.notices += history.notices
        if batches:
            dated.append((batches[-1].date, private, batches))
    for _, private, batches in sorted(dated, key=lambda one: one[:2]):
        theirs = {one.id: book.find(list(one.keys)) for one in IdentityFile(private).read().all}
        unknown: dict[str, None] = {}
        for (student, lab), grade in last_grades(batches).items():
            if (ours := theirs.get(student)) is not None:
                found.grades[ours.id, lab] = grade
            elif grade.at:
                unknown[student] = None
        if unknown:
            found.notices.append(
                f"{private.parent}: {len(unknown)} who handed in there cannot be told among the students here, so their late days there do "
                f"not count: {some(unknown)}. A roster with numbers, logins or addresses in both batches tells them"
            )
    return found


def _folders(patterns: Sequence[str], own: Path) -> list[Path]:
    """The instructor's folder in each OUT, without this one's."""
    folders: dict[Path, None] = {}
    for pattern in patterns:
        named = sorted(map(Path, glob(pattern))) if "*" in pattern else [Path(pattern)]  # noqa: PTH207 -- from the root as well
        graded = [one for one in named if (one / "instructor" / "history").is_dir()]
        if not graded and "*" not in pattern and Path(pattern).resolve() != own.resolve():
            raise PolicyError(
                f"course.toml, [late], also_in: {pattern} holds no graded class. Name an OUT of `make grade`, or graded/*."
            )
        folders |= {one.resolve() / "instructor": None for one in graded if one.resolve() != own.resolve()}
    return list(folders)
