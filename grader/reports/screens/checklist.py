"""What passed and what did not, one line each: the tests of a lab, or the labs of a course. Pure.

Lines are cut at the edge of the window, so that a list does not get longer. The important words come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from grader.model.result import Case, LabResult
from grader.model.verdicts import TERMINAL_STYLES, Verdict
from grader.reports.text import visible
from grader.reports.text.number_format import counted

_BAR = 24  # characters
_LONGEST_NAME = 52


@dataclass(frozen=True)
class Tried:
    """A lab that was run: its result, and the file that was run."""

    lab_id: str
    result: LabResult
    source: str  # the file's text
    path: str  # the file's path as a student would write it
    untouched: bool = False  # whether it is still the starter
    speed_points: float = 0  # that students are told of; 0: none
    beside: tuple[str, ...] = ()  # names of files beside an untouched starter that may be meant instead

    @property
    def passed(self) -> bool:
        return self.result.verdict is Verdict.PASS and all(case.passed for case in self.result.cases)

    @property
    def starting(self) -> bool:
        """Whether the student has not begun yet: the file is the starter, and it fails."""
        return self.untouched and not self.passed


def passed_of(cases: Sequence[Case]) -> str:
    """`3 of 4 tests pass`."""
    return f"{sum(case.passed for case in cases)} of {counted(len(cases), 'test')} pass"


def case_lines(cases: Sequence[Case], focus: Case | None) -> Iterator[Text]:
    """One line for each case. `focus` is the case that the rest of the screen is about."""
    width = max((len(visible.line(case.name, _LONGEST_NAME)) for case in cases), default=0)
    for case in cases:
        look = (Verdict.WRONG_ANSWER if case.verdict is Verdict.PASS and not case.passed else case.verdict).facts
        row = Text.assemble(
            ("▸ " if case is focus else "  ", "bold"),
            (f"{look.glyph} ", TERMINAL_STYLES[look.tone]),
            (f"{visible.line(case.name, _LONGEST_NAME):{width}}", "bold" if case is focus else ""),
        )
        if note := _note(case, look.label if focus is None or case.verdict is not focus.verdict else ""):
            row.append(f"  {note}", "dim")
        yield one_line(row)


def _note(case: Case, label: str) -> str:
    """The note beside a case's name: the shape at which it failed, and how it failed where this is not stated elsewhere."""
    if case.passed:
        return visible.line(case.message, 80) if case.points < case.max_points else ""
    if case.verdict is Verdict.PASS:
        return "not met"
    failed = next((launch for launch in case.launches if launch.verdict is not Verdict.PASS), None)
    shape = visible.line(failed.shape, 60) if failed else ""
    return ", ".join(part for part in (shape, label.lower()) if part) if case.launches else "not run"


def overview(tried: Sequence[Tried], focus: Tried | None) -> Iterator[Text]:
    """How many labs pass, and one line for each lab."""
    cases = [case for one in tried for case in one.result.cases]
    done = sum(case.passed for case in cases)
    filled = _BAR * done // len(cases) if cases else 0
    yield one_line(
        Text.assemble(("█" * filled, "green"), ("░" * (_BAR - filled), "dim"), (f"  {passed_of(cases)}", "bold"))
    )
    name = max((len(visible.line(one.lab_id, 30)) for one in tried), default=0)
    for one in tried:
        yield one_line(_lab_line(one, name, in_focus=one is focus))


def _lab_line(one: Tried, width: int, *, in_focus: bool) -> Text:
    cases = one.result.cases
    look = one.result.look
    glyph, style = ("·", "dim") if one.starting else (look.glyph, TERMINAL_STYLES[look.tone])
    line = Text.assemble(
        ("▸ " if in_focus else "  ", "bold"),
        (f"{glyph} ", style),
        (f"{visible.line(one.lab_id, 30):{width}}", "bold"),
        f"  {sum(case.passed for case in cases):>2} of {len(cases)}",
    )
    if not one.passed:
        state = "not started" if one.starting else look.label.lower()
        line.append(f"  {state}", "dim" if one.starting else style)
    line.append(f"  {visible.line(one.result.title, 60)}", "dim")
    if one.result.extra_credit:
        line.append(" (extra credit)", "dim")
    return line


def one_line(text: Text) -> Text:
    """Cuts the line at the edge of the window. It must not wrap: that would break tables and move carets."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text
