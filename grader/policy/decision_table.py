"""A table that people keep in a spreadsheet or export from a form: rows with known columns, and the line of each. Pure.

What the columns mean is said by whoever reads the table. Nothing is dropped: a row that cannot be used has a line number for a message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.people.table_text import Table, TableError, read_table
from grader.policy.course_file import PolicyError

_LARGEST = 16 << 20
_MOST_ROWS = 20_000


@dataclass(frozen=True)
class TableForm:
    """`columns`: what a column says → words that head it, in lower case. `needed`: those that must be there."""

    what: str  # "overrides"
    columns: Mapping[str, tuple[str, ...]]  # of two columns with one meaning, that counts whose word comes first
    needed: tuple[str, ...]
    example: str  # a first line


@dataclass(frozen=True)
class DecisionRow:
    place: str  # "overrides.csv, line 3"
    cells: Mapping[str, str]  # by what they say; empty where the table has no such column


@dataclass(frozen=True)
class DecisionTable:
    rows: tuple[DecisionRow, ...] = ()
    notices: tuple[str, ...] = ()


def read_decisions(path: Path, form: TableForm) -> DecisionTable:
    """Raises PolicyError."""
    try:
        if path.is_file() and path.stat().st_size > _LARGEST:
            message = f"{path}: this is larger than {_LARGEST >> 20} MiB, which no table of {form.what} is."
            raise PolicyError(message)
        return decisions_in(path.read_bytes(), path.name, form)
    except OSError as error:
        message = f"{path}: it cannot be read ({error.strerror}). Correct that, or move the file away."
        raise PolicyError(message) from error


def decisions_in(data: bytes, name: str, form: TableForm) -> DecisionTable:
    """`name`: the file, for messages. Raises PolicyError. An empty file says nothing."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return DecisionTable()
    try:
        table = read_table(data, partial(_understood, form))
    except TableError as error:
        message = f"{name}: {error}. Its first line is, for instance, {form.example}."
        raise PolicyError(message) from error
    at, unused = _columns(table, name, form)
    if len(table.rows) > _MOST_ROWS:
        message = f"{name}: it has more than {_MOST_ROWS} rows. Is it the right file?"
        raise PolicyError(message)
    rows = []
    for row in table.rows:
        if len(row.cells) > len(table.headings.cells):
            message = (
                f"{name}, line {row.line}: it has more cells than the first line. Put a text with a comma into quotation marks, and end no "
                "row with a separator."
            )
            raise PolicyError(message)
        cells = {what: _cell(row.cells[number]) if number < len(row.cells) else "" for what, number in at.items()}
        if any(cells.values()):
            rows.append(DecisionRow(f"{name}, line {row.line}", {**dict.fromkeys(form.columns, ""), **cells}))
    notices = [f"{name}: columns that are not used: {', '.join(unused)}"] if unused else []
    if table.encoding == "cp1252":
        notices.append(f"{name}: it is not UTF-8 and was read as Windows-1252: look at names with accents")
    return DecisionTable(tuple(rows), tuple(notices))


def _columns(table: Table, name: str, form: TableForm) -> tuple[dict[str, int], list[str]]:
    """Where each column is, and the headings that say nothing here."""
    at: dict[str, int] = {}
    unused: list[str] = []
    words = [_word(one) for one in table.headings.cells]
    for number, word in enumerate(words):
        what = _meaning(word, form)
        if not what:
            unused += [repr(table.headings.cells[number].strip()[:40])] if word else []
        elif what not in at or _rank(word, what, form) < _rank(words[at[what]], what, form):
            unused += [repr(table.headings.cells[at[what]].strip()[:40])] if what in at else []
            at[what] = number
        else:
            unused.append(repr(table.headings.cells[number].strip()[:40]))
    if missing := [one for one in form.needed if one not in at]:
        message = (
            f"{name}, line {table.headings.line}: no column is headed {' or '.join(map(repr, missing))}. The first line is, for instance, "
            f"{form.example}."
        )
        raise PolicyError(message)
    return at, unused


def _understood(form: TableForm, headings: Sequence[str]) -> int:
    return sum(bool(_meaning(_word(one), form)) for one in headings)


def _meaning(word: str, form: TableForm) -> str:
    return next((what for what, words in form.columns.items() if word == what or word in words), "")


def _rank(word: str, what: str, form: TableForm) -> int:
    """The smaller, the surer does the word mean it. Our own word comes first."""
    return (what, *form.columns[what]).index(word)


def _word(heading: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", heading).casefold()).strip()


def _cell(cell: str) -> str:
    """Without control characters, and without what keeps a spreadsheet from computing: `="0042"`, and the `'` before a formula."""
    text = "".join(
        one if one.isprintable() or one == "\n" else " " for one in cell.replace("\r\n", "\n").replace("\r", "\n")
    ).strip()
    if found := re.fullmatch(r'="([^"]*)"', text):
        text = found[1].strip()
    return text[1:] if re.match(r"'[=+\-@]", text) else text
