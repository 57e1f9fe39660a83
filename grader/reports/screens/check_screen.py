"""The result of `tilelab check` for a terminal: the launch, each finding with its lines and carets, the kernel's output, and the counts.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.model.result import Case, Finding, LabResult, Launch
from grader.model.verdicts import TERMINAL_STYLES, Verdict
from grader.reports.screens.checklist import one_line
from grader.reports.screens.first_mistake import Detail, block_view, finding_view, launched
from grader.reports.text import visible
from grader.reports.text.number_format import counted

_DETAIL = Detail(around=2, elements=0, picture=0)
_MOST_FINDINGS = 12
_PRINTED_LINES = 12
_INDENT = (0, 0, 0, 2)


@dataclass(frozen=True)
class CheckPage:
    """`sources`: the text of each file, the checked one first. `launch` is None where nothing ran; then the findings say why."""

    kernel: str
    verdict: Verdict
    findings: Sequence[Finding]
    sources: Mapping[str, str]
    launch: Launch | None = None
    arguments: str = ""
    metrics: Mapping[str, int] | None = None
    left_out: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self._title()
        if self.launch and self.launch.grid:
            yield Padding(Text(launched(self.launch), style="dim"), _INDENT, expand=False)
            yield Padding(Text(visible.line(self.arguments, 1000), style="dim"), _INDENT, expand=False)
        lab = self._as_lab()
        advised = set[str]()
        for finding in self.findings[:_MOST_FINDINGS]:
            yield Text()
            yield from finding_view(finding, lab, self.sources, _DETAIL, options.max_width)
            if finding.advice and finding.advice not in advised:
                advised.add(finding.advice)
                yield Text.assemble(("Look at next: ", "bold blue"), visible.line(finding.advice, 600))
        if (more := len(self.findings) - _MOST_FINDINGS) > 0:
            yield Text(f"and {counted(more, 'more finding')}: --json lists all of them", style="dim")
        yield from self._rest()

    def _title(self) -> Text:
        look = self.verdict.facts
        errors = [one for one in self.findings if one.severity == "error"]
        label = "Clean" if self.verdict is Verdict.PASS else look.label
        noted = f"no mistake was seen; {counted(len(self.findings), 'note')}" if self.findings else "nothing was found"
        what = counted(len(errors), "finding") if errors else noted
        name = f"  {visible.line(self.kernel, 80)}  in {visible.line(next(iter(self.sources)), 80)}: {what}"
        return one_line(Text.assemble((f"{look.glyph} {label}", f"bold {TERMINAL_STYLES[look.tone]}"), name))

    def _rest(self) -> Iterator[RenderableType]:
        if self.launch and self.launch.printed.strip():
            yield Text()
            yield Text("The kernel printed:", style="bold")
            yield from block_view(visible.block(self.launch.printed, lines=_PRINTED_LINES))
        if self.metrics:
            yield Text()
            width = max(len(name) for name in self.metrics)
            for name, value in self.metrics.items():
                yield Padding(Text(f"{name:<{width}}  {value:,}"), _INDENT, expand=False)
        if self.left_out:
            left_out = "; ".join(visible.line(one, 200) for one in self.left_out)
            yield Text()
            yield Text(
                f"Left out of the file: {left_out}",
                style="dim",
            )

    def _as_lab(self) -> LabResult:
        """The launch as a lab's result, which the views of findings need."""
        launches = (self.launch,) if self.launch else ()
        case = Case(
            name=self.kernel,
            visibility="public",
            verdict=self.verdict,
            passed=False,
            points=0,
            max_points=0,
            launches=launches,
        )
        file = next(iter(self.sources))
        return LabResult(title=self.kernel, file=file, verdict=self.verdict, points=0, max_points=0, cases=(case,))
