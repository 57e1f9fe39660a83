"""Formats a trace's parts for a terminal and as Markdown. Pure. trace_tables.py makes the parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from grader.model import visible_text
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.pages.launches.trace_tables import Grid, Heading, Part, Sentence, Table, number


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


# The outcome of one launch as parts of a page: that nothing is wrong, or what is wrong and where. Pure.


def verdict_parts(launch: Launch) -> list[Part]:
    notes = [one for one in launch.findings if one.severity == "note"]
    if launch.verdict is Verdict.PASS and not notes:
        return [Sentence("The results are right, and no mistake was found in this launch.")]
    parts: list[Part] = []
    shown = [finding for finding in launch.findings if finding.line]
    if launch.verdict is not Verdict.PASS:
        parts.append(Heading(launch.verdict.facts.label))
        if not any(finding.message in launch.message for finding in shown):
            parts.append(Sentence(visible_text.line(launch.message, 1000)))
    if launch.mismatch and launch.mismatch.first:
        one = launch.mismatch.first[0]
        got = "not a number" if one.got is None else number(one.got)
        right = "Inf or NaN" if one.expected is None else number(one.expected)
        parts.append(
            Sentence(
                f"The first wrong element, in row {one.row} and column {one.column}, is {got} and should be {right}."
            )
        )
    parts += [Sentence(_place(finding)) for finding in shown]
    return parts


def _place(finding: Finding) -> str:
    source = f": {visible_text.code(finding.source.strip())}" if finding.source else ""
    return f"{finding.kind.value} in line {finding.line}{source}\n  {visible_text.line(finding.message, 1000)}"
