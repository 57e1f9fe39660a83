"""The platforms that `tilelab grade-one` knows, and what every platform consists of."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

from grader.model import visible_text
from grader.model.errors import RemediableError
from grader.model.result import Result, Student
from grader.model.verdicts import Verdict
from grader.pages.findings.one_cause import what_happened
from grader.plugins.exports.autograder_results import (
    autolab_output,
    classroom50_result,
    gradescope_results,
    prairielearn_results,
    whole_factor,
)
from grader.plugins.exports.grade_tables import finding_lines, grade, is_decided, json_line, json_text, tested_rows

# What a platform says of the submission that its container holds: whose it is, when it was handed in, when it was due. Plain data.


@dataclass(frozen=True)
class HandedIn:
    people: tuple[Student, ...] = ()  # several for a team; empty: the platform does not say
    at: datetime | None = None  # with its time zone
    due: datetime | None = None
    notices: tuple[str, ...] = ()  # what could not be read of it

    @property
    def late(self) -> timedelta:
        """Zero: in time, or nobody knows."""
        if self.at is None or self.due is None:
            return timedelta(0)
        return max(self.at - self.due, timedelta(0))


def late_words(late: timedelta) -> str:
    """How late it was, to the minute. Empty: it was not."""
    minutes = -(-int(late.total_seconds()) // 60)
    if minutes <= 0:
        return ""
    units = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    said = " ".join(f"{count} {unit}" for count, unit in units if count)
    return f"Handed in {said} after the due date. What that costs, the platform decides."


# What every platform consists of: its name, how its word about a submission is read, and two pure functions that make its files.
#
# A platform that gets no result has to leave the grade open. So `not_graded` never holds a score that could count.

# What a student reads where something of ours failed. It names no cause: a cause may hold the name of a hidden case.
NOT_GRADED = (
    "Not graded: the autograder failed, and not your files. You lose no points by it. "
    "Submit the same files again in some minutes. If it happens again, tell your instructor."
)
# Where a file is valid CUDA that only a GPU can run.
NEEDS_A_GPU = (
    "Not graded yet: your file needs a GPU, and this autograder has none. You lose no points by it now. "
    "Your instructor has to grade it on another machine."
)


@dataclass(frozen=True)
class Graded:
    """One submission, graded. Platforms' files are made from it."""

    result: Result  # redacted: what the student may see
    page: str  # the student's page
    handed_in: HandedIn = HandedIn()
    environment: Mapping[str, str] = field(default_factory=dict)  # of the process: some platforms name things there
    at: str = ""  # when it was graded: "2026-02-02T00:00:00Z"


@dataclass(frozen=True)
class Answer:
    # By path in the folder of results, with "/" between its parts.
    files: Mapping[str, str] = field(default_factory=dict)
    printed: str = ""  # for a platform that reads standard output


@dataclass(frozen=True)
class AutograderPlatform:
    name: str  # as in `tilelab grade-one NAME`
    graded: Callable[[Graded], Answer]  # every lab is graded
    not_graded: Callable[[Sequence[str], str], Answer]  # gets the ids of the labs, and one of the sentences above
    # Reads the platform's own file about the submission, if there is one, and the environment.
    handed_in: Callable[[Path | None, Mapping[str, str]], HandedIn] = lambda _metadata, _environment: HandedIn()
    output_is_secret: bool = True  # whether students do not see what is printed on standard error


# What a student reads who handed in files, but none of the name that a lab asks for. No verdict depends on it. Pure.

_MOST = 8


def misnamed_words(result: Result) -> str:
    """Empty: each lab has its file, or nothing but the labs' files is there."""
    missing = [lab.file for lab in result.labs.values() if lab.verdict is Verdict.MISSING_FILE]
    asked = {lab.file for lab in result.labs.values()}
    others = [one for one in result.submission.files if one.rsplit("/", 1)[-1] not in asked]
    others = [one for one in others if ".cu" in one.lower()] or others
    if not missing or not others:
        return ""
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    there = ", ".join(visible_text.line(one, 80) for one in others[:_MOST])
    asks = "If one of these is meant, give it that name and submit again."
    return f"Your submission holds {there}{more}, but no {' and no '.join(missing)}. {asks}"


# A result as Markdown: for GitHub's job summary and for the text of a release. Pure.
#
# What comes from a submission stands in code blocks, whose fence is longer than any in the text, or has its special letters escaped.

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>&~@:$-])")
_MOST_FINDINGS = 40
_MARKS = {True: "✓", False: "✗", None: "not graded"}


