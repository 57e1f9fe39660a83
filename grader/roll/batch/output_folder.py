"""OUT, the folder that a batch writes its results into. It answers two questions: may it be used, and is it ours?

It deletes nothing: other files in `OUT`, and the rest of an earlier batch, stay (publishing.py withdraws pages of its own that are about
an earlier file of a student). What it makes is readable for the instructor
alone, or for the group of an OUT that a group shares (`chmod g+ws OUT`).
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from grader.explain.story import packed_page, unpacked
from grader.model.course_root import matching_lab
from grader.model.errors import HeldByAnotherError, MachineError, RemediableError, exclusively
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight, GradedClass
from grader.model.labs import LabError
from grader.model.result import LabResult, Model, Result, Standing, StepPage, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.plugin import ClassAddition, Export, registered
from grader.roll.people.identities import SAFE, Identities, IdentityFile
from grader.roll.people.identity_resolution import Arrival, Person, resolve_identities
from grader.roll.people.roster import Roster
from grader.roll.policy.grade_history import Basis
from grader.run.scoring.lab_score import total
from grader.system.own_files import is_shared, remove_folder, write_atomically

_LARGEST = 256 << 20  # of a file that is kept
_Read = TypeVar("_Read", bound=BaseModel)
_LOCK = Path("instructor/.lock")
_CLAIM = Path("instructor/OUT.txt")
_CLAIM_TEXT = "Tilelab's results. instructor/ is for the instructor alone; students/<id>/ may be given back.\n"


class OutError(RemediableError):
    """OUT cannot take the results. The message says why, and what to use instead."""


@dataclass(frozen=True)
class OutputFolder:
    """`path` is OUT; `submissions` is what is graded into it."""

    path: Path
    submissions: Path

    @property
    def jobs(self) -> Path:
        """Where outcomes are kept between runs."""
        return self.path / "instructor" / "jobs"

    @property
    def identities(self) -> IdentityFile:
        """Which student has which id."""
        return IdentityFile(self.path / "instructor")

    @property
    def comments(self) -> Path:
        """Where the instructor writes a comment for all who made the same mistake."""
        return self.path / "instructor" / "comments.toml"

    @property
    def private(self) -> Path:
        """What is for the instructor alone."""
        return self.path / "instructor"

    @property
    def students(self) -> Path:
        return self.path / "students"

    @property
    def is_ours(self) -> bool:
        """Whether a batch wrote its results here."""
        return (self.path / _CLAIM).is_file()

    def claim(self) -> None:
        """Prepares the folder for results. If it is not ours to write to, it raises OutError and writes nothing."""
        self.require_usable()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.students.mkdir(mode=self._mode, parents=True, exist_ok=True)
            self.private.mkdir(mode=self._mode, exist_ok=True)
            self.jobs.mkdir(exist_ok=True)
            write_atomically(self.path / _CLAIM, _CLAIM_TEXT)
        except OSError as error:
            raise self._unwritable(error) from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other batch writes here meanwhile. Raises OutError where one does already, or where results cannot be written here. If it is
        left by an exception before `claim`, an OUT that was not there before is gone again.
        """
        self.require_usable()
        made = [] if self.is_ours else [one for one in (self.path, *self.path.absolute().parents) if not one.exists()]
        with ExitStack() as held:
            if not self.is_ours:
                held.push(partial(self._unmark, made))
            try:
                self._mark()
                held.enter_context(exclusively(self.path / _LOCK, wait=False))
            except HeldByAnotherError as error:
                raise OutError(
                    f"{self.path}: another `tilelab grade` writes its results here. Wait until it has ended, or choose another OUT. What "
                    "it has judged is not judged again."
                ) from error
            except OSError as error:
                raise self._unwritable(error) from error
            yield

    def _mark(self) -> None:
        """Makes the folder for the lock, and says whose it is: a batch that is killed at this moment must not be in its own way later."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_shared(self.path):
            os.umask(0o002)  # whatever this program makes in it is for the group as well
        self.private.mkdir(mode=self._mode, exist_ok=True)
        if is_shared(self.path):
            with suppress(OSError):  # somebody else of the group has made it
                (self.path / _LOCK).touch(mode=0o660)
        if not self.is_ours:
            write_atomically(self.path / _CLAIM, _CLAIM_TEXT)

    def _unmark(self, made: Sequence[Path], failed: type[BaseException] | None, *_: object) -> None:
        """Takes `_mark` back where a batch failed before `claim`. `made`: folders above, the innermost first; one that holds anything else
        stays.
        """
        if failed is None or failed is OutError or self.students.exists():
            return
        with suppress(OSError):
            (self.path / _CLAIM).unlink(missing_ok=True)
            (self.path / _LOCK).unlink(missing_ok=True)
            (self.path / "instructor").rmdir()
            for folder in made:
                folder.rmdir()

    def _unwritable(self, error: OSError) -> OutError:
        return OutError(f"{self.path}: results cannot be written here ({error.strerror}). Choose another OUT.")

    def require_usable(self) -> None:
        """Raises OutError if results cannot be written here. Writes nothing."""
        out, source = self.path, self.submissions
        real_out, real_source = out.resolve(), source.resolve()
        if out.exists() and not out.is_dir():
            raise OutError(f"{out}: this is a file. OUT is the folder that results are written to.")
        if real_out.is_relative_to(real_source):
            raise OutError(f"{out}: this lies inside SUBMISSIONS ({source}). Choose an OUT beside it.")
        if any(real_source.is_relative_to(real_out / part) for part in ("students", "instructor")):
            raise OutError(f"{source}: these are results of {out}, not submissions. Choose another OUT.")
        existing = next(parent for parent in (out, *out.absolute().parents) if parent.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            raise OutError(
                f"{out}: results cannot be written here ({existing} may not be written to). Choose another OUT."
            )
        plugins = (*registered(ClassAddition), *registered(Export))
        ours = ("index.html", *(Path(one.file).parts[0] for one in plugins), "students", "instructor")
        if not self.is_ours and (foreign := [name for name in ours if os.path.lexists(out / name)]):
            raise OutError(
                f"{out}: this folder holds {foreign[0]!r}, which tilelab did not write and would overwrite. Choose another OUT."
            )

    @property
    def _mode(self) -> int:
        """Of a folder that is made."""
        return 0o770 if is_shared(self.path) else 0o700

    def open_notices(self) -> list[str]:
        """A notice where others on this machine may read results, as they may in an OUT of an older version."""
        folders = (self.path, self.students)
        rights = [one.stat().st_mode & (0o007 if is_shared(self.path) else 0o077) for one in folders]
        if not all(rights):
            return []
        keep = f"chmod -R go= {shlex.quote(str(self.path))}"
        return [f"{self.students} can be read by other users of this machine. To keep results to yourself: {keep}"]

    def left_over(self, current: Collection[str]) -> list[str]:
        """A notice about pages of an earlier batch whose students are not among the `current` ids."""
        old = sorted(path.name for path in self.students.iterdir() if path.name not in current)
        said = f"{self.students} still holds pages of {len(old)} not in this batch, as they were: {', '.join(old[:5])}"
        return [said] if old else []

    def record_faults(self, faults: Sequence[str]) -> None:
        """Writes what failed on our side, including stack traces, for the person who looks into it."""
        path = self.path / "instructor" / "faults.txt"
        with suppress(OSError):  # OUT is full: then that is among the faults, and said on the terminal
            if not faults and not path.exists():
                return
            write_atomically(path, "\n\n".join(faults) + "\n" if faults else "Nothing broke in the last run.\n")


def read_kept(path: Path, kind: type[_Read]) -> _Read | None:
    """What an earlier batch has written. None: it is missing, damaged, or far too large."""
    try:
        return kind.model_validate_json(path.read_bytes()) if path.stat().st_size <= _LARGEST else None
    except (OSError, ValidationError, RecursionError):
        return None


def graded_folder(out: str) -> OutputFolder:
    """The OUT of an earlier batch. Raises RemediableError."""
    folder = OutputFolder(Path(out), Path("submissions that nobody reads"))
    if not out.strip() or not folder.is_ours:
        raise RemediableError(f"{out}: this folder holds no graded class. Name the OUT of `make grade`.")
    return folder


def digest(data: bytes | str) -> str:
    return hashlib.blake2b(data.encode() if isinstance(data, str) else data, digest_size=16).hexdigest()


# A batch's folder for temporary files. One that a killed batch has left behind is removed by the next.
#
# Its owner holds a lock file in it, which the kernel lets go when the owner ends; a folder whose lock is free has no owner.

_PREFIX = "tilelab-batch-"
_SCRATCH_FOLDER_LOCK = ".owner"


def require_temporary_files() -> None:
    """Raises MachineError where temporary files cannot be written: nothing works then, and each thing says so in its own way."""
    try:
        with tempfile.TemporaryFile() as probe:
            probe.write(bytes(1 << 16))  # a full disk still makes files and folders
            probe.flush()
    except OSError as error:
        raise MachineError(
            f"temporary files cannot be written ({error}). Make room there, or name another folder with TMPDIR; nothing was graded."
        ) from error


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Raises MachineError where temporary files cannot be written."""
    require_temporary_files()
    place = Path(tempfile.gettempdir())
    remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with exclusively(folder / _SCRATCH_FOLDER_LOCK):
            yield folder
    finally:
        remove_folder(folder)


