"""What a batch came to, for the terminal: verdicts per lab, what was in force, where the report is. Pure."""

from __future__ import annotations

from collections import Counter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.batch.class_batch import BatchReport
from grader.model.verdicts import TERMINAL_STYLES, Verdict


def summary(report: BatchReport) -> RenderableType:
    """Everything the last lines of `tilelab grade` say."""
    lines: list[RenderableType] = [_table(report)]
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.graded.notices]
    if report.faults:
        faults = f"{len(report.faults)} faults of the grader; what they concern was not graded and is left blank"
        lines.append(Text(f"{faults}: see {report.out / 'instructor' / 'faults.txt'}", style="bold magenta"))
    environment = report.environment
    lines += [
        Text(
            f"{len(report.graded.results)} submissions; {report.judged} labs judged, {report.reused} taken from before"
        ),
        Text(f"compiler: {environment.compiler}; sandbox: {environment.sandbox}"),
        Text(f"report: {report.out / 'index.html'}", style="bold"),
        *(Text(f"grades: {report.out / export.file}") for export in report.exports),
    ]
    return Group(*lines)


def _table(report: BatchReport) -> Table:
    """A row per verdict that occurred, a column per lab."""
    counts = {
        lab: Counter(result.labs[lab].verdict for result in report.graded.results) for lab in report.graded.lab_ids
    }
    table = Table("verdict", *report.graded.lab_ids, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for verdict in sorted({one for count in counts.values() for one in count}, key=_rank):
        row = [str(counts[lab][verdict] or "") for lab in report.graded.lab_ids]
        table.add_row(Text(verdict.value, style=TERMINAL_STYLES[verdict.facts.tone]), *row)
    return table


def _rank(verdict: Verdict) -> int:
    """Passes first, then from what is nearest to a pass."""
    return -list(Verdict).index(verdict)
