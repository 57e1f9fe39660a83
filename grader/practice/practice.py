"""A student's work on some labs: which labs, which files, and how far they are. Public tests only; hidden tests are never used.

It opens files and judges them. The reports decide what is shown.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from grader.course.manifest import MANIFEST, Manifest, digest
from grader.intake.source_text import normalise
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError, lab_ids, load_lab
from grader.model.outcomes.outcome import LabOutcome, unjudged
from grader.model.result import Case, Suspect
from grader.model.verdicts import Verdict
from grader.practice.own_file import lookalikes, readable_source
from grader.practice.public_tests import PublicJudge, matching_cases, no_such_case, public_half, try_out
from grader.reports.screens.checklist import Tried
from grader.scoring.lab_score import score_lab

_NOT_BEGUN = "This is still the starter file."


class Sweep(Protocol):
    """Adds a size sweep to an outcome, if one can be made."""

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path, /) -> LabOutcome: ...


class Tests(Protocol):
    """The programs that test labs: see `LabTests`."""

    def can_wait(self, lab: Lab, /) -> bool: ...

    def build(self, labs: Sequence[Lab], /) -> None: ...


class Search(Protocol):
    """Looks for lines that explain a wrong result, until it is stopped."""

    def suspects(
        self, lab: Lab, text: str, cases: Sequence[Case], /, *, stopped: Callable[[], bool]
    ) -> tuple[Suspect, ...]: ...


@dataclass(frozen=True)
class Practice:
    root: Path
    labs: Sequence[Lab]
    judge: PublicJudge
    case: str | None = None
    file: Path | None = None  # used instead of the file in the lab's folder
    sweep: Sweep | None = None  # none: not requested
    search: Search | None = None  # none: nobody asks which line is wrong
    tests: Tests | None = None  # none: the judge has all of them

    def path(self, lab: Lab) -> Path:
        """The file that is tested."""
        return self.file or lab.public_dir / lab.public.file

    def attempt(self, lab: Lab) -> Tried:
        """Raises LabError if there is no such case, or no such file with source text."""
        path = self.path(lab)
        if self.is_left_alone(lab):
            result = score_lab(public_half(lab), unjudged(lab.id, Verdict.MISSING_FILE, _NOT_BEGUN))
        else:
            if self.needs_tests(lab) and self.tests is not None:
                self.tests.build([lab])
            with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
                result = try_out(lab, path, Path(scratch), self._judged, case=self.case)
        data = path.read_bytes()
        text = normalise(data)[0].decode("utf-8", "replace")
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        untouched, speed = self._is_starter(lab, data), lab.public.speed_points
        beside = tuple(lookalikes(path)) if untouched else ()
        return Tried(lab.id, result, text, name, untouched=untouched, speed_points=speed, beside=beside)

    def is_left_alone(self, lab: Lab) -> bool:
        """Whether the lab is not tested, because its file is still the starter and its tests would have to be built first."""
        if self.tests is None or self.file is not None or self.case is not None or not self.tests.can_wait(lab):
            return False
        data = self._readable(lab)
        return data is not None and self._is_starter(lab, data)

    def needs_tests(self, lab: Lab) -> bool:
        """Whether there is a file to test; `attempt` says what is wrong with another one."""
        return self._readable(lab) is not None and not self.is_left_alone(lab)

    def _readable(self, lab: Lab) -> bytes | None:
        try:
            return readable_source(self.path(lab), lab)
        except LabError:
            return None

    def suspected(self, tried: Tried, *, stopped: Callable[[], bool] = bool) -> Tried:
        """With the lines to look at, where a result is wrong and small changes show them. This takes seconds."""
        lab = next(lab for lab in self.labs if lab.id == tried.lab_id)
        known = any(cause.line for cause in tried.result.causes)  # a second place would only lead away from it
        if self.search is None or self.case is not None or tried.starting or known:
            return tried
        text = normalise(tried.source.encode())[0].decode("utf-8", "replace")
        try:
            found = self.search.suspects(lab, text, tried.result.cases, stopped=stopped)
        except Exception:  # noqa: BLE001 -- the result stands without it
            return tried
        places = tuple(Suspect(lines=one.lines) for one in found)
        return dataclasses.replace(tried, result=tried.result.model_copy(update={"suspects": places}))

    def _judged(self, lab: Lab, source: Path, scratch: Path, *, only: tuple[str, ...]) -> LabOutcome:
        """A failure of ours becomes an outcome too, so that the other labs are still tested."""
        try:
            outcome = self.judge(lab, source, scratch, only=only)
            return self.sweep.add(lab, source, outcome, scratch) if self.sweep else outcome
        except RemediableError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, a student gets a sentence and no stack trace
            said = f"the tests broke: {type(error).__name__}: {error}. Run them again; if that does not help, tell your instructor"
            return unjudged(lab.id, Verdict.INTERNAL_ERROR, said)

    def after(self, lab_id: str) -> str:
        """The next lab of the course; empty after the last one."""
        ids = lab_ids(self.root)
        return next(iter(ids[ids.index(lab_id) + 1 :]), "") if lab_id in ids else ""

    def next_lab(self, lab_id: str) -> Lab | None:
        """The same as a lab. Raises LabError if its files are wrong."""
        following = self.after(lab_id)
        return load_lab(self.root, following) if following else None

    def write_up(self, lab_id: str) -> str:
        """The text of the lab's README.md; empty if it cannot be read."""
        lab = next(lab for lab in self.labs if lab.id == lab_id)
        try:
            return (lab.public_dir / "README.md").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _is_starter(self, lab: Lab, data: bytes) -> bool:
        return digest(data) == self._starters.get(lab.id)

    @cached_property
    def _starters(self) -> dict[str, str]:
        """Digests of the files as they were handed out. In the course's own repository, of the files in assignments/."""
        paths = {lab.id: lab.public_dir / lab.public.file for lab in self.labs}
        manifest = self.root / MANIFEST
        if manifest.is_file():
            known = Manifest.from_json(manifest.read_bytes(), str(manifest)).files
            names = {lab_id: path.relative_to(self.root).as_posix() for lab_id, path in paths.items()}
            return {lab_id: known[name] for lab_id, name in names.items() if name in known}
        return {lab.id: _starter_digest(lab) for lab in self.labs if lab.private_dir}