def remove_abandoned(place: Path) -> None:
    """Those of this user alone. One without a lock file is being made, or emptied, at this moment."""
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            lock = folder / _SCRATCH_FOLDER_LOCK
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or not lock.is_file():
                continue
            with exclusively(lock, wait=False):
                remove_folder(folder)
        except (OSError, HeldByAnotherError):
            continue


# What OUT keeps of the class that a batch graded last, so that its pages and exports are written again without what was handed in.
#
# instructor/pages/class.json is about the class, and is written last. instructor/<id>.json is about one student; it holds the student's
# code. Both are plain data for the instructor alone; a damaged file counts as a missing one. Records of earlier batches may lie beside
# those of the last one, so what is not listed in class.json is not in any export.

GRADE_AGAIN = "Grade once more into this OUT: what has not changed is not judged again."


class LastBatch(Model):
    schema_: Literal["tilelab/last-batch/v2"] = Field(default="tilelab/last-batch/v2", alias="schema")
    title: str
    assignment: str = ""  # what the instructor called it for exports
    labs: tuple[str, ...]
    students: tuple[str, ...]  # their ids, in the order of the class
    seed: int
    now: str  # when deadlines were looked at: ISO 8601
    stopped: str = ""  # why grading stopped; then nothing is known of the class
    comments: str = ""  # the file of comments that was named; empty: the one in OUT
    course: str = ""  # the course.toml that was named; empty: the course's own
    rostered: tuple[str, ...] | None = None  # ids of those in the roster; none: there was no roster
    roster: str = ""  # the roster's file that only an export was given; what is exported again has its students too
    notices: tuple[str, ...] = ()  # but those about the course's policy
    bases: dict[str, Basis] = Field(default_factory=dict)  # by lab
    likenesses: dict[str, dict[str, str]] = Field(default_factory=dict)  # by lab and behaviour
    insight: ClassInsight = NOTHING_KNOWN


