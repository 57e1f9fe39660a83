"""Who is who on the leaderboards, for the instructor alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.leaderboard.board import Board
from grader.reports.text import visible


@dataclass(frozen=True)
class NameLine:
    name: str
    student: str
    real_name: str
    origin: str
    rank: str
    remark: str


@dataclass(frozen=True)
class NamesSection:
    lab_id: str
    lines: tuple[NameLine, ...]


@dataclass(frozen=True)
class NamesSheet:
    sections: tuple[NamesSection, ...]


def names_sheet(boards: Sequence[Board]) -> NamesSheet:
    return NamesSheet(
        tuple(
            NamesSection(
                visible.line(board.lab_id, 60),
                tuple(
                    NameLine(
                        name=visible.line(row.name, 60) or "not on the page",
                        student=visible.line(row.student, 80),
                        real_name=visible.line(row.real_name, 120),
                        origin="asked to be left out" if not row.name else "chosen" if row.chosen else "made",
                        rank=str(row.rank) if row.rank else "–",  # noqa: RUF001 -- an empty cell
                        remark=visible.line("; ".join(filter(None, [row.remark, row.note])), 300),
                    )
                    for row in board.rows
                ),
            )
            for board in boards
        )
    )
