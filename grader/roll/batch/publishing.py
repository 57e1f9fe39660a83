"""Writes a class's results, pages and exports into OUT. What students get back goes through redaction first."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from grader.explain.story import unpacked
from grader.model.graded_class import GradedClass
from grader.model.result import Model, Result
from grader.model.visible_text import escaped
from grader.model.written_names import some
from grader.pages.pages import class_page, student_page
from grader.roll.batch.output_folder import LastBatch, LastBatchFile, OutputFolder, Record, digest, with_roster
from grader.roll.batch.plugin import Export, File, Grades, registered
from grader.roll.people.roster import read_roster
from grader.run.scoring.redaction import RedactedClass, redacted
from grader.system.own_files import write_atomically

# Which files of OUT are as they would be made now: instructor/pages/inputs.json says what each was made from, and what it held then.
#
# A file is left alone only where both are the same: what it would be made from, this program's own files among it, and its contents on the
# disk. So a page that somebody has changed, or that a killed batch has left behind, is made again.

_ENTRIES: TypeAdapter[dict[str, tuple[str, str]]] = TypeAdapter(dict[str, tuple[str, str]])
_LIBRARIES = ("jinja2", "markupsafe", "pydantic", "pydantic-core")


class KeptPages:
    """`out`: the folder of a class. A record that is missing or damaged counts as an empty one."""

    def __init__(self, out: Path) -> None:
        self._out, self._path = out, out / "instructor" / "pages" / "inputs.json"
        self._now: dict[str, tuple[str, str]] = {}
        try:
            self._before = _ENTRIES.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            self._before = {}

    def stands(self, path: Path, inputs: str) -> bool:
        """Whether the file at `path` need not be made. `inputs`: a digest of what it is made from; empty: nobody knows."""
        name = self._name(path)
        made_from, contents = self._before.get(name, ("", ""))
        if not inputs or made_from != inputs:
            return False
        try:
            same = digest(path.read_bytes()) == contents and not path.is_symlink()
        except OSError:
            return False
        if same:
            self._now[name] = (made_from, contents)
        return same

    def note(self, path: Path, inputs: str, text: str | bytes) -> None:
        """Now `path` holds `text`."""
        if inputs:
            self._now[self._name(path)] = (inputs, digest(text))

    def write(self) -> None:
        """Where OUT does not take it, the record is the old one, and fits no file that was written meanwhile."""
        with suppress(OSError):
            write_atomically(self._path, _ENTRIES.dump_json(self._now) + b"\n")

    def withdraw(self, current: Mapping[Path, Collection[str]]) -> None:
        """Removes what an earlier batch wrote into the folders of `current` and nobody has changed since, except files of the names there:
        the others are about another file than the report beside them.
        """
        for name, (_, contents) in self._before.items():
            path = self._out / name
            if path.name in current.get(path.parent, [path.name]):
                continue
            with suppress(OSError):  # it is gone, or OUT takes no change: nothing leads to it
                if not path.is_symlink() and digest(path.read_bytes()) == contents:
                    path.unlink()

    def _name(self, path: Path) -> str:
        return path.relative_to(self._out).as_posix()


def inputs_digest(*parts: bytes | str) -> str:
    """A digest of `parts` and of this program."""
    made = hashlib.blake2b(_program().encode(), digest_size=16)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.hexdigest()


@cache
def _program() -> str:
    """A digest of the grader's modules, templates and styles, and of what renders them."""
    folder = Path(__file__).parents[2]
    made = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            made.update(f"{path.relative_to(folder)}\0{digest(path.read_bytes())}\0".encode())
    for library in _LIBRARIES:
        made.update(f"{library} {version(library)}\0".encode())
    return made.hexdigest()


# Files of OUT that are made one after the other. What cannot be made or written costs none of the others.


def write_files(files: Iterable[File], kept: KeptPages | None = None) -> tuple[list[str], list[str]]:
    """What could not be made, and what could not be written. `kept`: which of them need not be made."""
    faults: list[str] = []
    unwritten: list[str] = []
    for file in files:
        if kept is not None and kept.stands(file.path, file.inputs):
            continue
        try:
            text = file.make()
        except Exception:  # noqa: BLE001 -- a fault in one page must not cost the others
            faults.append(f"{file.path}: {traceback.format_exc()}")
            continue
        try:
            write_atomically(file.path, text, mode=file.mode)
        except OSError as error:
            unwritten.append(f"{file.path}: {error.strerror}")
            continue
        if kept is not None:
            kept.note(file.path, file.inputs, text)
    if kept is not None:
        kept.write()
    return faults, unwritten


# Writes exports of a graded class into OUT, one after the other. A fault in one must not cost the others.


@dataclass(frozen=True)
class Published:
    """What was written, and what went wrong; none of it changes a grade."""

    exports: tuple[Export, ...]
    faults: tuple[str, ...]  # pages and exports that could not be made
    unwritten: tuple[str, ...]  # files that are as they were before, since OUT does not take them
    notices: tuple[str, ...]  # what to know before an import
    paths: frozenset[Path]  # of all files of exports that were made


def formats_of(out: OutputFolder, requested: Sequence[Export]) -> tuple[Export, ...]:
    """What a command that may change grades writes: `requested`, and whatever lies in OUT, which would keep the old grades otherwise."""
    return tuple(one for one in registered(Export) if one in requested or one.always or any(out.path.glob(one.file)))


