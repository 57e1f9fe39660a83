"""What formats of grades have in common: points, sentences, the rows of a table, what was tested, a zip. Pure."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from grader.model.result import UNDECIDED, Case, LabResult, Result
from grader.model.written_names import some
from grader.roll.batch.plugin import Made

# Points as exports write them. What is not graded yet is blank, and never zero: people notice a blank, but not a zero. Pure.


def is_decided(lab: LabResult) -> bool:
    """Whether its points are known: by a grading, or because a person decided them."""
    by_a_person = lab.standing is not None and lab.standing.override is not None
    return (lab.verdict not in UNDECIDED or by_a_person) and not is_open(lab)


def is_open(lab: LabResult) -> bool:
    """Whether nothing was handed in and the deadline is still to come: then there is nothing to grade yet."""
    return lab.standing is not None and lab.standing.open


def grade(result: Result) -> float | None:
    """The total so far. None: some lab is not graded yet, or none is due yet."""
    due = [lab for lab in result.labs.values() if not is_open(lab)]
    return result.total if all(map(is_decided, due)) and (due or not result.labs) else None


def most(result: Result) -> float:
    """The maximum; where every lab is extra credit, what they give together."""
    return result.max or sum(lab.max_points for lab in result.labs.values())


def number_text(points: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def grade_text(result: Result) -> str:
    """Empty: not graded yet."""
    return "" if (points := grade(result)) is None else number_text(points)


# Sentences for the instructor about an export: who is missing in it, and what an import would do. Pure.


def about(results: Sequence[Result], what: str) -> list[str]:
    """No sentence where nobody is concerned. `what` follows "3 students": "are left out: ..."."""
    if not results:
        return []
    many = f"{len(results)} student{'s' if len(results) > 1 else ''}"
    return [f"{many}: {what} ({some(one.submission.id for one in results)})"]


def ungraded(results: Iterable[Result], what: str) -> list[str]:
    """About those whose cell is blank. `what` says what the platform makes of that."""
    return about([one for one in results if grade(one) is None], f"not graded yet, so the grade is blank; {what}")


def above_maximum(results: Iterable[Result], what: str) -> list[str]:
    """About those who have more than the maximum, by extra credit."""
    return about([one for one in results if one.total > one.max], what)


def without(results: Iterable[Result], chosen: Iterable[Result]) -> list[Result]:
    """Those of `results` who are not among `chosen`."""
    ids = {one.submission.id for one in chosen}
    return [one for one in results if one.submission.id not in ids]


def noticed(contents: str | bytes | Mapping[str, str | bytes], *notices: Sequence[str]) -> Made:
    return Made(contents, tuple(chain(*notices)))


# JSON as exports write it. Pure.


def json_text(data: Mapping[str, object]) -> str:
    """For files that people open too."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def json_line(data: Mapping[str, object]) -> str:
    """One line of ASCII: no character of a name can end it."""
    return json.dumps(data) + "\n"


# One row for each of a platform's students. Pure.
#
# Where several results are one student's, because nothing says which upload is the last, a platform would silently keep the last row. So
# none of them is exported.


@dataclass(frozen=True)
class Rows:
    results: tuple[Result, ...]  # with a key of their own
    notices: list[str]  # about all others


def rows_by(results: Sequence[Result], keys_of: Callable[[Result], Sequence[str]], unknown: str) -> Rows:
    """`keys_of`: what the platform may find the student by; empty ones do not count. `unknown`: about those who have none."""
    keys = [{(place, key.casefold()) for place, key in enumerate(keys_of(one)) if key} for one in results]
    counts = Counter(key for each in keys for key in each)
    most_often = [max((counts[key] for key in own), default=0) for own in keys]
    nobody, kept = ([one for one, n in zip(results, most_often, strict=True) if n == times] for times in (0, 1))
    several = without(results, [*nobody, *kept])
    why = "left out, because several uploads are one student's: leave the one that counts and grade again"
    empty = ["nobody is in this file, so there is nothing to import"] if results and not kept else []
    return Rows(tuple(kept), [*empty, *about(nobody, unknown), *about(several, why)])


