"""The one mistake to correct first, for a terminal: a finding with its lines and carets, else where the result is wrong, else the
compiler's log. `Detail` says how much to show. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.model import visible_text
from grader.model.result import Case, Finding, LabResult, Launch, Site
from grader.model.verdicts import TERMINAL_STYLES, Verdict
from grader.model.visible_text import counted, element, expected, index
from grader.pages.findings.finding_card import Note, Role, Row, excerpt, lane_figure, place_of, suspect_sentence
from grader.pages.findings.mismatch_figure import amount

# What passed and what did not, one line each: the tests of a lab, or the labs of a course. Pure.
#
# Lines are cut at the edge of the window, so that a list does not get longer. The important words come first.

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
    width = max((len(visible_text.line(case.name, _LONGEST_NAME)) for case in cases), default=0)
    for case in cases:
        look = (Verdict.WRONG_ANSWER if case.verdict is Verdict.PASS and not case.passed else case.verdict).facts
        row = Text.assemble(
            ("▸ " if case is focus else "  ", "bold"),
            (f"{look.glyph} ", TERMINAL_STYLES[look.tone]),
            (f"{visible_text.line(case.name, _LONGEST_NAME):{width}}", "bold" if case is focus else ""),
        )
        if note := _note(case, look.label if focus is None or case.verdict is not focus.verdict else ""):
            row.append(f"  {note}", "dim")
        yield one_line(row)


def _note(case: Case, label: str) -> str:
    """The note beside a case's name: the shape at which it failed, and how it failed where this is not stated elsewhere."""
    if case.passed:
        return visible_text.line(case.message, 80) if case.points < case.max_points else ""
    if case.verdict is Verdict.PASS:
        return "not met"
    failed = next((launch for launch in case.launches if launch.verdict is not Verdict.PASS), None)
    shape = visible_text.line(failed.shape, 60) if failed else ""
    return ", ".join(part for part in (shape, label.lower()) if part) if case.launches else "not run"


def overview(tried: Sequence[Tried], focus: Tried | None) -> Iterator[Text]:
    """How many labs pass, and one line for each lab."""
    cases = [case for one in tried for case in one.result.cases]
    done = sum(case.passed for case in cases)
    filled = _BAR * done // len(cases) if cases else 0
    bar = ("█" * filled, "green"), ("░" * (_BAR - filled), "dim")
    yield one_line(Text.assemble(*bar, (f"  {passed_of(cases)}", "bold")))
    name = max((len(visible_text.line(one.lab_id, 30)) for one in tried), default=0)
    for one in tried:
        yield one_line(_lab_line(one, name, in_focus=one is focus))


def _lab_line(one: Tried, width: int, *, in_focus: bool) -> Text:
    cases = one.result.cases
    look = one.result.look
    glyph, style = ("·", "dim") if one.starting else (look.glyph, TERMINAL_STYLES[look.tone])
    line = Text.assemble(
        ("▸ " if in_focus else "  ", "bold"),
        (f"{glyph} ", style),
        (f"{visible_text.line(one.lab_id, 30):{width}}", "bold"),
        f"  {sum(case.passed for case in cases):>2} of {len(cases)}",
    )
    if not one.passed:
        state = "not started" if one.starting else look.label.lower()
        line.append(f"  {state}", "dim" if one.starting else style)
    line.append(f"  {visible_text.line(one.result.title, 60)}", "dim")
    if one.result.extra_credit:
        line.append(" (extra credit)", "dim")
    return line


