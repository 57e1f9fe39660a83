"""Reads a table as spreadsheets and platforms write it: its encoding, what separates its columns, and its rows with their lines. Pure.

What the columns mean is said by whoever reads the table.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from grader.model.errors import RemediableError

_SEPARATORS = (",", ";", "\t", "|")
_HEAD = 8  # rows in which the headings are looked for
_CELL = 1 << 20


class TableError(Exception):
    """The bytes are no table. The text says why, and what to do."""


@dataclass(frozen=True)
class Row:
    line: int  # of its beginning
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    headings: Row
    rows: tuple[Row, ...]  # below the headings; none is empty
    encoding: str

    @property
    def notices(self) -> list[str]:
        known = self.encoding != "cp1252"
        return [] if known else ["it is not UTF-8 and was read as Windows-1252: look at names with accents"]


@dataclass
class Columns:
    """Where each meaning stands, by its column's number; and the columns of which nothing is used."""

    at: dict[str, int] = field(default_factory=dict)
    twice: dict[int, int] = field(default_factory=dict)  # those that say what another one says already, and which one
    unknown: list[int] = field(default_factory=list)


def columns_in(words: Sequence[str], meaning: Callable[[str], str], rank: Callable[[str, str], int]) -> Columns:
    """`words`: of the headings; `rank`: the smaller, the surer does a word mean that. Of two columns of one meaning, the surer counts."""
    found = Columns()
    for number, word in enumerate(words):
        if not (what := meaning(word)):
            found.unknown += [number] if word else []
            continue
        other = found.at.setdefault(what, number)
        if other != number and rank(word, what) < rank(words[other], what):
            found.at[what], found.twice[other] = number, number
        elif other != number:
            found.twice[number] = other
    return found


def cell_text(cell: str) -> str:
    """Without control characters, and without what keeps a spreadsheet from computing: `="0042"`, and the `'` before a formula."""
    lines = cell.replace("\r\n", "\n").replace("\r", "\n")
    text = unquoted("".join(one if one.isprintable() or one == "\n" else " " for one in lines).strip())
    return text[1:] if re.match(r"'[=+\-@]", text) else text


def unquoted(text: str) -> str:
    """Without what a spreadsheet needs to keep zeros in front: `="0042"`."""
    found = re.fullmatch(r'="([^"]*)"', text)
    return found[1].strip() if found else text


def file_bytes(
    path: Path, most: int, what: str, remedy: str, error: type[RemediableError], called: str = "it"
) -> bytes:
    """Of a file that an instructor keeps. Raises `error` where it cannot be read, or is larger than any `what`."""
    try:
        if path.is_file() and path.stat().st_size > most:
            raise error(f"{path}: this is larger than {most >> 20} MiB, which no {what} is.")
        return path.read_bytes()
    except OSError as failure:
        raise error(f"{path}: {called} cannot be read ({failure.strerror}). {remedy}") from failure


def heading_word(heading: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", heading).casefold()).strip()


def read_table(data: bytes, understood: Callable[[Sequence[str]], int]) -> Table:
    """`understood`: how many of a row's cells are known headings. Raises TableError."""
    text, encoding = _decoded(data)
    if text.lower().startswith("sep="):  # a line that Excel writes
        text = "\n" + text.partition("\n")[2]
    best: tuple[int, str, int] = (0, ",", 0)
    for separator in _SEPARATORS:
        head = islice(_rows(text, separator, forgiving=True), _HEAD)
        for row in head:
            best = max(best, (understood(row.cells), separator, -row.line))
    count, separator, line = best
    if not count:
        first = next(_rows(text, ",", forgiving=True), Row(1, ()))
        raise TableError(
            f"no heading is understood in its first lines, which begin with {', '.join(map(repr, first.cells))[:120] or 'nothing'}"
        )
    rows = list(_rows(text, separator))
    at = next(number for number, row in enumerate(rows) if row.line == -line)
    return Table(rows[at], tuple(rows[at + 1 :]), encoding)


def _rows(text: str, separator: str, *, forgiving: bool = False) -> Iterator[Row]:
    """All rows that hold something. A row that cannot be read ends a forgiving reading, and raises TableError in any other."""
    csv.field_size_limit(_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Row(line, tuple(cells))
            line = reader.line_num + 1
    except csv.Error as error:
        if not forgiving:
            raise TableError(
                f"line {line} cannot be read as a row: look for a quotation mark without its other half"
            ) from error


def _decoded(data: bytes) -> tuple[str, str]:
    if data[:4] == b"PK\3\4" or data[:4] == b"\xd0\xcf\x11\xe0":
        raise TableError("this is a spreadsheet's own format: save it as CSV")
    encodings = [_marked(data)] if _marked(data) else ["utf-8", "cp1252"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, encoding
    raise TableError("this is no text: save the table as CSV in UTF-8")


def _marked(data: bytes) -> str:
    """The encoding that a byte-order mark tells, or the zeros of UTF-16 without one."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:200]
    for encoding, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        if len(head) > 8 and head[zero::2].count(0) > 0.8 * len(head[zero::2]) and not head[1 - zero :: 2].count(0):  # noqa: PLR2004 -- nearly all
            return encoding
    return ""
