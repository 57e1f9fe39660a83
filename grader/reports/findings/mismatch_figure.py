"""One case's wrong output: the picture, a summary in words, and the first wrong elements. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import LabResult, Launch, Mismatch
from grader.reports.findings.finding_card import launch_text, may_show
from grader.reports.findings.mismatch_picture import Picture, picture
from grader.reports.text import visible
from grader.reports.text.number_format import counted, difference, element, expected

_MOST_ELEMENTS = 8


@dataclass(frozen=True)
class ElementRow:
    row: str
    column: str
    expected: str
    got: str
    difference: str


@dataclass(frozen=True)
class MismatchFigure:
    output: str  # its name: "C"
    is_list: bool  # one row: its elements have one index
    case: str
    shape: str
    summary: str
    amount: str  # "48 of 561 elements wrong, 12 of them never written"
    elements: tuple[ElementRow, ...]
    picture: Picture | None


def mismatch_figures(lab: LabResult, *, instructor: bool) -> list[MismatchFigure]:
    """One figure for each launch with a wrong output that may be shown. Those that show a pattern come first."""
    found = [
        (case.name, launch, launch.mismatch)
        for case in lab.cases
        if may_show(case, instructor=instructor)
        for launch in case.launches
        if launch.mismatch
    ]
    found.sort(key=lambda each: each[2].wrong >= each[2].rows * each[2].columns)
    return [_figure(*each) for each in found]


def amount(mismatch: Mismatch) -> str:
    """How many elements differ. The judge counts unwritten elements as wrong."""
    all_of_them = counted(mismatch.rows * mismatch.columns, "element")
    if mismatch.unwritten == mismatch.wrong:
        return f"{mismatch.unwritten:,} of {all_of_them} never written"
    wrong = f"{mismatch.wrong:,} of {all_of_them} wrong"
    return f"{wrong}, {mismatch.unwritten:,} of them never written" if mismatch.unwritten else wrong


def _figure(case: str, launch: Launch, mismatch: Mismatch) -> MismatchFigure:
    return MismatchFigure(
        output=visible.line(mismatch.output, 40),
        is_list=mismatch.rows == 1,
        case=visible.line(case, 160),
        shape=launch_text(launch),
        summary=visible.line(mismatch.summary, 600),
        amount=amount(mismatch),
        elements=tuple(
            ElementRow(
                row=f"{one.row:,}",
                column=f"{one.column:,}",
                expected=expected(one.expected),
                got=element(one.got),
                difference=difference(one.expected, one.got),
            )
            for one in mismatch.first[:_MOST_ELEMENTS]
        ),
        picture=picture(mismatch),
    )
