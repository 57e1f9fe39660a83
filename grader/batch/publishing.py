"""Writes a class's results, pages and exports into OUT. What students get back goes through redaction first."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.batch.output_folder import OutputFolder
from grader.exports import Export
from grader.machine.atomic_file import write_atomically
from grader.model.graded_class import GradedClass
from grader.model.result import Result
from grader.reports import class_page, student_page
from grader.scoring.redaction import for_student


def publish(
    graded: GradedClass,
    out: OutputFolder,
    sources: Mapping[str, Mapping[str, str]],
    *,
    seed: int,
    exports: Sequence[Export],
) -> list[str]:
    """Writes everything; returns what could not be made, having made the rest. `sources`: by student, each file's text."""
    faults: list[str] = []
    for result in graded.results:
        _write_student(out, result, sources[result.submission.id], seed, faults)
    for export in exports:
        _write(out.path / export.file, lambda export=export: export.render(graded), faults)  # type: ignore[misc]
    _write(
        out.path / "index.html", lambda: class_page(graded.results, course=graded.title, notes=graded.notices), faults
    )
    return faults


def _write_student(out: OutputFolder, result: Result, sources: Mapping[str, str], seed: int, faults: list[str]) -> None:
    student_id = result.submission.id
    public, folder = for_student(result), out.students / student_id
    write_atomically(folder / "result.json", public.model_dump_json(by_alias=True, indent=2) + "\n")
    _write(folder / "report.html", lambda: student_page(public, sources=sources), faults)
    full = {"seed": seed, "result": json.loads(result.model_dump_json(by_alias=True))}
    private = out.path / "instructor" / student_id
    write_atomically(private.with_name(f"{student_id}.json"), json.dumps(full, indent=2, ensure_ascii=False) + "\n")
    _write(
        private.with_name(f"{student_id}.html"),
        lambda: student_page(result, sources=sources, instructor=True),
        faults,
    )


def _write(path: Path, make: Callable[[], str], faults: list[str]) -> None:
    """Writes the page, or records why it could not be made: a fault in one page must not cost the others."""
    try:
        text = make()
    except Exception:  # noqa: BLE001 -- see above
        faults.append(f"{path}: {traceback.format_exc()}")
    else:
        write_atomically(path, text)
