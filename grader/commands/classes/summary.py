"""The result of a batch for the terminal: verdicts of each lab, which tools were used, where the report is. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.batch.class_batch import BatchReport
from grader.model.verdicts import LOOKS, TECHNIQUE_MISSED, TERMINAL_STYLES, Verdict

_MOST_LETTERS = 40  # of the headings: 80 columns have room for these, a verdict's name and frames


def summary(report: BatchReport) -> RenderableType:
    """The last lines that `tilelab grade` prints."""
    lines: list[RenderableType] = [_table(report)]
    alarms = {f"grading stopped: {report.stopped}", *report.alarms}
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.graded.notices if notice not in alarms]
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.export_notices]
    lines += [Text(fault, style="bold magenta") for fault in _faults(report)]
    lines += [Text(f"look at this first: {alarm}", style="bold red") for alarm in report.alarms]
    environment = report.environment
    lines += [
        Text(f"{_people(report)}; {report.judged} labs judged, {report.reused} reused from an earlier run"),
        Text(f"compiler: {environment.compiler}; sandbox: {environment.sandbox}"),
        Text(f"report: {report.out / 'index.html'}", style="bold"),
        *([Text(f"leaderboard: {report.leaderboard}")] if report.leaderboard else []),
        *(Text(f"grades: {report.out / export.file}") for export in report.exports),
    ]
    return Group(*lines)


def _faults(report: BatchReport) -> Iterator[str]:
    """What broke on our side, and what that means for the grades."""
    file = report.out / "instructor" / "faults.txt"
    if report.ungraded:
        many = f"{len(report.ungraded)} files were" if len(report.ungraded) > 1 else "1 file was"
        yield f"{many} not graded through a fault of the grader, and left blank: see {file}"
    if report.pages:
        many = f"{len(report.pages)} pages" if len(report.pages) > 1 else "1 page"
        yield f"{many} could not be made; grades stand as they are: see {file}"
    if report.unwritten:
        yield (
            f"{len(report.unwritten)} files could not be written and are as they were before, grades among them. The first: "
            f"{report.unwritten[0]}. Make room or choose another OUT, and grade again"
        )
    if report.stopped:
        yield f"grading stopped: {report.stopped} What was not judged yet is left blank."


def _people(report: BatchReport) -> str:
    """How many handed in. Those of the roster who did not are in no row of the table: they failed at nothing."""
    absent = sum(not result.submission.handed_in for result in report.graded.results)
    handed_in = f"{len(report.graded.results) - absent} submissions"
    return f"{handed_in}, {absent} of the roster handed in nothing" if absent else handed_in


def _table(report: BatchReport) -> Table:
    """A row for each verdict that occurred, a column for each lab."""
    results = [result for result in report.graded.results if result.submission.handed_in]
    counts = {lab: Counter(result.labs[lab].look for result in results) for lab in report.graded.lab_ids}
    table = Table("verdict", *headings(report.graded.lab_ids), pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    names = {TECHNIQUE_MISSED: "pass, technique missed"} | {verdict.facts: verdict.value for verdict in Verdict}
    for look in reversed(LOOKS):  # passes first, then what is nearest to a pass
        if any(count[look] for count in counts.values()):
            row = [str(counts[lab][look] or "") for lab in report.graded.lab_ids]
            table.add_row(Text(names[look], style=TERMINAL_STYLES[look.tone]), *row)
    return table


def headings(labs: Sequence[str]) -> list[str]:
    """The labs' numbers where their names are too long for a terminal: what stands before the first hyphen."""
    numbers = [lab.split("-")[0] for lab in labs]
    is_short = sum(map(len, labs)) <= _MOST_LETTERS
    return list(labs) if is_short or len(set(numbers)) < len(labs) else numbers
