"""The result of `tilelab check` for a terminal: the launch, each finding with its lines and carets, the kernel's output, and the counts.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.model import visible_text
from grader.model.result import Finding
from grader.model.verdicts import TERMINAL_STYLES, Verdict
from grader.model.visible_text import counted
from grader.pages.findings.finding_card import excerpt, launch_of, place_of
from grader.pages.findings.one_cause import cause_groups
from grader.pages.screens.first_mistake import Detail, block_view, excerpt_view, finding_view, launched, one_line
from grader.run.launches.kernel_check import Checked, CheckReport
from grader.run.programs.program_findings import HostFinding, ProgramReport
from grader.run.programs.run_record import ProgramFinding

_DETAIL = Detail(around=2, elements=0, picture=0)
_MOST_FINDINGS = 12
_PRINTED_LINES = 12
_INDENT = (0, 0, 0, 2)


@dataclass(frozen=True)
class CheckPage:
    """`sources`: the text of each file, the checked one first."""

    checked: Checked
    report: CheckReport
    sources: Mapping[str, str]
    shows_metrics: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self._title()
        launch = self.checked.model_copy(update={"shape": self.report.kernel})
        if launch.grid:
            given = " ".join(f"--arg '{one}'" for one in launch.arguments)
            of_file = f"  (as in line {launch.own_line} of the file)" if launch.own_line else ""
            yield Padding(Text(launched(launch), style="dim"), _INDENT, expand=False)
            yield Padding(Text(visible_text.line(given + of_file, 1000), style="dim"), _INDENT, expand=False)
        yield from _each(
            self.report.findings,
            lambda one: finding_view(one, launch_of(one, (launch,)), self.sources, _DETAIL, options.max_width),
        )
        yield from self._rest()

    def _title(self) -> Text:
        verdict, findings = self.checked.verdict, self.report.findings
        look = verdict.facts
        errors = [one for one in findings if one.severity == "error"]
        label = "Clean" if verdict is Verdict.PASS else look.label
        noted = f"no mistake was seen; {counted(len(findings), 'note')}" if findings else "nothing was found"
        what = counted(len(errors), "finding") if errors else noted
        file = visible_text.line(next(iter(self.sources)), 80)
        name = f"  {visible_text.line(self.report.kernel, 80)}  in {file}: {what}"
        return one_line(Text.assemble((f"{look.glyph} {label}", f"bold {TERMINAL_STYLES[look.tone]}"), name))

    def _rest(self) -> Iterator[RenderableType]:
        if self.checked.printed.strip():
            yield Text()
            yield Text("The kernel printed:", style="bold")
            yield from block_view(visible_text.block(self.checked.printed, lines=_PRINTED_LINES))
        if self.shows_metrics and (metrics := self.report.metrics):
            yield Text()
            width = max(len(name) for name in metrics)
            for name, value in metrics.items():
                yield Padding(Text(f"{name:<{width}}  {value:,}"), _INDENT, expand=False)
        yield from _left_out(self.report.left_out)


@dataclass(frozen=True)
class Excerpts:
    """The lines of findings whose words are told elsewhere, with their marks."""

    findings: Sequence[Finding]
    sources: Mapping[str, str]

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for one in self.findings:
            if shown := excerpt(one, self.sources, around=1):
                yield from excerpt_view(shown, place_of(one), options.max_width)
            elif one.file and one.line:
                yield Text(f"  {visible_text.line(one.file, 80)}, line {one.line:,}", style="dim")


_Finding = TypeVar("_Finding", Finding, HostFinding | ProgramFinding)


def _each(
    findings: Sequence[_Finding], view: Callable[[_Finding], Iterator[RenderableType]]
) -> Iterator[RenderableType]:
    """The first finding of each cause, and each piece of advice once."""
    advised = set[str]()
    groups = {id(one.findings[0]): one for one in cause_groups([one for one in findings if isinstance(one, Finding)])}
    told = [one for one in findings if isinstance(one, HostFinding) or id(one) in groups]
    for finding in told[:_MOST_FINDINGS]:
        yield Text()
        yield from view(finding)
        if (group := groups.get(id(finding))) and len(group.findings) > 1:
            more = counted(len(group.findings) - 1, "more finding")
            yield Text(
                f"  {visible_text.line(group.sentence, 300)} {more} of this cause: --json lists them.", style="dim"
            )
        if finding.advice and finding.advice not in advised:
            advised.add(finding.advice)
            yield Text.assemble(("Look at next: ", "bold blue"), visible_text.line(finding.advice, 600))
    if (rest := len(told) - _MOST_FINDINGS) > 0:
        yield Text(f"and {counted(rest, 'more finding')}: --json lists all of them", style="dim")


def _left_out(what: Sequence[str]) -> Iterator[RenderableType]:
    if what:
        yield Text()
        yield Text(f"Left out of the file: {'; '.join(visible_text.line(one, 200) for one in what)}", style="dim")


# The result of `tilelab run` for a terminal, after the program's own output: each finding with its lines, and how the program ended.
# Pure.


@dataclass(frozen=True)
class ProgramPage:
    """`sources`: the text of each of the user's files, the program's own first."""

    report: ProgramReport
    sources: Mapping[str, str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self._title()
        yield from _each(self._findings(), lambda one: self._view(one, options.max_width))
        for refusal in self.report.refusals:
            first, *others = refusal.message.split("\n")
            yield Text()
            yield Text.assemble((f"{refusal.verdict.facts.label}: ", "bold red"), visible_text.line(first, 600))
            yield from (Text(f"  {visible_text.line(line, 400)}") for line in others)
            place = Finding(
                kind=refusal.verdict, message="", file=refusal.file, line=refusal.line, columns=refusal.columns
            )
            yield Excerpts((place,), self.sources)
        if self.report.message:
            yield Text()
            yield Text(visible_text.line(self.report.message, 600), style="bold red")
        yield from _left_out(self.report.left_out)
        if self.report.not_launched and self.report.ended != "not-built":
            names = ", ".join(visible_text.line(one, 80) for one in self.report.not_launched[:_MOST_FINDINGS])
            yield Text()
            yield Text(f"Not launched, and so not looked at: {names}", style="dim")

    def _findings(self) -> list[HostFinding | ProgramFinding]:
        """Errors before notes, and before what a kernel did a call that failed unseen before it: that may be its cause."""
        everything: list[HostFinding | ProgramFinding] = [*self.report.findings, *self.report.host]
        return sorted(everything, key=lambda one: (one.severity != "error", one.kind != "unchecked-error"))

    def _title(self) -> Text:
        report = self.report
        errors = sum(one.severity == "error" for one in self._findings())
        notes = len(self._findings()) - errors
        name = visible_text.line(next(iter(self.sources)), 80)
        launched = f"{counted(report.launches, 'launch', 'launches')} of {counted(len(report.kernels), 'kernel')}"
        if report.ended == "exit" and not errors:
            label, style = (
                ("✓ Clean", "bold green") if report.is_clean else (f"✗ Ended with status {report.status}", "bold red")
            )
            what = f"nothing was found; {launched}" + (f"; {counted(notes, 'note')}" if notes else "")
            if not report.launches:
                label, style = ("○ Not checked", "bold yellow") if report.is_clean else (label, style)
                what = "no kernel was launched, so none was checked"
            return one_line(Text.assemble((label, style), f"  {name}: {what}"))
        if report.ended in {"not-built", "refused"} and not errors:
            return one_line(Text.assemble(("⊘ Not run", "bold red"), f"  {name}"))
        what = f"{counted(errors, 'finding')}; {launched}" if errors else launched
        label = "Found" if errors else "Did not end well"
        return one_line(Text.assemble((f"✗ {label}", "bold red"), f"  {name}: {what}"))

    def _view(self, finding: HostFinding | ProgramFinding, width: int) -> Iterator[RenderableType]:
        if isinstance(finding, HostFinding):
            yield from self._host(finding)
            return
        yield from finding_view(finding, None, self.sources, _DETAIL, width)
        if finding.launch_line:
            where = f"{visible_text.line(finding.launch_file or '', 80)}, line {finding.launch_line:,}"
            yield Text(f"  {visible_text.line(finding.kernel, 80)}, launched in {where}", style="dim")

    def _host(self, finding: HostFinding) -> Iterator[RenderableType]:
        note = " (note)" if finding.severity == "note" else ""
        style = "bold" if note else "bold red"
        times = f" ({finding.count:,} times)" if finding.count > 1 else ""
        yield Text.assemble((f"{finding.label}{note}: ", style), visible_text.line(finding.message, 600), times)
        place = Finding(kind=Verdict.CRASH, message="", file=finding.file, line=finding.line, other=finding.other)
        yield Excerpts((place,), self.sources)