def one_line(text: Text) -> Text:
    """Cuts the line at the edge of the window. It must not wrap: that would break tables and move carets."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


_ROLES: dict[Role, str] = {"": "", "first": "red", "second": "yellow"}
_KINDS = {".": ("right", "dim"), "#": ("wrong", "red"), "o": ("never written", "yellow")}
_LOG_LINES = 12
_LINE = 200


@dataclass(frozen=True)
class Detail:
    """How much to show. `_LEVELS` in lab_screen.py go from the most detail to what fits any window."""

    around: int  # lines of code before and after a marked line
    elements: int  # wrong elements of the output
    picture: int  # rows of the drawing at most; 0: no drawing
    facts: bool = True  # whether the launch, the thread and how often stand below the lines


def finding_view(
    finding: Finding, launch: Launch | None, sources: Mapping[str, str], detail: Detail, width: int
) -> Iterator[RenderableType]:
    look = finding.kind.facts
    name = f"{visible_text.line(finding.called, 80)}{' (note)' if finding.severity == 'note' else ''}: "
    style = "bold" if finding.severity == "note" else f"bold {TERMINAL_STYLES[look.tone]}"
    yield Text.assemble((name, style), visible_text.line(finding.message, 600))
    if shown := excerpt(finding, sources, around=detail.around):
        yield from excerpt_view(shown, place_of(finding), width)
    elif finding.line is not None:
        yield Text(f"  {place_of(finding)}", style="cyan")
    if detail.facts and (facts := _facts(finding, launch)):
        yield indented(Text(facts, style="dim"))


def cause_view(
    cause: Finding, sources: Mapping[str, str], width: int, *, shown: int | None
) -> Iterator[RenderableType]:
    """What in the text may be the cause, with its line. `shown`: a line that stands above already."""
    yield Text.assemble(("Likely cause: ", "bold"), visible_text.line(cause.message, 600))
    if cause.line != shown and (lines := excerpt(cause, sources, around=0)):
        yield from excerpt_view(lines, place_of(cause), width)


def suspect_view(lab: LabResult, sources: Mapping[str, str], width: int) -> Iterator[RenderableType]:
    """Which lines are likely to hold the mistake, and these lines."""
    if not (sentence := suspect_sentence(lab)):
        return
    yield Text.assemble(("Where to look: ", "bold"), sentence)
    first, *others = [line for suspect in lab.suspects for line in suspect.lines]
    other = Site(line=others[0]) if others else None
    place = Finding(kind=Verdict.WRONG_ANSWER, message="", file=lab.file, line=first, other=other)
    if shown := excerpt(place, sources, around=0):
        yield from excerpt_view(shown, visible_text.line(lab.file, 80), width)


def _facts(finding: Finding, launch: Launch | None) -> str:
    """The shape and launch of the finding, the block and thread, and how often it occurred."""
    parts = [launched(launch)] if launch else []
    parts += [f"block {index(finding.block)}"] if finding.block else []
    parts += [f"thread {index(finding.thread)}"] if finding.thread else []
    parts += [f"{finding.count:,} times in all"] if finding.count > 1 else []
    return " · ".join(parts)


def launched(launch: Launch) -> str:
    """`M=32 N=32 K=32 · grid (2,2,1) of blocks (16,16,1)`."""
    size = f" · grid {index(launch.grid)} of blocks {index(launch.block)}" if launch.grid and launch.block else ""
    return visible_text.line(launch.shape, 80) + size


def excerpt_view(rows: Sequence[Row], where: str, width: int) -> Iterator[RenderableType]:
    margin = len(str(rows[-1].number)) + 2
    yield Text.assemble(" " * margin, ("╭ ", "dim"), (where, "cyan"))
    room = max(width - margin - 2, 20)
    for row in rows:
        if row.after_gap:
            yield Text(f"{'':{margin}}⋮", style="dim")
        number = f"{'▸' if row.role else ' '}{row.number:>{margin - 2}} "
        line = Text.assemble((number, _ROLES[row.role] or "dim"), ("│ ", "dim"))
        cut = _hidden(row, room)
        marked = f"bold {_ROLES[row.role]}"
        code = Text.assemble(*((piece.text, marked if piece.marked else "") for piece in row.pieces))
        yield one_line(line.append_text(Text.assemble(("…", "dim"), code[cut + 1 :]) if cut else code))
        for under in _under(row, cut, room):
            yield one_line(Text.assemble(" " * margin, ("│ ", "dim"), under))


def _hidden(row: Row, room: int) -> int:
    """How many columns are cut on the left, so that the marked code is in the window."""
    start, end = len(row.caret) - len(row.caret.lstrip()), len(row.caret.split("^ ")[0])
    return 0 if end <= room else max(0, min(start - 4, end - room + 2))


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
    output, summary = visible_text.line(mismatch.output, 40), visible_text.line(mismatch.summary, 600)
    if mismatch.rows * mismatch.columns == 1:
        yield Text(f"{output} is wrong:", "bold red")
    else:
        yield Text.assemble((f"Where {output} is wrong: ", "bold red"), f"{summary} ({amount(mismatch)})")
    yield indented(Text(launched(launch), style="dim"))
    for one in mismatch.first[: detail.elements]:
        value = f"{output}[{one.row}][{one.column}]" if mismatch.rows > 1 else f"{output}[{one.column}]"
        got = element(one.got)
        yield indented(Text.assemble(f"{value}  expected {expected(one.expected)}, got ", (got, "red")))
    if not detail.picture or not mismatch.picture:
        return
    merged = -(-len(mismatch.picture) // detail.picture)
    rows = [visible_text.code(row, 64) for row in _smaller(mismatch.picture, merged)]
    if len(set("".join(rows))) == 1 or len(rows[0]) + 4 > width:
        return
    cell_size = (merged * mismatch.cell_rows, merged * mismatch.cell_columns)
    cell = "" if cell_size == (1, 1) else ", one sign for {} by {} elements".format(*cell_size)
    meanings = [f"{sign} {word}" for sign, (word, _) in _KINDS.items() if any(sign in row for row in rows)]
    yield indented(Text(f"{output}{cell}: {', '.join(meanings)}", style="dim"))
    for row in rows:
        yield indented(Text.assemble(*((sign, _KINDS.get(sign, ("", ""))[1]) for sign in row)))


def _smaller(picture: Sequence[str], merged: int) -> list[str]:
    """With so many rows and columns as one. A sign stands for the worst of its elements."""
    bands = (picture[at : at + merged] for at in range(0, len(picture), merged))
    squares = ([[row[at : at + merged] for row in band] for at in range(0, len(band[0]), merged)] for band in bands)
    return [
        "".join(next((sign for sign in "#o" if sign in "".join(one)), one[0][:1]) for one in row) for row in squares
    ]


def indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


def log_view(log: str) -> Iterator[RenderableType]:
    yield Text("The compiler said:", style="bold")
    yield from block_view(visible_text.block(log.strip("\n"), lines=_LOG_LINES, columns=_LINE))


def block_view(block: visible_text.Block) -> Iterator[RenderableType]:
    """The lines of a log, or of a kernel's output."""
    for line in block.lines:
        yield one_line(Text(f"  {line}"))
    if block.more:
        yield Text(f"  and {counted(block.more, 'more line', 'more lines')}", style="dim")