def _starter_digest(lab: Lab) -> str:
    """The digest of the starter that the model solution gives; empty if it cannot be made."""
    from grader.course.markers import MarkerError  # noqa: PLC0415 -- an instructor's machine alone gets here
    from grader.course.starters import starter_of  # noqa: PLC0415

    assert lab.private_dir is not None
    try:
        source = lab.private_dir / lab.public.file
        return digest(starter_of(source.read_text(encoding="utf-8"), source.name).encode())
    except (OSError, MarkerError):
        return ""


def chosen_labs(start: Path, wanted: Sequence[str], *, case: str | None, file: Path | None) -> tuple[Path, list[Lab]]:
    """The course and the chosen labs: those named, or the one that contains `start`, or all; with `case`, those of them that have such
    a case. Raises LabError.
    """
    root = course_root(start)
    ids = [matching_lab(root, one) for one in wanted]
    if not ids and (file or _inside(root, start)):
        ids = [lab_at(root, start)]
    labs = load_labs(root, ids)
    if file and len(labs) > 1:
        message = f"one file goes with one lab: name it, as in LAB={labs[0].id}"
        raise LabError(message)
    if case is not None:
        having = [lab for lab in labs if matching_cases(lab, case)]
        if not having:
            raise LabError(no_such_case(labs, case))
        labs = having
    return root, labs


def chosen_cases(practice: Practice) -> str:
    """Which tests `case` took: `CASE='square' took 2 of 5 tests`. Empty where it is the whole name of one."""
    if practice.case is None:
        return ""
    taken = [(lab, matching_cases(lab, practice.case)) for lab in practice.labs]
    number = sum(len(cases) for _, cases in taken)
    if number == 1 and taken[0][1][0].name.casefold() == practice.case.casefold():
        return ""
    every = sum(len(lab.public.case) for lab, _ in taken)
    labs = f" of {len(taken)} labs" if len(taken) > 1 else ""
    return f"CASE={practice.case!r} took {number} of {every} tests{labs}"


def _inside(root: Path, start: Path) -> bool:
    """Whether `start` lies in a lab's folder."""
    try:
        lab_at(root, start)
    except LabError:
        return False
    return True


def focus_of(tried: Sequence[Tried]) -> Tried | None:
    """The lab to work on: the only one, else the first that does not pass, extra credit last. None if all pass."""
    if len(tried) == 1:
        return tried[0]
    open_ones = [one for one in tried if not one.passed]
    return min(open_ones, key=lambda one: one.result.extra_credit, default=None)
