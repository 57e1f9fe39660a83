"""Tables for platforms and spreadsheets: no cell of a student's runs as a formula, and what a platform matches by stays as it is. Pure.

Names, sections and logins come from uploads and platforms, so they are hostile.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Literal

_SIGNS = "=+@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}-"
_FORMULA = tuple(_SIGNS)
# A spreadsheet of another language takes a semicolon for the end of a cell.
_CELL_WITHIN = re.compile(rf"([;,|]\s*)(?=[{_SIGNS}])")
_HARMLESS = re.compile(r"[+\-@]?[\w.@+\-]*")  # a sign in front, but nothing that calls or refers to anything


def one_line(text: str) -> str:
    """Without control characters, which may end a row or hide what follows."""
    return re.sub(r"\s+", " ", "".join(one if one.isprintable() else " " for one in text)).strip()


def shown_cell(text: str) -> str:
    """For people to read. A spreadsheet takes it as text."""
    cell = _CELL_WITHIN.sub(r"\1'", one_line(text))
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def key_cell(text: str) -> str:
    """What a platform matches by: unchanged. Empty where a spreadsheet could run it."""
    cell = one_line(text)
    runs = cell.startswith(_FORMULA) and not _HARMLESS.fullmatch(cell)
    return "" if runs or _CELL_WITHIN.search(cell) else cell


def table_text(rows: Iterable[Sequence[str]], *, separator: str = ",", quote_all: bool = False) -> str:
    """CSV as RFC 4180 says, with line feeds alone at the end of rows."""
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=separator, lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue()