def write_exports(
    graded: RedactedClass, out: OutputFolder, exports: Sequence[Export], assignment: str = ""
) -> Published:
    """Each of `exports`. Students' pages have to lie in OUT already."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    grades = Grades(graded, assignment or graded.title, at, partial(_page, out))
    faults: list[str] = []
    unwritten: list[str] = []
    notices: list[str] = []
    paths: set[Path] = set()
    for export in exports:
        try:
            made, notes = export.made(grades)
        except Exception:  # noqa: BLE001 -- see above
            faults.append(f"{export.name}: {traceback.format_exc()}")
            continue
        # A lone surrogate, as in names of files that are no Unicode, becomes a question mark.
        whole = {
            path: text.encode("utf-8", "replace") if isinstance(text, str) else text for path, text in made.items()
        }
        files = [File(out.path / path, partial(bytes, contents)) for path, contents in whole.items()]
        unwritten += write_files(files)[1]
        notices += [f"{export.name}: {notice}" for notice in notes]
        paths |= {file.path for file in files}
    return Published(tuple(exports), tuple(faults), tuple(unwritten), tuple(notices), frozenset(paths))


def of_earlier_batches(out: OutputFolder, exported: Published) -> list[str]:
    """A notice about exports in OUT that this batch could not write, or writes no more: somebody could import old grades."""
    found = {path for export in registered(Export) for path in out.path.glob(export.file)}
    old = sorted(str(path.relative_to(out.path)) for path in found - exported.paths)
    said = f"these exports are of an earlier batch and hold its grades: {some(old)}. Do not import them"
    return [said] if old else []


def _page(out: OutputFolder, student_id: str) -> bytes | None:
    """The page that this student may get."""
    try:
        return (out.students / student_id / "report.html").read_bytes()
    except OSError:
        return None


@dataclass(frozen=True)
class ClassToWrite:
    graded: GradedClass  # for the instructor
    given_back: RedactedClass  # the same, as students may see it
    batch: LastBatch
    records: Mapping[str, Record]  # by student
    more: Sequence[File] = ()  # files besides a class's own


def publish(
    whole: ClassToWrite,
    out: OutputFolder,
    exports: Sequence[Export],
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Published:
    """Writes everything that can be made and written. `exports`: those that were requested; `told` hears for how many students of how
    many it is done.
    """
    kept = KeptPages(out.path)
    faults, unwritten = write_files(chain(_files(whole, out, told), whole.more), kept)
    current = {}
    for one in whole.graded.results:
        steps = (page.name for lab in one.labs.values() for page in lab.step_pages)
        current[out.students / one.submission.id] = ["result.json", "report.html", *steps]
    kept.withdraw(current)
    given_back, of_roster = whole.given_back, list[str]()
    if whole.batch.roster:
        people = read_roster(Path(whole.batch.roster))
        with_people, of_roster = with_roster(whole.graded, people, out.identities.read())
        given_back = redacted(with_people)
    exported = write_exports(given_back, out, formats_of(out, exports), whole.batch.assignment)
    notices = (*of_roster, *exported.notices, *of_earlier_batches(out, exported))
    unwritten += [*keep_batch(out, whole.batch), *exported.unwritten]
    return replace(exported, faults=(*faults, *exported.faults), unwritten=tuple(unwritten), notices=notices)


def keep_batch(out: OutputFolder, batch: LastBatch) -> list[str]:
    """What could not be written."""
    return write_files([File(LastBatchFile(out.private).path, partial(_text, batch))])[1]


def _files(whole: ClassToWrite, out: OutputFolder, told: Callable[[int, int], None]) -> Iterator[File]:
    """One after the other: what they hold meanwhile is let go with each."""
    graded = whole.graded
    for at, (result, public) in enumerate(zip(graded.results, whole.given_back.results, strict=True)):
        told(at, len(graded.results))
        student_id = result.submission.id
        record = whole.records[student_id]
        inputs = _inputs(result, record.texts)
        yield from _given_back(public, out.students / student_id, record.texts, inputs)
        of_record = inputs and inputs_digest(inputs, record.model_dump_json(exclude={"result", "texts"}))
        yield File(out.private / f"{student_id}.json", partial(_text, record), of_record)
        steps = f"../students/{quote(student_id)}/"
        page = partial(student_page, result, sources=record.texts, instructor=True, steps=steps)
        yield File(out.private / f"{student_id}.html", page, inputs)
    page = partial(class_page, graded.results, course=graded.title, notes=graded.notices, insight=graded.insight)
    yield File(out.path / "index.html", page)


def _inputs(result: Result, sources: Mapping[str, str]) -> str:
    """A digest of everything that a student's files are made from, but for the day: they keep that on which they were made. Whatever else
    a page shows has to be part of it. Empty where there is none, and then they are made each time.
    """
    undated = result.model_copy(update={"environment": result.environment.model_copy(update={"date": ""})})
    try:
        whole = undated.model_dump_json(by_alias=True)
    except ValueError:  # text that is no Unicode: the file that cannot be made says so
        return ""
    pages = (page.packed for lab in result.labs.values() for page in lab.step_pages)
    return inputs_digest(whole, *pages, *chain.from_iterable(sorted(sources.items())))


def _given_back(public: Result, folder: Path, sources: Mapping[str, str], inputs: str) -> Iterator[File]:
    yield File(folder / "result.json", partial(_text, public), inputs)
    yield File(folder / "report.html", lambda: student_page(public, sources=sources, steps=""), inputs)
    for lab in public.labs.values():
        for page in lab.step_pages:
            yield File(folder / page.name, partial(unpacked, page), inputs)


def _text(kept: Model) -> str:
    return escaped(kept.model_dump_json(by_alias=True, indent=2)) + "\n"
