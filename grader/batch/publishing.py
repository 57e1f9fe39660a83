"""Writes a class's results, pages and exports into OUT. What students get back goes through redaction first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.batch.exporting import of_earlier_batches, write_exports
from grader.batch.output_folder import OutputFolder
from grader.batch.written_files import File, write_files
from grader.exports import Export
from grader.exports.again.last_batch import LastBatchFile
from grader.model.graded_class import GradedClass
from grader.model.result import Result
from grader.reports.pages import class_page, student_page
from grader.scoring.redaction import for_student

__all__ = ["File", "Published", "publish", "write_files"]


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
    notices = (*exported.notices, *of_earlier_batches(out, exported))
    last = LastBatchFile(out.path / "instructor")
    unwritten += write_files([File(last.path, partial(last.text, graded, assignment))])[1]
    return Published((*faults, *exported.faults), (*unwritten, *exported.unwritten), notices)


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