class SaidHandIn(Model):
    """When a student handed in what counts for a lab, as the platform says."""

    at: str = ""  # ISO 8601; empty: it does not say
    late: bool = False  # it says only that it was late


class KeptStepPage(Model):
    """A page that steps through a block. Its text lies beside the report."""

    page: StepPage  # without its text
    text: str  # a digest


class Record(Model):
    """What is kept of a student."""

    seed: int
    result: Result
    texts: dict[str, str] = Field(default_factory=dict)  # by name of a file
    digests: dict[str, str] = Field(default_factory=dict)  # by lab: of the file as it was handed in
    said: dict[str, SaidHandIn] = Field(default_factory=dict)  # by lab
    step_pages: dict[str, tuple[KeptStepPage, ...]] = Field(default_factory=dict)  # by lab


@dataclass(frozen=True)
class LastBatchFile:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "pages" / "class.json"

    def read(self) -> LastBatch:
        """Raises RemediableError."""
        batch = read_kept(self.path, LastBatch)
        if batch is None or not all(SAFE.fullmatch(one) for one in batch.students):
            raise RemediableError(
                f"{self.path}: this says which students the last batch had and what its pages were made from. It is missing or cannot be "
                f"read, as after a batch of an older version. {GRADE_AGAIN}"
            )
        return batch

    def records(self, batch: LastBatch) -> tuple[list[Record], list[str]]:
        """Those of the class as it was graded, and which cannot be used: their students are missing."""
        records, lost = [], []
        for student in batch.students:
            path = self.private / f"{student}.json"
            record = read_kept(path, Record)
            if record is not None and tuple(record.result.labs) == batch.labs:
                records.append(record)
            else:
                why = "cannot be read" if record is None else "is of another batch"
                lost.append(f"{path} {why}, so its student is missing in all exports: grade again")
        return records, lost

    def graded(self, batch: LastBatch) -> tuple[GradedClass, list[str]]:
        """The class as it was graded, and the records that cannot be used."""
        records, lost = self.records(batch)
        return GradedClass(batch.title, batch.labs, tuple(one.result for one in records)), lost

    def later_roster(self) -> str:
        """Of the last batch, see LastBatch.roster. Empty where that file is gone."""
        before = read_kept(self.path, LastBatch)
        return before.roster if before is not None and before.roster and Path(before.roster).is_file() else ""

    def seed_notices(self, seed: int) -> list[str]:
        """A notice where the last batch was graded with another seed."""
        before = read_kept(self.path, LastBatch)
        notice = (
            f"{self.private.parent} was graded with another seed before: everything was judged again, on other random sizes. If that was "
            "not meant, write the old number into the seed file again: each record in instructor/ begins with it"
        )
        return [] if before is None or before.seed == seed else [notice]