# A data race as a picture in text: the two threads as lanes, what each does and in which line, and between them the order that is
# missing. Pure; it shows nothing that the finding does not say.

LINES = 4
_NARROWEST = 56
_LANE = 34  # columns of the first lane at most


def race_view(finding: Finding, width: int) -> Iterator[Text]:
    """Four lines; none for another finding, for a thread that is not known, or in a narrow window."""
    lanes = lane_figure(finding) if finding.kind is Verdict.RACE and width >= _NARROWEST else None
    if lanes is None:
        return
    (one, other), deeds, missing = lanes.names, lanes.deeds, lanes.missing
    lane = min(max(len(one), len(deeds[0])) + 4, _LANE, width // 2)
    yield one_line(Text.assemble("  ", (f"{one:{lane}}", "bold"), (other, "bold")))
    yield one_line(Text.assemble("  ", (f"{deeds[0]:{lane}}", "red"), ("│", "dim")))
    dashes = "╌" * max((lane + len(deeds[1]) - len(missing) - 2) // 2, 2)
    yield one_line(Text.assemble("  ", (f"{dashes} ", "yellow"), (missing, "bold yellow"), (f" {dashes}", "yellow")))
    yield one_line(Text.assemble("  ", (f"{'│':{lane}}", "dim"), (deeds[1], "red")))
