"""Students' pages in a zip that a platform gives back to all of them at once: Moodle's feedback files, Canvas's re-uploaded submissions.

Both platforms read from a file's name whose it is. Moodle needs the participant's number, Canvas also the number of a file that the
student handed in: both are in the names of what was downloaded from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, without
from grader.exports.frame.safe_cells import one_line
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_MOODLE, _CANVAS = "exports/moodle-feedback.zip", "exports/canvas-feedback.zip"
_AS_CANVAS_NAMES = re.compile(r"([A-Za-z0-9-]+_(?:LATE_)?\d+_\d+)_.+", re.DOTALL)


def moodle_feedback(grades: Grades) -> Made:
    return _zipped(grades, _MOODLE, _in_moodle, "Moodle's number of the participant is not known")


def canvas_feedback(grades: Grades) -> Made:
    why = "no file has the name that Canvas gave it: grade Canvas's own download of submissions"
    return _zipped(grades, _CANVAS, _in_canvas, why)


def _in_moodle(result: Result) -> str:
    """`Ada Lovelace_700001_assignsubmission_file_/report.html`. Moodle reads the number alone, between the first two underscores."""
    number = result.submission.student.platform_ids.get("Moodle", "")
    if not (number.isascii() and number.isdigit()):
        return ""
    name = one_line(re.sub(r'[_/\\:*?"<>|.~]', " ", result.submission.student.name or result.submission.name))
    return f"{name}_{number}_assignsubmission_file_/report.html"


def _in_canvas(result: Result) -> str:
    """`lovelaceada_1234_5678_report.html`: up to the numbers, as it was downloaded."""
    found = [match[1] for name in result.submission.downloaded if (match := _AS_CANVAS_NAMES.fullmatch(name))]
    return f"{found[0]}_report.html" if found else ""


def _zipped(grades: Grades, file: str, name_of: Callable[[Result], str], why: str) -> Made:
    names = {one.submission.id: name_of(one) for one in grades.results if one.submission.handed_in or name_of(one)}
    named = [one for one in grades.results if names.get(one.submission.id)]
    absent = [one for one in grades.results if one.submission.id not in names]
    pages = ((one, grades.page(one.submission.id)) for one in named)
    pageless: list[Result] = []
    data = zip_bytes(_entries(pages, names, pageless))
    notices = [
        *about(without(grades.results, [*named, *absent]), f"no page in this zip, because {why}"),
        *about(absent, "handed in nothing, so there is nothing to attach a page to"),
        *about(pageless, "the page is missing in OUT: grade again"),
    ]
    return Made((ExportFile(file, data),), tuple(notices))


def _entries(
    pages: Iterable[tuple[Result, bytes | None]], names: Mapping[str, str], pageless: list[Result]
) -> Iterator[tuple[str, bytes]]:
    """Students without a page are added to `pageless`."""
    for one, page in pages:
        if page is None:
            pageless.append(one)
        else:
            yield names[one.submission.id], page


MOODLE_FEEDBACK = Export("moodle-feedback", _MOODLE, "pages for Moodle's multiple feedback files", moodle_feedback)
CANVAS_FEEDBACK = Export("canvas-feedback", _CANVAS, "pages for Canvas's re-upload of submissions", canvas_feedback)