def markdown_summary(result: Result) -> str:
    """Of a redacted result."""
    points = grade(result)
    total = (
        "not graded"
        if points is None
        else f"{visible_text.points(points)} of {visible_text.points(result.most)} points"
    )
    lines = [f"## {total}", ""]
    lines += [f"- {plain(one)}" for one in (*result.submission.notices, misnamed_words(result)) if one]
    for lab in result.labs.values():
        given = (
            f"{visible_text.points(lab.points)} of {visible_text.points(lab.max_points)}"
            if is_decided(lab)
            else "not graded"
        )
        lines += ["", f"**{plain(lab.title)}: {plain(lab.look.label)}** ({given}). {plain(what_happened(lab))}"]
    lines += ["", "| test | | points |", "|---|---|--:|"]
    for row in tested_rows(result):
        points_text = (
            "" if row.passed is None else f"{visible_text.points(row.points)} of {visible_text.points(row.max_points)}"
        )
        lines.append(f"| {plain(row.whole_name)} | {_MARKS[row.passed]} | {points_text} |")
    if found := _shown_findings(result):
        lines += ["", *_block(found)]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _shown_findings(result: Result) -> list[str]:
    found = finding_lines(result)
    more = [f"… and {len(found) - _MOST_FINDINGS} more"] if len(found) > _MOST_FINDINGS else []
    return [*found[:_MOST_FINDINGS], *more]


def _block(found: list[str]) -> list[str]:
    shown = [" ".join(line.split()) for line in found]
    ticks = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}text", *shown, fence]


# GitHub Actions: files for the steps after grading: a job summary, the page for an artifact, points as a step's outputs, `result.json`.
#
# Where nothing was graded there are no points, and the workflow fails: a run that failed says that nothing is known.


def _graded(graded: Graded) -> Answer:
    points = grade(graded.result)
    assert points is not None
    highest = visible_text.points(graded.result.most)
    result = graded.result.model_dump_json(by_alias=True, indent=2) + "\n"
    files = {
        "summary.md": markdown_summary(graded.result),
        "report.html": graded.page,
        "result.json": result,
        "outputs.txt": f"graded=true\npoints={visible_text.points(points)}\nmax={highest}\n",
    }
    return Answer(files, f"::notice title=Tilelab::{visible_text.points(points)} of {highest} points\n")


# classroom50: `result.json`, the text of the release and the page, in the student's checkout, where its runner looks for them.
#
# Its runner says in the environment which submission this is. Where nothing was graded there is no result: the runner then reports an
# error, and keeps the score that is there.

# Fields of the result that the runner names in the environment.
_GIVEN = {
    "assignment_type": "ASSIGNMENT_TYPE",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}

# It ran in a repository of the student's.
_ADVICE = "These points are of the public tests, and advice only: the list of your instructor counts."


def _classroom50_run_graded(graded: Graded) -> Answer:
    given = graded.environment
    owner = given.get("OWNER") or given.get("USERNAME") or ""
    name = f"{given.get('CLASSROOM', '')}/{given.get('ASSIGNMENT', '')}"
    data = classroom50_result(graded.result, owner, name, graded.at, whole_factor([graded.result]))
    data |= {field: given[name] for field, name in _GIVEN.items() if given.get(name)}
    return Answer({
        "result.json": json_text(data),
        "release-body.md": f"{markdown_summary(graded.result)}\n{_ADVICE}\n",
        "tilelab-report.html": graded.page,
    })  # fmt: skip


# A piece of HTML about a result, for a platform that shows one inside its own page: what was found, and the whole page as a download.
#
# It has no style and no script of its own. Every text in it is escaped. A page that is too large for a link is left out, and it says so.

_MOST_BYTES = 1 << 20  # of the page


def _results(data: Mapping[str, object]) -> Answer:
    return Answer({"results.json": json_text(data)})


def output_fragment(graded: Graded) -> str:
    result = graded.result
    words = (late_words(graded.handed_in.late), *result.submission.notices, misnamed_words(result))
    parts = [f"<p>{escape(one)}</p>" for one in words if one]
    for lab in result.labs.values():
        title, label = escape(lab.title), escape(lab.look.label)
        parts.append(f"<p><strong>{title}: {label}.</strong> {escape(what_happened(lab))}</p>")
    if found := _shown_findings(graded.result):
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in found)}</ul>")
    parts.append(_link(graded.page))
    return "\n".join(parts)


