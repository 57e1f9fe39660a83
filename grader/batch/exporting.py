"""Writes exports of a graded class into OUT, one after the other. A fault in one must not cost the others."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grader.batch.output_folder import OutputFolder
from grader.batch.written.written_files import File, write_files
from grader.exports import EXPORTS, Export
from grader.exports.frame.export import ExportFile
from grader.exports.frame.redacted_grades import grades_of
from grader.exports.grades_csv import GRADES_CSV
from grader.model.result.graded_class import GradedClass
from grader.people.name_forms import some


@dataclass(frozen=True)
class Exported:
    formats: tuple[Export, ...]
    faults: tuple[str, ...]  # exports that could not be made
    unwritten: tuple[str, ...]  # files that are as they were before, since OUT does not take them
    notices: tuple[str, ...]  # what to know before an import
    paths: frozenset[Path]  # of all files that were made


def formats_of(out: OutputFolder, requested: Sequence[Export]) -> tuple[Export, ...]:
    """What a command that may change grades writes: `requested`, and whatever lies in OUT, which would keep the old grades otherwise."""
    return tuple(one for one in EXPORTS if one in (*requested, GRADES_CSV) or any(out.path.glob(one.file)))


def write_exports(graded: GradedClass, out: OutputFolder, exports: Sequence[Export], assignment: str = "") -> Exported:
    """Each of `exports`. Students' pages have to lie in OUT already."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    grades = grades_of(graded, assignment=assignment, at=at, page=partial(_page, out))
    faults: list[str] = []
    unwritten: list[str] = []
    notices: list[str] = []
    paths: set[Path] = set()
    for export in exports:
        try:
            made = export.made(grades)
        except Exception:  # noqa: BLE001 -- see above
            faults.append(f"{export.name}: {traceback.format_exc()}")
            continue
        files = [File(out.path / one.path, partial(_contents, one)) for one in made.files]
        unwritten += write_files(files)[1]
        notices += [f"{export.name}: {notice}" for notice in made.notices]
        paths |= {file.path for file in files}
    return Exported(tuple(exports), tuple(faults), tuple(unwritten), tuple(notices), frozenset(paths))


def of_earlier_batches(out: OutputFolder, exported: Exported) -> list[str]:
    """A notice about exports in OUT that this batch could not write, or writes no more: somebody could import old grades."""
    found = {path for export in EXPORTS for path in out.path.glob(export.file)}
    old = sorted(str(path.relative_to(out.path)) for path in found - exported.paths)
    if not old:
        return []
    return [f"these exports are of an earlier batch and hold its grades: {some(old)}. Do not import them"]


def _contents(file: ExportFile) -> bytes:
    """A lone surrogate, as in names of files that are no Unicode, becomes a question mark."""
    return file.contents if isinstance(file.contents, bytes) else file.contents.encode("utf-8", "replace")


def _page(out: OutputFolder, student_id: str) -> bytes | None:
    """The page that this student may get."""
    try:
        return (out.students / student_id / "report.html").read_bytes()
    except OSError:
        return None
