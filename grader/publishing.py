"""Writes a batch's results, pages and table into `OUT`. What students get back goes through redaction first."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.gradebook import grades_csv
from grader.landing import land
from grader.redaction import for_student
from grader.reports import class_page, student_page
from grader.result import Result


def publish(  # noqa: PLR0913 -- a batch's results and what stands beside them
    out: Path,
    results: Sequence[Result],
    sources: Mapping[str, Mapping[str, str]],
    *,
    lab_ids: Sequence[str],
    seed: int,
    course: str,
    notices: Sequence[str],
) -> list[str]:
    """Writes everything; returns what could not be made, having made the rest."""
    failures: list[str] = []
    for result in results:
        _student(out, result, sources[result.submission.id], seed, failures)
    land(out / "grades.csv", grades_csv(results, lab_ids))
    _page(out / "index.html", lambda: class_page(results, course=course, notes=notices), failures)
    return failures


def record_faults(out: Path, failures: Sequence[str]) -> None:
    """Writes what broke on our side, stack traces and all, for whoever looks into it."""
    path = out / "instructor" / "faults.txt"
    if failures or path.exists():
        land(path, "\n\n".join(failures) + "\n" if failures else "Nothing broke in the last run.\n")


def _student(out: Path, result: Result, sources: Mapping[str, str], seed: int, failures: list[str]) -> None:
    student_id = result.submission.id
    public, folder = for_student(result), out / "students" / student_id
    land(folder / "result.json", public.model_dump_json(by_alias=True, indent=2) + "\n")
    _page(folder / "report.html", lambda: student_page(public, sources=sources), failures)
    full = {"seed": seed, "result": json.loads(result.model_dump_json(by_alias=True))}
    land(out / "instructor" / f"{student_id}.json", json.dumps(full, indent=2, ensure_ascii=False) + "\n")
    page = out / "instructor" / f"{student_id}.html"
    _page(page, lambda: student_page(result, sources=sources, instructor=True), failures)


def _page(path: Path, make: Callable[[], str], failures: list[str]) -> None:
    """Lands the page, or records why it could not be made: a fault in one page must not cost the others."""
    try:
        text = make()
    except Exception:  # noqa: BLE001 -- see above
        failures.append(f"{path}: {traceback.format_exc()}")
    else:
        land(path, text)