def _link(page: str) -> str:
    data = page.encode("utf-8", "replace")
    if len(data) > _MOST_BYTES:
        return "<p>The whole report is too large to be shown here. Run <code>make report</code> in your handout.</p>"
    packed = base64.b64encode(data).decode("ascii")
    return (
        f'<p><a download="report.html" href="data:text/html;charset=utf-8;base64,{packed}">Download the whole report</a> '
        "and open it in a browser: it shows the lines of your file.</p>"
    )


# Gradescope: `results.json` in its container, and what `submission_metadata.json` says of a submission.
#
# The student's page is a link in the output, as Gradescope keeps no file of an autograder. A result that was not graded has neither score
# nor tests: Gradescope then has no points to write down, whatever it makes of the file.

_MOST_METADATA = 8 << 20  # bytes: earlier results are in it
_MOST_PEOPLE = 50


def handed_in_to_gradescope(metadata: Path | None, _: Mapping[str, str]) -> HandedIn:
    """A file that is missing, or is not as Gradescope publishes it, says nothing. The submission is graded all the same."""
    if metadata is None or not metadata.is_file():
        return HandedIn(notices=("Gradescope's file about this submission is missing, so the page shows no name",))
    try:
        data = json.loads(metadata.read_bytes()) if metadata.stat().st_size <= _MOST_METADATA else None
    except (OSError, ValueError, RecursionError):
        data = None
    if data is None:
        return HandedIn(notices=("Gradescope's file about this submission cannot be read, so the page shows no name",))
    data = data if isinstance(data, dict) else {}
    users = data.get("users")
    named = [one for one in users[:_MOST_PEOPLE] if isinstance(one, dict)] if isinstance(users, list) else []
    # Of a team the latest due date counts: an extension is in the dates of the one who got it.
    places = [one.get("assignment") for one in named] + [data.get("assignment")]
    dates = [_time(one.get("due_date")) for one in places if isinstance(one, dict)]
    due = max((one for one in dates if one is not None), default=None)
    return HandedIn(tuple(map(_person, named)), _time(data.get("created_at")), due)


def _person(user: Mapping[str, Any]) -> Student:
    number = user.get("id")
    ids = {"Gradescope": str(number)} if isinstance(number, int) and not isinstance(number, bool) else {}
    return Student(
        name=_text(user.get("name")), email=_text(user.get("email")), number=_text(user.get("sid")), platform_ids=ids
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    """None: it is no time, or has no time zone."""
    try:
        found = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


# PrairieLearn: `results.json` of an external grading job. A job that was not graded is "not gradable", which costs no attempt.

_PRAIRIELEARN_JOB_MOST_BYTES = 900_000  # PrairieLearn takes 1 MB


def _prairielearn_job_graded(graded: Graded) -> Answer:
    data = prairielearn_results(graded.result)
    for left_out in ("output", "tests"):
        if len(json_text(data).encode()) <= _PRAIRIELEARN_JOB_MOST_BYTES:
            break
        data.pop(left_out, None)
    return _results(data)


PLATFORMS = (
    AutograderPlatform(
        "gradescope",
        lambda graded: _results(
            gradescope_results(graded.result) | {"output": output_fragment(graded), "output_format": "html"}
        ),
        lambda _, why: _results(
            {"visibility": "visible", "stdout_visibility": "hidden", "output": why, "output_format": "text"}
        ),
        handed_in_to_gradescope,
    ),
    AutograderPlatform("classroom50", _classroom50_run_graded, lambda _labs, _why: Answer()),
    AutograderPlatform(
        "github-actions",
        _graded,
        lambda _, why: Answer(
            {"summary.md": f"## Not graded\n\n{why}\n", "outputs.txt": "graded=false\n"},
            f"::error title=Not graded::{why}\n",
        ),
    ),
    AutograderPlatform(
        "prairielearn",
        _prairielearn_job_graded,
        lambda _, why: _results({"gradable": False, "format_errors": [why]}),
    ),
    # Autolab reads the scores from the last line of a job's output, and shows all of it to the student. Of an output without scores it
    # makes zeros. Where nothing is graded, each lab has the score `null`: Autolab writes down a score without points.
    AutograderPlatform(
        "autolab",
        lambda graded: Answer(printed=autolab_output(graded.result)),
        lambda labs, why: Answer(printed=f"{why}\n{json_line({'scores': dict.fromkeys(labs)})}"),
        output_is_secret=False,
    ),
)


def platform_named(name: str) -> AutograderPlatform:
    """Raises RemediableError for a name that is no platform."""
    found = next((one for one in PLATFORMS if one.name == name), None)
    if found is None:
        raise RemediableError(f"there is no platform {name!r}. There are: {', '.join(one.name for one in PLATFORMS)}")
    return found
