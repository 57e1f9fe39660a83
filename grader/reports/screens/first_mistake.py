"""The one mistake to correct first, for a terminal: a finding with its lines and carets, else where the result is wrong, else the
compiler's log. `Detail` says how much to show. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.model.result import Finding, LabResult, Launch, Site
from grader.model.verdicts import TERMINAL_STYLES, Verdict
from grader.reports.findings.excerpt import Excerpt, Note, Role, Row, excerpt
from grader.reports.findings.finding_card import shape_of
from grader.reports.findings.mismatch_figure import amount
from grader.reports.findings.suspect_lines import suspect_sentence
from grader.reports.screens.checklist import one_line
from grader.reports.text import visible
from grader.reports.text.number_format import counted, element, expected, index

_ROLES: dict[Role, str] = {"": "", "first": "red", "second": "yellow"}
_KINDS = {".": ("right", "dim"), "#": ("wrong", "red"), "o": ("never written", "yellow")}
_LOG_LINES = 12
_LINE = 200
_INDENT = (0, 0, 0, 2)


@dataclass(frozen=True)
class Detail:
    """How much to show. `_LEVELS` in lab_screen.py go from the most detail to what fits any window."""

    around: int  # lines of code before and after a marked line
    elements: int  # wrong elements of the output
    picture: int  # rows of the drawing; 0: no drawing


def finding_view(
    finding: Finding, lab: LabResult, sources: Mapping[str, str], detail: Detail, width: int
) -> Iterator[RenderableType]:
    look = finding.kind.facts
    name = f"{visible.line(finding.called, 80)}{' (note)' if finding.severity == 'note' else ''}: "
    style = "bold" if finding.severity == "note" else f"bold {TERMINAL_STYLES[look.tone]}"
    yield Text.assemble((name, style), visible.line(finding.message, 600))
    file = visible.line(finding.file or "", 80)
    if shown := excerpt(finding, sources, around=detail.around):
        yield from excerpt_view(shown, f"{file}, line {finding.line:,}", width)
    elif finding.line is not None:
        yield Text(f"  {file}, line {finding.line:,}", style="cyan")
    if facts := _facts(finding, lab):
        yield Padding(Text(facts, style="dim"), _INDENT, expand=False)


def cause_view(
    cause: Finding, sources: Mapping[str, str], width: int, *, shown: int | None
) -> Iterator[RenderableType]:
    """What in the text may be the cause, with its line. `shown`: a line that stands above already."""
    yield Text.assemble(("Likely cause: ", "bold"), visible.line(cause.message, 600))
    if cause.line != shown and (lines := excerpt(cause, sources, around=0)):
        yield from excerpt_view(lines, f"{visible.line(cause.file or '', 80)}, line {cause.line:,}", width)


def suspect_view(lab: LabResult, sources: Mapping[str, str], width: int) -> Iterator[RenderableType]:
    """Which lines are likely to hold the mistake, and these lines."""
    if not (sentence := suspect_sentence(lab)):
        return
    yield Text.assemble(("Where to look: ", "bold"), sentence)
    first, *others = [line for suspect in lab.suspects for line in suspect.lines]
    other = Site(line=others[0]) if others else None
    place = Finding(kind=Verdict.WRONG_ANSWER, message="", file=lab.file, line=first, other=other)
    if shown := excerpt(place, sources, around=0):
        yield from excerpt_view(shown, visible.line(lab.file, 80), width)


def _facts(finding: Finding, lab: LabResult) -> str:
    """The shape and launch of the finding, the block and thread, and how often it occurred."""
    launch = shape_of(finding, lab, instructor=True)
    parts = [launched(launch)] if launch else []
    parts += [f"block {index(finding.block)}"] if finding.block else []
    parts += [f"thread {index(finding.thread)}"] if finding.thread else []
    parts += [f"{finding.count:,} times"] if finding.count > 1 else []
    return " · ".join(parts)


def launched(launch: Launch) -> str:
    """`M=32 N=32 K=32 · grid (2,2,1) of blocks (16,16,1)`."""
    size = f" · grid {index(launch.grid)} of blocks {index(launch.block)}" if launch.grid and launch.block else ""
    return visible.line(launch.shape, 80) + size


def excerpt_view(shown: Excerpt, where: str, width: int) -> Iterator[RenderableType]:
    margin = len(str(shown.rows[-1].number)) + 2
    yield Text.assemble(" " * margin, ("╭ ", "dim"), (where, "cyan"))
    room = max(width - margin - 2, 20)
    for row in shown.rows:
        if row.after_gap:
            yield Text(f"{'':{margin}}⋮", style="dim")
        number = f"{'▸' if row.role else ' '}{row.number:>{margin - 2}} "
        line = Text.assemble((number, _ROLES[row.role] or "dim"), ("│ ", "dim"))
        cut = _hidden(row, room)
        yield one_line(line.append_text(_code(row, cut)))
        for under in _under(row, cut, room):
            yield one_line(Text.assemble(" " * margin, ("│ ", "dim"), under))


def _hidden(row: Row, room: int) -> int:
    """How many columns are cut on the left, so that the marked code is in the window."""
    start, end = len(row.caret) - len(row.caret.lstrip()), len(row.caret.split("^ ")[0])
    return 0 if end <= room else max(0, min(start - 4, end - room + 2))


def _code(row: Row, cut: int) -> Text:
    text = Text()
    for piece in row.pieces:
        text.append(piece.text, f"bold {_ROLES[row.role]}" if piece.marked else "")
    return Text.assemble(("…", "dim"), text[cut + 1 :]) if cut else text


def _under(row: Row, cut: int, room: int) -> Iterator[Text]:
    """The carets, with what the thread does after them, before them, or on its own line, wherever it fits."""
    caret = row.caret[cut:]
    if not row.role:
        return
    for note in row.notes or (Note(row.role, ""),):
        before = len(caret) - len(caret.lstrip())
        if len(caret) + 1 + len(note.text) <= room:
            yield Text(f"{caret} {note.text}".rstrip(), _ROLES[note.role])
        elif len(note.text) + 1 <= before:
            yield Text(f"{note.text:>{before - 1}} {caret.lstrip()}", _ROLES[note.role])
        else:
            yield Text(caret, _ROLES[note.role])
            yield Text(f"{note.text:>{min(room, len(caret))}}", _ROLES[note.role])


def mismatch_view(launch: Launch, detail: Detail, width: int) -> Iterator[RenderableType]:
    """Where the output is wrong: a summary, the first elements, and a drawing where it shows a pattern."""
    mismatch = launch.mismatch
    if mismatch is None:
        return
    output, summary = visible.line(mismatch.output, 40), visible.line(mismatch.summary, 600)
    if mismatch.rows * mismatch.columns == 1:
        yield Text(f"{output} is wrong:", "bold red")
    else:
        yield Text.assemble((f"Where {output} is wrong: ", "bold red"), f"{summary} ({amount(mismatch)})")
    yield Padding(Text(launched(launch), style="dim"), _INDENT, expand=False)
    for one in mismatch.first[: detail.elements]:
        value = f"{output}[{one.row}][{one.column}]" if mismatch.rows > 1 else f"{output}[{one.column}]"
        got = element(one.got)
        yield Padding(
            Text.assemble(f"{value}  expected {expected(one.expected)}, got ", (got, "red")), _INDENT, expand=False
        )
    rows = [visible.code(row, 64) for row in mismatch.picture]
    if not 0 < len(rows) <= detail.picture or len(set("".join(rows))) == 1 or len(rows[0]) + 4 > width:
        return
    cell_size = (mismatch.cell_rows, mismatch.cell_columns)
    cell = "" if cell_size == (1, 1) else ", one sign for {} by {} elements".format(*cell_size)
    meanings = [f"{sign} {word}" for sign, (word, _) in _KINDS.items() if any(sign in row for row in rows)]
    yield Padding(Text(f"{output}{cell}: {', '.join(meanings)}", style="dim"), _INDENT, expand=False)
    for row in rows:
        signs = [(sign, _KINDS.get(sign, ("", ""))[1]) for sign in row]
        yield Padding(Text.assemble(*signs), _INDENT, expand=False)


def log_view(log: str) -> Iterator[RenderableType]:
    yield Text("The compiler said:", style="bold")
    yield from block_view(visible.block(log.strip("\n"), lines=_LOG_LINES, columns=_LINE))


def block_view(block: visible.Block) -> Iterator[RenderableType]:
    """The lines of a log, or of a kernel's output."""
    for line in block.lines:
        yield one_line(Text(f"  {line}"))
    if block.more:
        yield Text(f"  and {counted(block.more, 'more line', 'more lines')}", style="dim")
