"""Writes a class's results, pages and exports into OUT. What students get back goes through redaction first."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grader.batch.output_folder import OutputFolder
from grader.exports import Export
from grader.exports.again.last_batch import LastBatchFile
from grader.exports.frame.export import ExportFile
from grader.exports.frame.redacted_grades import grades_of
from grader.machine.atomic_file import write_atomically
from grader.model.graded_class import GradedClass
from grader.model.result import Result
from grader.reports.pages import class_page, student_page
from grader.scoring.redaction import for_student


@dataclass(frozen=True)
class File:
    """A file to be written, and what makes its text."""

    path: Path
    make: Callable[[], str | bytes]


@dataclass(frozen=True)
class Published:
    """What went wrong; none of it changes a grade."""

    faults: tuple[str, ...]  # pages that could not be made
    unwritten: tuple[str, ...]  # files that are as they were before, since OUT does not take them
    notices: tuple[str, ...] = ()  # about exports, for the instructor


def publish(  # noqa: PLR0913 -- what is written, where to, and what of it is secret
    graded: GradedClass,
    out: OutputFolder,
    sources: Mapping[str, Mapping[str, str]],
    *,
    seed: int,
    exports: Sequence[Export],
    assignment: str = "",
    more: Sequence[File] = (),
) -> Published:
    """Writes everything that can be made and written. `sources`: by student, each file's text. `more`: files besides a class's own."""
    faults, unwritten = write_files([*_files(graded, out, sources, seed), *more])
    exported = write_exports(graded, out, exports, assignment)
    last = LastBatchFile(out.path / "instructor")
    unwritten += write_files([File(last.path, partial(last.text, graded, assignment))])[1]
    return Published((*faults, *exported.faults), (*unwritten, *exported.unwritten), exported.notices)


def write_exports(graded: GradedClass, out: OutputFolder, exports: Sequence[Export], assignment: str = "") -> Published:
    """Each of `exports`. Students' pages have to lie in OUT already."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    grades = grades_of(graded, assignment=assignment, at=at, page=partial(_page, out))
    faults, files, notices = [], [], []
    for export in exports:
        try:
            made = export.made(grades)
        except Exception:  # noqa: BLE001 -- a fault in one export must not cost the others
            faults.append(f"{export.name}: {traceback.format_exc()}")
            continue
        files += [File(out.path / one.path, partial(_contents, one)) for one in made.files]
        notices += [f"{export.name}: {notice}" for notice in made.notices]
    unmade, unwritten = write_files(files)
    return Published((*faults, *unmade), tuple(unwritten), tuple(notices))


def _contents(file: ExportFile) -> bytes:
    """A lone surrogate, as in names of files that are no Unicode, becomes a question mark."""
    return file.contents if isinstance(file.contents, bytes) else file.contents.encode("utf-8", "replace")


def _page(out: OutputFolder, student_id: str) -> bytes | None:
    """The page that this student may get."""
    try:
        return (out.students / student_id / "report.html").read_bytes()
    except OSError:
        return None


def write_files(files: Iterable[File]) -> tuple[list[str], list[str]]:
    """What could not be made, and what could not be written."""
    faults: list[str] = []
    unwritten: list[str] = []
    for file in files:
        try:
            text = file.make()
        except Exception:  # noqa: BLE001 -- a fault in one page must not cost the others
            faults.append(f"{file.path}: {traceback.format_exc()}")
            continue
        try:
            write_atomically(file.path, text)
        except OSError as error:
            unwritten.append(f"{file.path}: {error.strerror}")
    return faults, unwritten


def _files(
    graded: GradedClass,
    out: OutputFolder,
    sources: Mapping[str, Mapping[str, str]],
    seed: int,
) -> Iterator[File]:
    for result in graded.results:
        student_id = result.submission.id
        private = out.path / "instructor"
        yield from _given_back(result, out.students / student_id, sources[student_id])
        yield File(private / f"{student_id}.json", partial(_record, result, seed))
        yield File(
            private / f"{student_id}.html", partial(student_page, result, sources=sources[student_id], instructor=True)
        )
    yield File(out.path / "index.html", partial(class_page, graded.results, course=graded.title, notes=graded.notices))


def _given_back(result: Result, folder: Path, sources: Mapping[str, str]) -> Iterator[File]:
    public = for_student(result)
    yield File(folder / "result.json", lambda: public.model_dump_json(by_alias=True, indent=2) + "\n")
    yield File(folder / "report.html", partial(student_page, public, sources=sources))


def _record(result: Result, seed: int) -> str:
    """The complete record, for the instructor only."""
    full = {"seed": seed, "result": json.loads(result.model_dump_json(by_alias=True))}
    return json.dumps(full, indent=2, ensure_ascii=False) + "\n"
