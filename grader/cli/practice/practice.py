"""A student's work on some labs: which labs, which files, and how far they are. Public tests only; hidden tests are never used.

It opens files and judges them. The reports decide what is shown.
"""

# ruff: noqa: PLC0415 -- what `tilelab test` does not need is imported where it is: that command is run many times a day

from __future__ import annotations

import difflib
import hashlib
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.engines.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import CaseSpec, Lab, LabError, lab_ids
from grader.model.outcome import LabOutcome, unjudged
from grader.model.result import Suspect
from grader.model.verdicts import Verdict
from grader.source.student_code import normalise, notebook_source

if TYPE_CHECKING:
    from grader.pages.screens.first_mistake import Tried

# The file that a student works on: its bytes, or a sentence that says why it cannot be tested and what to do. It compiles nothing.

_MOST_BYTES = 4 * 1024 * 1024  # as an upload may have, and more: a limit that no kernel meets
_TEXT = "Copy the code into a plain text file"
# How files begin that are no text, whatever they are called.
_STRANGERS = (
    (b"PK\x03\x04", "is a document of Word or LibreOffice, or another zip, and no text"),
    (b"\xd0\xcf\x11\xe0", "is a document of Word and no text"),
    (b"{\\rtf", "is a document (RTF) and no plain text"),
    (b"%PDF", "is a PDF and no text"),
    (b"\x7fELF", "is a compiled program and no source text"),
    (b"\x1f\x8b", "is an archive and no text"),
    (b"\x89PNG", "is a picture and no text"),
    (b"\xff\xd8\xff", "is a picture and no text"),
    (b"<!doctype html", "is a web page and no CUDA source"),
    (b"<html", "is a web page and no CUDA source"),
)


def readable_source(path: Path, lab: Lab) -> bytes:
    """The file's bytes as they are. Raises LabError if it is missing, cannot be read, or is no text."""
    try:
        if path.is_dir():
            raise LabError(f"{path} is a folder; the lab {lab.id} asks for a file of that name")
        if not path.is_file():
            raise LabError(_missing(path, lab))
        if path.stat().st_size > _MOST_BYTES:
            large = f"larger than {_MOST_BYTES >> 20} MiB, which no kernel needs"
            raise LabError(f"{path} is {large}: is it the right file?")
        data = path.read_bytes()
    except OSError as error:
        remedy = f"make it readable with  chmod u+rw {shlex.quote(str(path))}"
        raise LabError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    if path.suffix == ".ipynb":
        data = notebook_source(data, lab.public.file) or b""
        if not data:
            raise LabError(
                f"{path} has no cell that begins with %%writefile {lab.public.file}, and none with %%cu that has a kernel"
            )
    if what := _not_source(data):
        raise LabError(f"{path} {what}")
    return data


def probably_meant(path: Path) -> list[str]:
    """Names of files beside it that were probably meant to be it: `x.cu.txt`, `x (1).cu`, `X.CU`. The newest comes first."""
    from grader.model.written_names import nearly

    try:
        there = [one for one in path.parent.iterdir() if one.is_file() and ".cu" in one.name.casefold()]
        names = nearly(path.name, [one.name for one in there if not one.name.endswith((".new", ".mine"))])
        return sorted(names, key=lambda name: (path.parent / name).stat().st_mtime, reverse=True)
    except OSError:
        return []


def _missing(path: Path, lab: Lab) -> str:
    wanted = f"{path}: there is no such file. The lab {lab.id} asks for {lab.public.file}"
    near = probably_meant(path)
    if not near:
        return f"{wanted}; a new starter is in the handout's archive"
    rename = f"mv {shlex.quote(str(path.parent / near[0]))} {shlex.quote(str(path))}"
    others = f", and {', '.join(near[1:])}" if near[1:] else ""
    return f"{wanted}, and there is {near[0]}{others}. If it is yours, rename it:  {rename}"


def _not_source(data: bytes) -> str:
    """What it is instead of source text; empty: it may be some."""
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    for beginning, what in _STRANGERS:
        if head[: len(beginning)].lower() == beginning.lower():
            return f"{what}. {_TEXT}, and save it under this name"
    text = normalise(data)[0]
    if not text.strip():
        return "is empty: save your editor's file, or take the starter from the handout's archive again"
    if b"\0" in text:
        return f"is not text: it has zero bytes. {_TEXT}, and save it as UTF-8 under this name"
    return ""


# Builds one file of a student, runs a lab's public cases on it, and scores them. Hidden cases are never used.

