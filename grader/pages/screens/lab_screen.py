"""One lab, or a course of labs, on one screen of a terminal: what passed, what to correct first and why, and what to look at next.
Everything else is only counted. The screen shows as much detail as the window can hold.

Everything is built from `Text`, never from markup, and goes through `visible`. So a submission can neither style nor control the
terminal. Colour never carries information alone; rich leaves it out where the output is no terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from grader.model import visible_text
from grader.model.advice import question_for
from grader.model.result import Case, Finding, LabAnswers, LabResult, Launch, Mismatch, NumberAnswer, QuestionAnswer
from grader.model.several_files import of_lab
from grader.model.verdicts import TERMINAL_STYLES
from grader.model.visible_text import counted
from grader.pages.findings.finding_card import launch_of, shown_launches
from grader.pages.findings.mismatch_figure import amount, wrong_launches
from grader.pages.findings.one_cause import advice, cause_groups, explanations, what_happened, wrong_outputs
from grader.pages.screens.first_mistake import (
    Detail,
    Tried,
    block_view,
    case_lines,
    cause_view,
    finding_view,
    log_view,
    mismatch_view,
    one_line,
    overview,
    passed_of,
    race_view,
    suspect_view,
)
from grader.pages.speed.speed_figure import cost_lines, kernel_lines, speed_lines

_PRINTED_LINES = 6
_TODOS = 4
_CAUSES = 1
_OTHERS = 3  # further findings, one line each


@dataclass(frozen=True)
class Level:
    """How much a screen shows. Each level in `_LEVELS` is shorter than the one before it."""

    detail: Detail
    cases: Literal["all", "failed", "first"]  # "first": the case with the mistake that is shown
    hint: bool = False  # whether the lab's own hint is shown besides the finding's
    others: int = 0  # findings after the first, one line each
    blank_lines: bool = True  # between the parts
    lanes: bool = False  # a race as a picture, besides its lines
    of_races: bool = False  # only where there is such a picture: the room for it comes from the list of cases


_LEVELS = (
    Level(Detail(around=2, elements=4, picture=12), cases="all", hint=True, others=_OTHERS, lanes=True),
    Level(Detail(around=1, elements=3, picture=12), cases="all", hint=True, others=1, lanes=True),
    Level(Detail(around=1, elements=3, picture=8), cases="all", others=1, lanes=True),
    Level(Detail(around=0, elements=2, picture=0), cases="first", blank_lines=False, lanes=True, of_races=True),
    Level(Detail(around=1, elements=2, picture=0), cases="failed"),
    Level(Detail(around=0, elements=2, picture=0), cases="all", blank_lines=False),
    Level(Detail(around=0, elements=1, picture=0), cases="first", blank_lines=False),
    Level(Detail(around=0, elements=1, picture=0, facts=False), cases="first", blank_lines=False),
)


@dataclass(frozen=True)
class Screen:
    """`tried`: in the labs' order. `focus`: the one of them that is shown in full. `lines`: the window's height, or None."""

    tried: Sequence[Tried]
    focus: Tried | None
    lines: int | None = None
    next_lab: str = ""  # the lab to go on with when the only lab passes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Renders the most detailed level that fits the window, or the shortest where none fits."""
        first = self.focus.result.first_error if self.focus and not self.focus.starting else None
        has_lanes = first is not None and any(race_view(first, options.max_width))
        for level in _LEVELS:
            if level.of_races and not has_lanes:
                continue
            whole = Group(*self._parts(level, options.max_width))
            if self.lines is None or len(console.render_lines(whole, options, pad=False)) <= self.lines:
                break
        yield whole

    def _parts(self, level: Level, width: int) -> Iterator[RenderableType]:
        several = len(self.tried) > 1
        if several:
            yield from overview(self.tried, self.focus)
        one = self.focus
        if one is None:
            yield Text()
            yield Text("Every test passes.", style="bold green")
            return
        if several:
            yield Text()
        yield _title(one)
        if one.starting:
            yield from _start_here(one)
            return
        if one.result.ran:
            yield from case_lines(_shown_cases(one.result, level, several=several), _focused_case(one.result))
        if level.blank_lines:
            yield Text()
        yield from _trouble(one, level, width)
        if one.passed:
            yield from cost_lines(one.result, one.speed_points, max(level.others, 1))
        yield from speed_lines(one.result)
        yield from kernel_lines(one.result)
        if one.passed and self.next_lab:
            yield Text.assemble(("Next: ", "bold blue"), f"make test LAB={visible_text.line(self.next_lab, 60)}")


def _title(one: Tried) -> Text:
    lab, look = one.result, one.result.look
    glyph, label, style = look.glyph, look.label, TERMINAL_STYLES[look.tone]
    if one.starting:
        glyph, label, style = "·", "Not started", "blue"
    text = Text.assemble((f"{glyph} {label}", f"bold {style}"), (f"  {visible_text.line(one.lab_id, 60)}", "bold"))
    if lab.cases:
        text.append(f"  {passed_of(lab.cases)}")
    return one_line(text.append(f"  {visible_text.line(lab.title, 120)}", "dim"))


