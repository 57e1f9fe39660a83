"""Writes a class's results, pages and exports into OUT. What students get back goes through redaction first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from grader.batch.exporting import formats_of, of_earlier_batches, write_exports
from grader.batch.output_folder import OutputFolder
from grader.batch.written.kept_pages import KeptPages, inputs_digest
from grader.batch.written.written_files import File, write_files
from grader.exports import Export
from grader.exports.again.last_batch import LastBatchFile
from grader.model.result import Result
from grader.model.result.graded_class import GradedClass
from grader.reports.pages import class_page, student_page
from grader.scoring.redaction import for_student
from grader.step_page.packed_page import unpacked

__all__ = ["File", "Published", "publish", "write_files"]


@dataclass(frozen=True)
class Published:
    """What went wrong; none of it changes a grade."""

    faults: tuple[str, ...]  # pages that could not be made
    unwritten: tuple[str, ...]  # files that are as they were before, since OUT does not take them
    exports: tuple[Export, ...]  # which were written
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
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Published:
    """Writes everything that can be made and written. `sources`: by student, each file's text. `more`: files besides a class's own.
    `exports`: those that were requested; `told` hears for how many students of how many it is done.
    """
    kept = KeptPages(out.path)
    faults, unwritten = write_files(chain(_files(graded, out, sources, seed, told), more), kept)
    kept.withdraw({out.students / one.submission.id: _names_given_back(one) for one in graded.results})
    exported = write_exports(graded, out, formats_of(out, exports), assignment)
    notices = (*exported.notices, *of_earlier_batches(out, exported))
    last = LastBatchFile(out.path / "instructor")
    unwritten += write_files([File(last.path, partial(last.text, graded, assignment))])[1]
    return Published((*faults, *exported.faults), (*unwritten, *exported.unwritten), exported.formats, notices)


def _files(
    graded: GradedClass,
    out: OutputFolder,
    sources: Mapping[str, Mapping[str, str]],
    seed: int,
    told: Callable[[int, int], None],
) -> Iterator[File]:
    """One after the other: what they hold meanwhile is let go with each."""
    for at, result in enumerate(graded.results):
        told(at, len(graded.results))
        student_id = result.submission.id
        private = out.path / "instructor"
        inputs = _inputs(result, sources[student_id])
        yield from _given_back(result, out.students / student_id, sources[student_id], inputs)
        yield File(
            private / f"{student_id}.json", partial(_record, result, seed), inputs and inputs_digest(inputs, str(seed))
        )
        from_private = f"../students/{quote(student_id)}/"
        yield File(
            private / f"{student_id}.html",
            partial(student_page, result, sources=sources[student_id], instructor=True, steps=from_private),
            inputs,
        )
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


def _given_back(result: Result, folder: Path, sources: Mapping[str, str], inputs: str) -> Iterator[File]:
    public = cache(lambda: for_student(result))
    yield File(folder / "result.json", lambda: public().model_dump_json(by_alias=True, indent=2) + "\n", inputs)
    yield File(folder / "report.html", lambda: student_page(public(), sources=sources, steps=""), inputs)
    for lab in result.labs.values():
        for page in lab.step_pages:
            yield File(folder / page.name, partial(unpacked, page), inputs)


def _names_given_back(result: Result) -> list[str]:
    return ["result.json", "report.html", *(page.name for lab in result.labs.values() for page in lab.step_pages)]


def _record(result: Result, seed: int) -> str:
    """The complete record, for the instructor only."""
    return f'{{"seed": {seed}, "result": {result.model_dump_json(by_alias=True, indent=2)}}}\n'
