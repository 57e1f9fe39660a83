"""The result of `tilelab run` for a terminal, after the program's own output: each finding with its lines, and how the program ended.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from grader.model.result import Case, Finding, LabResult
from grader.model.verdicts import Verdict
from grader.programs.program_report import HostFinding, ProgramFinding, ProgramReport
from grader.reports.findings.excerpt import excerpt
from grader.reports.screens.checklist import one_line
from grader.reports.screens.first_mistake import Detail, excerpt_view, finding_view
from grader.reports.text import visible
from grader.reports.text.number_format import counted

_DETAIL = Detail(around=2, elements=0, picture=0)
_MOST_FINDINGS = 12


@dataclass(frozen=True)
class ProgramPage:
    """`sources`: the text of each of the user's files, the program's own first."""

    report: ProgramReport
    sources: Mapping[str, str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self._title()
        advised = set[str]()
        for finding in self._findings()[:_MOST_FINDINGS]:
            yield Text()
            if isinstance(finding, HostFinding):
                yield from self._host(finding, options.max_width)
            else:
                yield from self._kernels(finding, options.max_width)
            if finding.advice and finding.advice not in advised:
                advised.add(finding.advice)
                yield Text.assemble(("Look at next: ", "bold blue"), visible.line(finding.advice, 600))
        if (more := len(self._findings()) - _MOST_FINDINGS) > 0:
            yield Text(f"and {counted(more, 'more finding')}: --json lists all of them", style="dim")
        for refusal in self.report.refusals:
            yield Text()
            yield from _lines(f"{refusal.verdict.facts.label}: ", refusal.message)
        if self.report.message:
            yield Text()
            yield Text(visible.line(self.report.message, 600), style="bold red")
        if self.report.left_out:
            yield Text()
            listed = "; ".join(visible.line(one, 200) for one in self.report.left_out)
            yield Text(f"Left out of the file: {listed}", style="dim")

    def _findings(self) -> list[HostFinding | ProgramFinding]:
        """Errors before notes."""
        everything: list[HostFinding | ProgramFinding] = [*self.report.findings, *self.report.host]
        return sorted(everything, key=lambda one: one.severity != "error")

    def _title(self) -> Text:
        report = self.report
        errors = sum(one.severity == "error" for one in self._findings())
        notes = len(self._findings()) - errors
        name = visible.line(next(iter(self.sources)), 80)
        launched = f"{counted(report.launches, 'launch', 'launches')} of {counted(len(report.kernels), 'kernel')}"
        if report.is_clean:
            what = f"nothing was found; {launched}" + (f"; {counted(notes, 'note')}" if notes else "")
            return one_line(Text.assemble(("✓ Clean", "bold green"), f"  {name}: {what}"))
        if report.ended in {"not-built", "refused"} and not errors:
            return one_line(Text.assemble(("⊘ Not run", "bold red"), f"  {name}"))
        what = f"{counted(errors, 'finding')}; {launched}" if errors else launched
        label = "Found" if errors else "Did not end well"
        return one_line(Text.assemble((f"✗ {label}", "bold red"), f"  {name}: {what}"))

    def _kernels(self, finding: ProgramFinding, width: int) -> Iterator[RenderableType]:
        yield from finding_view(finding, self._as_lab(finding), self.sources, _DETAIL, width)
        if finding.launch_line:
            where = f"{visible.line(finding.launch_file or '', 80)}, line {finding.launch_line:,}"
            yield Text(f"  {visible.line(finding.kernel, 80)}, launched in {where}", style="dim")

    def _host(self, finding: HostFinding, width: int) -> Iterator[RenderableType]:
        note = " (note)" if finding.severity == "note" else ""
        style = "bold" if note else "bold red"
        times = f" ({finding.count:,} times)" if finding.count > 1 else ""
        yield Text.assemble((f"{finding.label}{note}: ", style), visible.line(finding.message, 600), times)
        place = Finding(kind=Verdict.CRASH, message="", file=finding.file, line=finding.line, other=finding.other)
        if shown := excerpt(place, self.sources, around=1):
            yield from excerpt_view(shown, f"{visible.line(finding.file or '', 80)}, line {finding.line:,}", width)

    def _as_lab(self, finding: ProgramFinding) -> LabResult:
        """As a lab's result, which the views of findings need."""
        case = Case(
            name=finding.kernel, visibility="public", verdict=finding.kind, passed=False, points=0, max_points=0
        )
        file = next(iter(self.sources))
        return LabResult(title=file, file=file, verdict=finding.kind, points=0, max_points=0, cases=(case,))


def _lines(head: str, message: str) -> Iterator[RenderableType]:
    first, *others = message.split("\n")
    yield Text.assemble((head, "bold red"), visible.line(first, 600))
    for line in others:
        yield Text(f"  {visible.line(line, 400)}")
