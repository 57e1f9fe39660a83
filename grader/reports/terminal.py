"""One lab's outcome on one screen of a terminal: what passed, what failed and why, the line, what to look at next.

Everything is built from `Text`, never from markup, and has gone through `visible`: a submission can neither style nor
steer the terminal. Colour is only ever an addition; rich leaves it out where the output is no terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.reports import visible
from grader.reports.case_row import CaseRow, case_row
from grader.reports.excerpt import Excerpt, Role
from grader.reports.figures import counted, points
from grader.reports.finding_card import FindingCard, finding_card
from grader.reports.lab_section import NOTHING_RAN, advice, what_happened
from grader.reports.mismatch_figure import MismatchFigure, mismatch_figures
from grader.reports.verdict_table import LOOKS, Tone
from grader.result import LabResult

_STYLES: dict[Tone, str] = {"good": "green", "bad": "red", "absent": "dim", "waiting": "blue", "ours": "magenta"}
_ROLES: dict[Role, str] = {"": "", "first": "red", "second": "yellow"}
_FINDINGS = 2  # findings shown whole; the rest is counted, to stay on one screen
_ELEMENTS = 3
_LOG_LINES = 15
_PRINTED_LINES = 10
_LINE = 110
_INDENT = (0, 0, 0, 2)


def render_lab(lab_id: str, lab: LabResult, *, sources: Mapping[str, str]) -> Group:
    """`sources`: the submission's own files, name to text."""
    return Group(*_parts(lab_id, lab, sources))


def _parts(lab_id: str, lab: LabResult, sources: Mapping[str, str]) -> Iterator[RenderableType]:
    look = LOOKS[lab.verdict]
    yield Text.assemble(
        (f"{look.glyph} {look.label}", f"bold {_STYLES[look.tone]}"),
        (f"  {visible.words(lab_id, 60)}", "bold"),
        f"  {visible.words(lab.title, 120)}",
        (f"  {points(lab.points)} of {points(lab.max_points)} points" if lab.max_points else "", "dim"),
    )
    yield Text(what_happened(lab))
    if lab.cases and lab.verdict not in NOTHING_RAN:
        yield Text()
        yield from (_case(case_row(case, findings=lab.findings, instructor=True)) for case in lab.cases)
    for finding in lab.findings[:_FINDINGS]:
        yield Text()
        yield from _finding(finding_card(finding, lab, sources, instructor=True))
    if (more := len(lab.findings) - _FINDINGS) > 0:
        yield Text(f"and {counted(more, 'more finding', 'more findings')}", style="dim")
    for figure in mismatch_figures(lab, instructor=True)[:1]:
        yield Text()
        yield from _mismatch(figure)
    if lab.build and not lab.build.ok and lab.build.log.strip():
        yield Text()
        yield from _block("The compiler said:", visible.block(lab.build.log, lines=_LOG_LINES, columns=_LINE))
    yield from _printed(lab)
    if next_step := advice(lab):
        yield Text()
        yield Text.assemble(("Look at next: ", "bold blue"), next_step)


def _case(row: CaseRow) -> RenderableType:
    text = Text.assemble((f"{row.look.glyph} ", _STYLES[row.look.tone]), row.name)
    if row.message:
        text.append(f"  {row.message}", "dim")
    return Padding(text, _INDENT, expand=False)


def _finding(card: FindingCard) -> Iterator[RenderableType]:
    style = "bold" if card.is_note else f"bold {_STYLES[card.look.tone]}"
    yield Text.assemble((f"{card.look.label}{' (note)' if card.is_note else ''}: ", style), card.message)
    if card.excerpt:
        yield from _excerpt(card.excerpt, card.where)
    elif card.where:
        yield Text(f"  {card.where}", style="cyan")
    facts = [f"{fact.term.lower()} {fact.detail}" for fact in card.facts if fact.term not in {"Function", "Cases"}]
    if facts:
        yield Padding(Text(" · ".join(facts), style="dim"), _INDENT, expand=False)


def _excerpt(excerpt: Excerpt, where: str) -> Iterator[RenderableType]:
    margin = len(str(excerpt.rows[-1].number)) + 2
    yield Text.assemble(" " * margin, ("╭ ", "dim"), (where, "cyan"))
    for row in excerpt.rows:
        if row.after_gap:
            yield Text(f"{'':{margin}}⋮", style="dim")
        number = f"{'▸' if row.role else ' '}{row.number:>{margin - 2}} "
        line = Text.assemble((number, _ROLES[row.role] or "dim"), ("│ ", "dim"))
        for piece in row.pieces:
            line.append(piece.text, f"bold {_ROLES[row.role]}" if piece.marked else "")
        yield _unwrapped(line)
        for note in row.notes:
            yield _unwrapped(
                Text.assemble(" " * margin, ("│ ", "dim"), (f"{row.caret} {note.text}", _ROLES[note.role]))
            )
        if row.role and not row.notes:
            yield _unwrapped(Text.assemble(" " * margin, ("│ ", "dim"), (row.caret, _ROLES[row.role])))


def _mismatch(figure: MismatchFigure) -> Iterator[RenderableType]:
    yield Text.assemble(("Where C is wrong: ", "bold red"), figure.summary)
    yield Padding(Text(f"{figure.amount} · {figure.shape}", style="dim"), _INDENT, expand=False)
    for one in figure.elements[:_ELEMENTS]:
        yield Padding(
            Text.assemble(f"C[{one.row}][{one.column}]  expected {one.expected}, got ", (one.got, "red")),
            _INDENT,
            expand=False,
        )


def _printed(lab: LabResult) -> Iterator[RenderableType]:
    printed = [launch for case in lab.cases for launch in case.launches if launch.printed.strip()]
    if printed:
        yield Text()
        heading = f"The kernel printed ({visible.words(printed[-1].shape, 80)}):"
        yield from _block(heading, visible.block(printed[-1].printed, lines=_PRINTED_LINES, columns=_LINE))


def _block(heading: str, block: visible.Block) -> Iterator[RenderableType]:
    yield Text(heading, style="bold")
    for line in block.lines:
        yield Padding(Text(line), _INDENT, expand=False)
    if block.more:
        yield Text(f"  and {counted(block.more, 'more line', 'more lines')}", style="dim")


def _unwrapped(text: Text) -> Text:
    """Code is cut at the edge of the window: wrapped, its carets would point at something else."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text