def _shown_cases(lab: LabResult, level: Level, *, several: bool) -> list[Case]:
    """The cases to list. With several labs, cases that pass are not listed."""
    if level.cases == "first" and (focused := _focused_case(lab)):
        return [focused]
    return [case for case in lab.cases if (level.cases == "all" and not several) or not case.passed]


def _start_here(one: Tried) -> Iterator[RenderableType]:
    """For an unchanged starter: what to do."""
    yield Text(f"This is still the starter file. What to do in {visible_text.line(one.path, 120)}:")
    todos = [(n, line) for n, line in enumerate(one.source.split("\n"), start=1) if "TODO" in line]
    for number, line in todos[:_TODOS]:
        yield one_line(Text.assemble((f"  {number:>3} │ ", "dim"), visible_text.code(line.strip(), 160)))
    folder = one.path.rpartition("/")[0]
    if one.beside:
        name, others = (
            visible_text.line(one.path.rpartition("/")[2], 80),
            (visible_text.line(it, 80) for it in one.beside[:3]),
        )
        said = f"{', '.join(others)}. If that is your work, rename it to {name}."
        yield Text.assemble(("Not tested: ", "bold yellow"), said)
    write_up = visible_text.line(f"{folder}/README.md", 120)
    yield Text.assemble(("Look at next: ", "bold blue"), f"{write_up} says what to do and why.")


def _trouble(one: Tried, level: Level, width: int) -> Iterator[RenderableType]:
    """What to correct first, what to look at next, and what else there is."""
    lab, wrong = one.result, next(iter(wrong_launches(one.result)), None)
    first = lab.first_error or (None if wrong else next(iter(lab.findings), None))
    sources = of_lab({lab.file: one.source}, lab.file)
    if first is not None:
        launch = launch_of(first, shown_launches(lab, instructor=True))
        yield from finding_view(first, launch, sources, level.detail, width)
        if level.lanes:
            yield from race_view(first, width)
    elif wrong:
        yield from mismatch_view(wrong[1], level.detail, width)
    elif lab.build and not lab.build.ok and lab.build.log.strip():
        yield from log_view(lab.build.log)
    else:  # it says so if the lab passes
        said = what_happened(lab)
        message = next((case.message for case in lab.cases if not case.passed and case.message), "")
        yield Text(f"{said} {visible_text.line(message, 600)}" if message not in said else said)
    for cause in lab.causes[:_CAUSES]:
        yield from cause_view(cause, sources, width, shown=first.line if first else None)
    for explanation in explanations(lab)[:1]:
        head = "Seen in the result: " if lab.causes else "Likely cause: "
        yield Text.assemble((head, "bold"), visible_text.line(explanation.sentence, 600))
    yield from suspect_view(lab, sources, width)
    yield from _printed(lab)
    yield from _next_step(one, level)
    yield from _rest(one, first, wrong if first else None, level)


def _next_step(one: Tried, level: Level) -> Iterator[RenderableType]:
    lab, case = one.result, _focused_case(one.result)
    step = advice(lab)
    if case and case.advice and step in {visible_text.line(other.advice, 600) for other in lab.cases}:
        step = visible_text.line(case.advice, 600)  # of the case that is shown
    if step:
        if level.blank_lines:
            yield Text()
        yield Text.assemble(("Look at next: ", "bold blue"), step)
    # A finding's kind has a question. None where the cause is known, or where the case's advice is all there is.
    asked = lab.first_error if level.hint and lab.ran and not lab.causes else None
    if asked is not None and (question := question_for(asked)):
        yield Text.assemble(("And ask yourself: ", "bold blue"), question)


def _rest(
    one: Tried, first: Finding | None, wrong: tuple[Case, Launch, Mismatch] | None, level: Level
) -> Iterator[RenderableType]:
    """What is not shown, in one or two lines: first what has the same cause. It often disappears with the first mistake."""
    lab = one.result
    group = next((each for each in cause_groups(lab.findings) if first in each.findings), None)
    grouped = group.findings if group else []
    same = [
        one for one in grouped if first and (one.kind, one.line, one.array) != (first.kind, first.line, first.array)
    ]
    others = [one for one in lab.findings if one is not first and one not in grouped]
    spoiled = bool(wrong and group and wrong_outputs(lab, group.findings, instructor=True))
    output = [f"a wrong {visible_text.line(wrong[2].output, 40)} ({amount(wrong[2])})"] if wrong else []
    lines = [*_listed(same, level.others), *(output if spoiled else [])]
    rest = [*_listed(others, max(level.others - len(same), 0)), *([] if spoiled else output)]
    parts = [f"Same cause: {'; '.join(lines)}."] if lines else []
    parts += [f"Also: {'; '.join(rest)}."] if rest else []
    if parts:
        parts.append(f"To see everything: make report LAB={visible_text.line(one.lab_id, 60)}")
        yield Text(" ".join(parts), style="dim")


