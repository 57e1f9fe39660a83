"""Students' pages in a zip that a platform gives back to all of them at once: Moodle's feedback files, Canvas's re-uploaded submissions.

Both platforms read from a file's name whose it is. Moodle needs the participant's number, Canvas also the number of a file that the
student handed in: both are in the names of what was downloaded from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, without
from grader.exports.frame.safe_cells import one_line
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_MOODLE, _CANVAS = "exports/moodle-feedback.zip", "exports/canvas-feedback.zip"
_AS_CANVAS_NAMES = re.compile(r"([^_\s/\\.][^_\s/\\]*_(?:LATE_)?[0-9]+_[0-9]+)_.+", re.DOTALL)


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
    name = one_line(re.sub(r'[_/\\:*?"<>|.~]', " ", result.submission.called))
    return f"{name}_{number}_assignsubmission_file_/report.html"


def _in_canvas(result: Result) -> str:
    """`lovelaceada_1234_5678_report.html`: up to the numbers, as it was downloaded."""
    heads = [match[1] for name in result.submission.downloaded if (match := _AS_CANVAS_NAMES.fullmatch(name))]
    found = [one for one in heads if one.isprintable()]
    return f"{found[0]}_report.html" if found else ""


def _zipped(grades: Grades, file: str, name_of: Callable[[Result], str], why: str) -> Made:
    absent = [one for one in grades.results if not one.submission.handed_in and not name_of(one)]
    named: dict[str, Result] = {}
    twice = [one for one in grades.results if (name := name_of(one)) and named.setdefault(name, one) is not one]
    pageless: list[Result] = []
    data = zip_bytes(_entries(grades, named, pageless))
    notices = [
        *about(without(grades.results, [*named.values(), *absent, *twice]), f"no page in this zip, because {why}"),
        *about(absent, "handed in nothing, so there is nothing to attach a page to"),
        *about(
            twice, "somebody else's page is attached to the same file: a team's, or another upload of the same student"
        ),
        *about(pageless, "the page is missing in OUT: grade again"),
    ]
    return Made((ExportFile(file, data),), tuple(notices))


def _entries(grades: Grades, named: Mapping[str, Result], pageless: list[Result]) -> Iterator[tuple[str, bytes]]:
    """Students without a page are added to `pageless`."""
    for name, one in named.items():
        page = grades.page(one.submission.id)
        if page is None:
            pageless.append(one)
        else:
            yield name, page


MOODLE_FEEDBACK = Export("moodle-feedback", _MOODLE, "pages for Moodle's multiple feedback files", moodle_feedback)
CANVAS_FEEDBACK = Export("canvas-feedback", _CANVAS, "pages for Canvas's re-upload of submissions", canvas_feedback)