_NEAR = 0.6  # of difflib's likeness
_LONG_WORD = 3


def matching_cases(lab: Lab, words: str) -> tuple[CaseSpec, ...]:
    """The public case of this name; else every case whose name contains the words; else every case with all of them, in any order."""
    cases, wanted = lab.public.case, " ".join(words.casefold().split())
    for matches in (
        lambda name: name == wanted,
        lambda name: wanted in name,
        lambda name: all(word in name for word in wanted.split()),
    ):
        if wanted and (found := tuple(one for one in cases if matches(one.name.casefold()))):
            return found
    return ()


def no_such_case(labs: list[Lab], case: str) -> str:
    """What there is instead: the names that are near, or all of one lab."""
    names = [one.name for lab in labs for one in lab.public.case]
    long = [word for word in case.casefold().split() if len(word) >= _LONG_WORD]
    close = ((one, difflib.get_close_matches(word, one.casefold().split(), 1, _NEAR)) for one in names for word in long)
    near = dict.fromkeys(one for one, found in close if found)
    which = f"no public test{f' of {labs[0].id}' if len(labs) == 1 else ''} matches CASE={case!r}"
    if near:
        return f"{which}. Do you mean: {'; '.join(near)}?"
    if len(labs) > 1:
        return f"{which}; name the lab too, as in LAB={labs[0].id}, to be told its tests"
    return f"{which}. Its tests: {'; '.join(names)}"


_NOT_BEGUN = "This is still the starter file."


