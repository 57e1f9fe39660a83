"""Formats a trace's parts for a terminal and as Markdown. Pure. trace_tables.py makes the parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from grader.reports.launches.trace_tables import Grid, Heading, Part, Sentence, Table


def as_text(parts: Iterable[Part]) -> str:
    lines: list[str] = []
    for part in parts:
        if lines:
            lines.append("")
        if isinstance(part, Heading):
            lines += [part.text, "─" * len(part.text)]
        elif isinstance(part, Sentence):
            lines.append(part.text)
        elif isinstance(part, Grid):
            lines += [f"  {line}".rstrip() for line in _side_by_side(part)]
        else:
            lines += [f"  {line}".rstrip() for line in _aligned(part)]
    return "\n".join(lines)


def as_markdown(parts: Iterable[Part]) -> str:
    """Headings become bold sentences, so that a page can put them under its own heading."""
    blocks = []
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"**{part.text}.**")
        elif isinstance(part, Sentence):
            blocks.append(part.text)
        elif isinstance(part, Grid):
            blocks.append("\n".join(["```", *_side_by_side(part), "```"]))
        else:
            blocks.append("\n".join(_piped(part)))
    return "\n\n".join(blocks)


def _side_by_side(grid: Grid) -> list[str]:
    columns: list[Sequence[str]] = [(title, *lines) for title, lines in grid.matrices]
    widths = [max(len(line) for line in column) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    return ["      ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _aligned(table: Table) -> list[str]:
    rows = [table.heads, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.heads))]
    aligned = [
        "   ".join(
            f"{cell:>{width}}" if i in table.numbers else f"{cell:<{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return [line.rstrip() for line in aligned]


def _piped(table: Table) -> list[str]:
    rule = "|".join("--:" if i in table.numbers else "---" for i in range(len(table.heads)))
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (table.heads, *table.rows)]
    return [rows[0], f"|{rule}|", *rows[1:]]
