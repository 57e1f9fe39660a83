"""The questions of labs in a terminal: which are answered, and whether the numbers are right. It never shows a right number. Pure.

Everything is built from `Text`, and what a student wrote goes through `visible`: it can neither style nor control the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.text import Text

from grader.model import visible_text
from grader.model.result import LabAnswers, NumberAnswer, QuestionAnswer
from grader.model.visible_text import counted
from grader.pages.screens.first_mistake import one_line

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
    parts = [Group(_title(lab_id, answers), *_body(answers)) for lab_id, answers in labs]
    return Group(*[line for part in parts for line in (Text(), part)][1:])


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


def _title(lab_id: str, answers: LabAnswers) -> Text:
    glyph, style = ("✓", "green") if answers.answered == len(answers.questions) else ("·", "blue")
    return Text.assemble((f"{glyph} {visible_text.line(lab_id, 60)}", f"bold {style}"), f"  {summary(answers)}")


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
        yield _question(one)
        for number in one.numbers:
            yield _number(number)
    for notice in answers.notices[:_MOST_NOTICES]:
        yield Text(f"  Note: {visible_text.line(notice, 300)}", style="yellow")


def _question(one: QuestionAnswer) -> Text:
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