def _listed(findings: Sequence[Finding], most: int) -> Iterator[str]:
    """In a line each; then how many more there are."""
    for one in findings[:most]:
        where = f" in line {one.line:,}" if one.line is not None else ""
        note = " (note)" if one.severity == "note" else ""
        what = visible_text.line(one.element or one.array or "", 60)
        yield f"{visible_text.line(one.called, 80).lower()}{note}{where}{f', {what}' if what else ''}"
    if (more := len(findings) - most) > 0:
        yield counted(more, "more finding" if most else "other finding")


def _printed(lab: LabResult) -> Iterator[RenderableType]:
    printed = [launch for case in lab.cases for launch in case.launches if launch.printed.strip()]
    if printed:
        who = "kernel" if lab.contract == "kernel" else "program"
        yield Text(f"The {who} printed ({visible_text.line(printed[-1].shape, 80)}):", style="bold")
        yield from block_view(visible_text.block(printed[-1].printed, lines=_PRINTED_LINES))


def _focused_case(lab: LabResult) -> Case | None:
    """The case with the mistake that is shown."""
    error = lab.first_error
    name = error.cases[0] if error and error.cases else None
    named = [case for case in lab.cases if case.name == name]
    wrong = [case for case, _, _ in wrong_launches(lab)] if not error else []
    return next(iter([*named, *wrong, *(case for case in lab.cases if not case.passed)]), None)


# The questions of labs in a terminal: which are answered, and whether the numbers are right. It never shows a right number. Pure.
#
# Everything is built from `Text`, and what a student wrote goes through `visible`: it can neither style nor control the terminal.

_LOOKS = {
    "right": ("✓", "green", "right"),
    "wrong": ("✗", "red", "not right"),
    "unclear": ("?", "yellow", ""),
    "unchecked": ("·", "dim", ""),
    "open": ("·", "dim", "not answered yet"),
}
_MOST_NOTICES = 4


def answers_screen(labs: Sequence[tuple[str, LabAnswers]]) -> Group:
    """One lab after the other; of several, each in a few lines. `labs`: of each, its id and what was answered."""
    parts: list[RenderableType] = []
    for lab_id, one in labs:
        glyph, style = ("✓", "green") if one.answered == len(one.questions) else ("·", "blue")
        title = (f"{glyph} {visible_text.line(lab_id, 60)}", f"bold {style}")
        parts += [Text(), Text.assemble(title, f"  {summary(one)}"), *_body(one)]
    return Group(*parts[1:])


def answers_line(answers: LabAnswers | None, lab_id: str) -> Text | None:
    """One line below the results of tests. None where the student has not begun to answer: nobody is pressed."""
    if answers is None or not answers.begun:
        return None
    more = f"make answers LAB={visible_text.line(lab_id, 60)}"
    if answers.trouble:
        return Text(f"Answers: {visible_text.line(answers.trouble, 200)}")
    return Text.assemble(("Answers: ", "bold blue"), f"{summary(answers)}. To see which: {more}")


def summary(answers: LabAnswers) -> str:
    """`3 of 6 questions answered; 2 of 3 numbers right`."""
    said = [f"{answers.answered} of {counted(len(answers.questions), 'question')} answered"]
    if given := [one for one in answers.numbers if one.state in {"right", "wrong"}]:
        said.append(f"{answers.right} of {counted(len(given), 'number')} right")
    if unclear := sum(one.state == "unclear" for one in answers.numbers):
        said.append(f"{counted(unclear, 'place')} for a number {'holds' if unclear == 1 else 'hold'} something else")
    return "; ".join(said)


def _body(answers: LabAnswers) -> Iterator[Text]:
    if answers.trouble:
        yield Text(f"  {visible_text.line(answers.trouble, 300)}", style="yellow")
        return
    if not answers.found:
        yield Text(
            "  There is no answers.md in the lab's folder. The handout's archive has it; answers go below its headings.",
            style="yellow",
        )
        return
    for one in answers.questions:
        yield _question_line(one)
        for number in one.numbers:
            yield _number(number)
    for notice in answers.notices[:_MOST_NOTICES]:
        yield Text(f"  Note: {visible_text.line(notice, 300)}", style="yellow")


def _question_line(one: QuestionAnswer) -> Text:
    glyph, style = ("✓", "green") if one.answered and all(each.state == "right" for each in one.numbers) else ("·", "")
    state = "answered" if one.answered else "partly answered" if one.begun else "not answered yet"
    if one.wants_words and not one.has_words and one.begun:
        state = "answered but for the words"
    if one.before and not one.begun:
        state += f", to be predicted before {visible_text.line(one.before, 40)}"
    asked = visible_text.line(one.question, 400)
    return one_line(Text.assemble((f"  {glyph} ", style), f"{one.number}. {state}  ", (asked, "dim")))


def _number(one: NumberAnswer) -> Text:
    glyph, style, said = _LOOKS[one.state]
    line = Text.assemble((f"      {glyph} ", style), visible_text.line(one.label, 60))
    if one.given:
        line.append(f": {visible_text.line(one.given, 60)}")
    remark = visible_text.line(one.remark, 200) if one.state in {"wrong", "unclear", "unchecked"} else ""
    return line.append(f"  {': '.join(filter(None, [said, remark]))}", style)
