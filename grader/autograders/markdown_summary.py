"""A result as Markdown: for GitHub's job summary and for the text of a release. Pure.

What comes from a submission stands in code blocks, whose fence is longer than any in the text, or has its special letters escaped.
"""

from __future__ import annotations

import re

from grader.autograders.misnamed_files import misnamed_words
from grader.exports.frame.points import grade, is_decided, most, number_text
from grader.exports.frame.tested_rows import TestedRow, finding_lines, tested_rows
from grader.model.result import Result
from grader.reports.findings.lab_summary import what_happened

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>&~@:$-])")
_MOST_FINDINGS = 40
_MARKS = {True: "✓", False: "✗", None: "not graded"}


def markdown_summary(result: Result) -> str:
    """Of a redacted result."""
    points = grade(result)
    total = "not graded" if points is None else f"{number_text(points)} of {number_text(most(result))} points"
    lines = [f"## {total}", ""]
    lines += [f"- {plain(one)}" for one in (*result.submission.notices, misnamed_words(result)) if one]
    for lab in result.labs.values():
        points_text = f"{number_text(lab.points)} of {number_text(lab.max_points)}" if is_decided(lab) else "not graded"
        lines += [
            "",
            f"**{plain(lab.title)}: {plain(lab.look.label)}** ({points_text}). {plain(what_happened(lab))}",
        ]
    lines += ["", "| test | | points |", "|---|---|--:|", *(_row(row) for row in tested_rows(result))]
    if found := finding_lines(result):
        lines += ["", *_block(found)]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _row(row: TestedRow) -> str:
    points = "" if row.passed is None else f"{number_text(row.points)} of {number_text(row.max_points)}"
    return f"| {plain(row.whole_name)} | {_MARKS[row.passed]} | {points} |"


def _block(found: list[str]) -> list[str]:
    shown = [" ".join(line.split()) for line in found[:_MOST_FINDINGS]]
    if len(found) > _MOST_FINDINGS:
        shown.append(f"… and {len(found) - _MOST_FINDINGS} more")
    ticks = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}text", *shown, fence]