# Tables for platforms and spreadsheets: no cell of a student's runs as a formula, and what a platform matches by stays as it is. Pure.
#
# Names, sections and logins come from uploads and platforms, so they are hostile.

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


# What was tested of a student's labs, one row a case: for formats that list tests with points. Pure.
#
# The points of a lab's rows add up to the lab's.

_DUST = 1e-6


@dataclass(frozen=True)
class TestedRow:
    lab: str  # its id
    name: str
    passed: bool | None  # None: not graded yet
    points: float
    max_points: float
    words: str  # empty: it passed, and there is nothing to say

    @property
    def whole_name(self) -> str:
        return f"{self.lab}: {self.name}"


def tested_rows(result: Result) -> tuple[TestedRow, ...]:
    """Of all labs, in their order. `result` has to be redacted."""
    return tuple(row for lab_id, lab in result.labs.items() for row in _rows(lab_id, lab))


def _rows(lab_id: str, lab: LabResult) -> Iterator[TestedRow]:
    rows = [_case_row(lab_id, lab, case) for case in lab.cases]
    if lab.performance_max:
        points, highest = lab.performance_points, lab.performance_max
        rows.append(TestedRow(lab_id, "performance", points >= highest, points, highest, lab.performance))
    whole = abs(sum(row.points for row in rows) - lab.points) < _DUST
    if lab.cases and whole and abs(sum(row.max_points for row in rows) - lab.max_points) < _DUST:
        yield from rows
        return
    passed = lab.points >= lab.max_points if is_decided(lab) else None
    yield TestedRow(lab_id, lab.title, passed, lab.points, lab.max_points, _words(lab))


def _words(lab: LabResult) -> str:
    """Why the lab has the points that it has."""
    standing = lab.standing
    if standing is None:
        return lab.verdict.facts.sentence
    if standing.override is not None:
        return f"decided by {standing.override.author}: {standing.override.reason}"
    if is_open(lab):
        return "nothing was handed in yet, and the deadline is still to come"
    lost = f"\n{number_text(standing.lost)} points less, because it was handed in {standing.late} late"
    return lab.verdict.facts.sentence + (lost if standing.lost else "")


def _case_row(lab_id: str, lab: LabResult, case: Case) -> TestedRow:
    undecided = lab.verdict in UNDECIDED or case.verdict in UNDECIDED
    words = [case.message, case.advice] if not case.passed else [case.message if case.points < case.max_points else ""]
    if undecided or not lab.ran:
        words = [lab.verdict.facts.sentence]
    passed = None if undecided else case.passed
    return TestedRow(lab_id, case.name, passed, case.points, case.max_points, "\n".join(filter(None, words)))


def finding_lines(result: Result) -> list[str]:
    """One line for each finding, as compilers write them."""
    found = [(one.file or lab.file, one) for lab in result.labs.values() for one in lab.findings]
    placed = [(file if one.line is None else f"{file}:{one.line}", one) for file, one in found]
    return [f"{place}: {one.called}: {one.message}" for place, one in placed]


# A zip of files that are made in memory. The same files give the same bytes. Pure.
#
# Formats with a file for each student are one zip: what an earlier batch wrote there never stays beside what is new.

_DATE = (1980, 1, 1, 0, 0, 0)


def zip_bytes(files: Iterable[tuple[str, str | bytes]]) -> bytes:
    """`files`: each one's name and contents. They are asked for one after the other."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, contents in files:
            packed = contents if isinstance(contents, bytes) else contents.encode("utf-8", "replace")
            archive.writestr(zipfile.ZipInfo(name, _DATE), packed, zipfile.ZIP_DEFLATED)
    return data.getvalue()