@dataclass(frozen=True)
class Practice:
    root: Path
    labs: Sequence[Lab]
    judge: Callable[..., LabOutcome]  # of a lab, a file and a folder; `only`: names of its public cases
    case: str | None = None
    file: Path | None = None  # used instead of the file in the lab's folder
    sweep: Callable[[Lab, Path, LabOutcome, Path], LabOutcome] | None = None  # none: not requested
    search: Callable[..., tuple[Suspect, ...]] | None = None  # none: nobody asks which line is wrong
    toolset: Toolset | None = None  # it builds programs that test labs when they are needed; none: the judge has all
    named: bool = False  # the student named the labs, and so wants their tests where nobody has begun them

    def path(self, lab: Lab) -> Path:
        """The file that is tested."""
        return self.file or lab.public_dir / lab.public.file

    def attempt(self, lab: Lab) -> Tried:
        """Raises LabError if there is no such file with source text."""
        path, cases = self.path(lab), lab.public.case if self.case is None else matching_cases(lab, self.case)
        shown = replace(lab, public=lab.public.model_copy(update={"case": cases}), private=None)
        if self.is_left_alone(lab):
            outcome = unjudged(lab.id, Verdict.MISSING_FILE, _NOT_BEGUN)
        else:
            self.build([lab])
            with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
                outcome = self._judged(lab, path, Path(scratch))
        from grader.pages.screens.first_mistake import Tried
        from grader.run.scoring.lab_score import score_lab

        result = score_lab(shown, outcome)
        data = path.read_bytes()
        text = lab.whole(normalise(data)[0].decode("utf-8", "replace"), path)
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        untouched, speed = self._is_starter(lab, data), lab.public.speed_points
        beside = tuple(probably_meant(path)) if untouched else ()
        return Tried(lab.id, result, text, name, untouched=untouched, speed_points=speed, beside=beside)

    def is_left_alone(self, lab: Lab) -> bool:
        """Whether the lab is not tested, because its file is still the starter and its tests would have to be built first."""
        if self.toolset is None or self.named or self.file is not None or self.case is not None:
            return False
        data = None if self.toolset.has_parts_for(lab, public_only=True) else self._readable(lab)
        return data is not None and self._is_starter(lab, data)

    def build(self, labs: Sequence[Lab]) -> None:
        """The missing tests of the labs that have a file to test, all at once, with a line that says so. Raises RemediableError."""
        needed = [lab for lab in labs if self._readable(lab) is not None and not self.is_left_alone(lab)]
        if self.toolset is not None and needed:
            self.toolset.provide(needed, public_only=True)

    def _readable(self, lab: Lab) -> bytes | None:
        try:
            return readable_source(self.path(lab), lab)
        except LabError:
            return None

    def may_suspect(self, tried: Tried) -> bool:
        known = any(cause.line for cause in tried.result.causes)  # a second place would only lead away from it
        return self.case is None and not (tried.starting or tried.passed or known)

    def suspected(self, tried: Tried, *, stopped: Callable[[], bool] = bool) -> Tried:
        """With the lines to look at, where a result is wrong and small changes show them. This takes seconds."""
        if self.search is None or not self.may_suspect(tried):
            return tried
        lab = next(lab for lab in self.labs if lab.id == tried.lab_id)
        text = normalise(tried.source.encode())[0].decode("utf-8", "replace")
        try:
            found = self.search(lab, text, tried.result.cases, stopped=stopped)
        except Exception:  # noqa: BLE001 -- the result stands without it
            return tried
        places = tuple(Suspect(lines=one.lines) for one in found)
        return replace(tried, result=tried.result.model_copy(update={"suspects": places}))

    def _judged(self, lab: Lab, path: Path, scratch: Path) -> LabOutcome:
        """A failure of ours becomes an outcome too, so that the other labs are still tested."""
        source, judging = scratch / lab.public.file, scratch / "judging"
        # As intake stores it, under the name that findings will show.
        text = normalise(readable_source(path, lab))[0]
        source.write_bytes(lab.whole(text.decode("utf-8", "replace"), path).encode() if lab.public.files else text)
        judging.mkdir()
        only = () if self.case is None else tuple(one.name for one in matching_cases(lab, self.case))
        try:
            outcome = self.judge(lab, source, judging, only=only)
            return self.sweep(lab, source, outcome, judging) if self.sweep else outcome
        except RemediableError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, a student gets a sentence and no stack trace
            said = f"the tests broke: {type(error).__name__}: {error}. Run them again; if that does not help, tell your instructor"
            return unjudged(lab.id, Verdict.INTERNAL_ERROR, said)

    def after(self, lab_id: str) -> str:
        """The next lab of the course; empty after the last one."""
        ids = lab_ids(self.root)
        return next(iter(ids[ids.index(lab_id) + 1 :]), "") if lab_id in ids else ""

    def write_up(self, lab_id: str) -> str:
        """The text of the lab's README.md; empty if it cannot be read."""
        lab = next(lab for lab in self.labs if lab.id == lab_id)
        try:
            return (lab.public_dir / "README.md").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _is_starter(self, lab: Lab, data: bytes) -> bool:
        beside = lab.files_beside(self.path(lab).parent)
        here = {lab.public.file: _digest(data), **{path.name: _digest(path.read_bytes()) for path in beside}}
        return here == self._starters.get(lab.id)

    @cached_property
    def _starters(self) -> dict[str, dict[str, str]]:
        """Digests of each lab's files as they were handed out. In the course's own repository, of what the model solutions give."""
        manifest = self.root / "handout.json"
        if not manifest.is_file():
            return {lab.id: _starter_digests(lab) for lab in self.labs if lab.private_dir}
        from grader.course.handout_archive import Manifest

        known = Manifest.from_json(manifest.read_bytes(), str(manifest)).files
        found: dict[str, dict[str, str]] = {}
        for lab in self.labs:
            of = {name.removeprefix(f"assignments/{lab.id}/"): one for name, one in known.items()}
            mine = {name for name in of if name == lab.public.file or lab.public.asks_beside(name)}
            found[lab.id] = {name: of[name] for name in mine}
        return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _starter_digests(lab: Lab) -> dict[str, str]:
    """Those of the starters that the model solution gives; none if they cannot be made."""
    from grader.course.leaks import MarkerError  # an instructor's machine alone gets here
    from grader.course.starters import starter_of

    assert lab.private_dir is not None
    try:
        paths = [lab.private_dir / lab.public.file, *lab.files_beside(lab.private_dir)]
        return {one.name: _digest(starter_of(one.read_text(encoding="utf-8"), one.name).encode()) for one in paths}
    except (OSError, MarkerError):
        return {}


def chosen_labs(start: Path, wanted: Sequence[str], *, case: str | None, file: Path | None) -> tuple[Path, list[Lab]]:
    """The course, and the labs that are named, or the one that contains `start`, or all; of them those with `case`. Raises LabError."""
    root = course_root(start)
    ids = list(wanted)
    if not ids:
        try:
            ids = [lab_at(root, start)]
        except LabError:
            if file:
                raise
    labs = load_labs(root, ids)
    if file and len(labs) > 1:
        raise LabError(f"one file goes with one lab: name it, as in LAB={labs[0].id}")
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


def focus_of(tried: Sequence[Tried]) -> Tried | None:
    """The lab to work on: the only one, else the first that does not pass, extra credit last. None if all pass."""
    if len(tried) == 1:
        return tried[0]
    open_ones = [one for one in tried if not one.passed]
    return min(open_ones, key=lambda one: one.result.extra_credit, default=None)