def kept_step_pages(result: Result) -> dict[str, tuple[KeptStepPage, ...]]:
    return {
        lab_id: tuple(
            KeptStepPage(page=page.model_copy(update={"packed": ""}), text=digest(unpacked(page)))
            for page in lab.step_pages
        )
        for lab_id, lab in result.labs.items()
        if lab.step_pages
    }


def with_step_pages(
    result: Result, kept: Mapping[str, Sequence[KeptStepPage]], folder: Path
) -> tuple[Result, list[str]]:
    """The result with the pages that still lie in the student's `folder`, and the names of those that do not, or were changed."""
    labs, gone = dict(result.labs), []
    for lab_id, ones in kept.items():
        found = []
        for one in ones:
            try:
                text = (folder / one.page.name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                text = ""
            if text and digest(text) == one.text:
                found.append(packed_page(one.page.name, text, one.page.links))
            else:
                gone.append(one.page.name)
        if lab_id in labs:
            labs[lab_id] = labs[lab_id].model_copy(update={"step_pages": tuple(found)})
    return result.model_copy(update={"labs": labs}), gone


# A graded class with some of its labs alone, where each lab is an assignment of its own on the platform. Pure.

_DUST = 1e-6


def with_labs(graded: GradedClass, chosen: Sequence[str]) -> GradedClass:
    """Totals and maxima are those of the `chosen` labs. Raises RemediableError."""
    try:
        chosen = [matching_lab(graded.lab_ids, one) for one in chosen]
    except LabError as error:
        raise RemediableError(f"in the last batch, {error}") from error
    adjusted = [one.submission.id for one in graded.results if abs(one.total - total(one.labs)[0]) > _DUST]
    if adjusted:
        raise RemediableError(
            f"the total of {adjusted[0]} is not the sum of the labs' points, as late days or a person's decision may make it: then no lab "
            "can be exported alone. Leave --lab out."
        )
    ids, parts = tuple(one for one in graded.lab_ids if one in chosen), []
    for result in graded.results:
        labs = {lab_id: result.labs[lab_id] for lab_id in ids}
        points, most = total(labs)
        parts.append(result.model_copy(update={"labs": labs, "total": points, "max": most}))
    return replace(graded, lab_ids=ids, results=tuple(parts))


# A graded class with a roster that was given afterwards: names and numbers as it says them, and those who handed in nothing.
#
# Who has which id does not change. Only the roster's file is kept, so that exports that are written again have the same students.


def with_roster(graded: GradedClass, roster: Roster, book: Identities) -> tuple[GradedClass, list[str]]:
    """The class with the roster's students, and notices about their identities."""
    given = [one for one in graded.results if one.submission.handed_in]
    absent = {one.submission.id: one for one in graded.results if not one.submission.handed_in}
    people = resolve_identities([_arrival(one.submission) for one in given], roster, book)
    usual = _still_open(graded.results)
    results = [_as(one, person) for one, person in zip(given, people.arrived, strict=True)]
    for person in people.absent:
        known = absent.get(person.id)
        if known is not None:
            results.append(_as(known, person))
        elif graded.results:
            results.append(_nothing(person, graded.results[0], usual))
    return replace(graded, results=tuple(results)), list(people.notices)


def _arrival(submission: Submission) -> Arrival:
    student = submission.student
    known = any((student.name, student.login, student.number, student.email, student.platform_ids))
    return Arrival(submission.name, submission.name, student if known else None)


def _as(result: Result, person: Person) -> Result:
    """Whatever id was found for the person, the result keeps its own: its page and its record are called so."""
    return result.model_copy(update={"submission": result.submission.model_copy(update={"student": person.student})})


def _still_open(results: Sequence[Result]) -> dict[str, Standing]:
    """Labs whose usual deadline was still to come when the class was graded: they are no zeros for anybody."""
    standings = [(lab_id, lab.standing) for one in results for lab_id, lab in one.labs.items() if lab.standing]
    return {lab_id: one for lab_id, one in standings if one.open and not one.extended_from}


def _nothing(person: Person, like: Result, still_open: Mapping[str, Standing]) -> Result:
    """Of somebody who is on this roster alone."""
    student = person.student
    name = student.name or student.login or person.id
    submission = Submission(id=person.id, name=name, student=student, handed_in=False)
    labs = {lab_id: _not_handed_in(lab, still_open.get(lab_id)) for lab_id, lab in like.labs.items()}
    return Result(submission=submission, environment=like.environment, labs=labs, total=0.0, max=like.max)


def _not_handed_in(lab: LabResult, standing: Standing | None) -> LabResult:
    return LabResult(
        title=lab.title,
        file=lab.file,
        contract=lab.contract,
        verdict=Verdict.MISSING_FILE,
        points=0.0,
        max_points=lab.max_points,
        extra_credit=lab.extra_credit,
        standing=standing,
    )
