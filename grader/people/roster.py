"""The roster: who is in the course, as a platform exports it or as a person wrote it down.

A column that is not understood is said. A roster in which two rows may be one student, or a row tells of nobody, is refused with its
lines: a grade that reaches the wrong row is worse than one that has to wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.people.name_forms import first_and_last, some
from grader.people.person_keys import FOLDER, Key, keys_of
from grader.people.roster_columns import KEYS, PLATFORMS, USUAL, Columns, columns_of, understood
from grader.people.table_text import Row, TableError, read_table

_LARGEST = 32 << 20
_NOTHING = frozenset({"-", "n/a", "none", "null", "#n/a"})
_STAFF = frozenset({
    "instructor", "teacher", "ta", "teaching assistant", "staff", "grader", "reader", "observer", "designer", "editing teacher",
    "non-editing teacher", "hta", "course assistant", "course builder",
})  # fmt: skip


# What Moodle calls a participant in front of the number, in some languages of a site.
_PARTICIPANT = re.compile(
    r"(?:participante?|teilnehmer[^\d\s]*|partecipante|deelnemer|uczestnik|deltagare|deltager|osallistuja|účastník|katılımcı|участник|参与者"  # noqa: RUF001 -- these letters are meant
    r"|参加者|참가자) ?(\d+)",
    re.IGNORECASE,
)
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they turn the text that follows around
_SHORTENED = re.compile(
    r"\d[.,]\d+E\+\d+", re.IGNORECASE
)  # as a spreadsheet shows a long number: its last digits are lost


class RosterError(RemediableError):
    """The roster cannot be used. The text says which lines, and what to do."""


@dataclass(frozen=True)
class RosterRow:
    student: Student
    line: int
    upload: str = ""  # the exact name of this student's upload, where the roster says it
    first: str = ""
    last: str = ""
    groups: tuple[str, ...] = ()  # that may be sections or teams: what is handed in tells

    @property
    def keys(self) -> list[Key]:
        """The strongest first."""
        return [*keys_of(self.student), *([Key(FOLDER, self.upload)] if self.upload else [])]

    @property
    def known_as(self) -> str:
        """For sentences and for a first id; never empty in a roster that was read."""
        one = self.student
        return one.name or one.login or one.number or one.email or self.upload or next(iter(one.platform_ids.values()))


@dataclass(frozen=True)
class Roster:
    rows: tuple[RosterRow, ...]
    notices: tuple[str, ...] = ()


def read_roster(path: Path) -> Roster:
    """Raises RosterError."""
    try:
        if path.is_file() and path.stat().st_size > _LARGEST:
            message = f"{path}: this is larger than {_LARGEST >> 20} MiB, which no roster is."
            raise RosterError(message)
        data = path.read_bytes()
    except OSError as error:
        message = f"{path}: the roster cannot be read ({error.strerror}). Name a CSV file, as in ROSTER=roster.csv."
        raise RosterError(message) from error
    return roster_in(data, path.name)


def roster_in(data: bytes, name: str) -> Roster:
    """The roster in a file's bytes. `name`: the file, for sentences. Raises RosterError."""
    try:
        table = read_table(data, understood)
    except TableError as error:
        message = f"{name}: {error}. A roster is a CSV file whose first line is, for instance, {USUAL}."
        raise RosterError(message) from error
    columns = columns_of(table.headings.cells)
    if not any(key in columns.at for key in (*KEYS, "identifier")):
        message = (
            f"{name}: nothing in this roster tells two students of one name apart. Add a column `number`, `login` or `email`, "
            "or `upload` with the exact name of each student's folder."
        )
        raise RosterError(message)
    left_out: dict[str, int] = {}
    rows = [row for one in table.rows if (row := _row(one, columns, left_out)) is not None]
    rows, merged = _once(rows)
    _check(name, rows)
    sections = {row.student.section for row in rows} - {""}
    teams = {row.student.team for row in rows} - {""}
    counts = [f"{len(rows)} student{'s' if len(rows) != 1 else ''}"]
    counts += [f"{len(sections)} section{'s' if len(sections) != 1 else ''}"] if sections else []
    counts += [f"{len(teams)} team{'s' if len(teams) != 1 else ''}"] if teams else []
    counts += [f"without {count} {who}" for who, count in left_out.items()]
    notices = [f"roster {name}: {columns.platform + ', ' if columns.platform else ''}{', '.join(counts)}"]
    if table.encoding == "cp1252":
        notices.append(f"roster {name}: it is not UTF-8 and was read as Windows-1252: look at names with accents")
    if merged:
        notices.append(f"roster {name}: students in several rows, which differ by the section alone: {some(merged)}")
    return Roster(tuple(rows), (*notices, *(f"roster {name}: {notice}" for notice in columns.notices)))


def _once(rows: Sequence[RosterRow]) -> tuple[list[RosterRow], list[str]]:
    """Each student once, with all sections: platforms write a row for each section of a student. Rows that differ otherwise stay."""
    kept: dict[object, RosterRow] = {}
    merged: dict[object, list[int]] = {}
    for row in rows:
        one = row.student.model_copy(update={"section": ""})
        same = (one.model_dump_json(), row.upload) if row.keys else row.line
        if (first := kept.get(same)) is None:
            kept[same] = row
            continue
        sections = dict.fromkeys(each for each in (*first.student.section.split(", "), row.student.section) if each)
        kept[same] = replace(first, student=one.model_copy(update={"section": ", ".join(sections)}))
        merged.setdefault(same, [first.line]).append(row.line)
    return list(kept.values()), [f"lines {' and '.join(map(str, lines))}" for lines in merged.values()]


def _row(row: Row, columns: Columns, left_out: dict[str, int]) -> RosterRow | None:
    """None for what is no student: `left_out` counts them."""
    at = columns.at
    cells = {what: _value(row.cells[number]) for what, number in at.items() if number < len(row.cells)}
    if not any(cells.values()):
        return None
    name = cells.get("name", "")
    if columns.platform == "Canvas" and (name.casefold() == "points possible" or not (name or cells.get("Canvas"))):
        return None
    who = ""
    if columns.platform == "Canvas" and name.casefold() == "student, test":
        who = "test student"
    elif cells.get("role", "").casefold() in _STAFF:
        who = "of the staff"
    if who:
        left_out[who] = left_out.get(who, 0) + 1
        return None
    first, last = (cells.get(one, "").strip("_") for one in ("first", "last"))  # "_" stands for no name
    if not name:
        name = f"{first} {last}".strip()
    if not (first or last):
        first, last = first_and_last(name)
    keys = _keys(cells, columns.platform)
    student = Student(
        name=name,
        login=keys.get("login", ""),
        number=keys.get("number", ""),
        email=keys.get("email", ""),
        section=cells.get("section", ""),
        team=cells.get("team", ""),
        platform_ids={one: keys[one] for one in PLATFORMS if keys.get(one)},
    )
    groups = tuple(filter(None, (one.strip() for one in re.split(r"[,;]", cells.get("group", "")))))
    return RosterRow(student, row.line, keys.get("upload", ""), first, last, groups)


def _keys(cells: Mapping[str, str], platform: str) -> dict[str, str]:
    """The cells that tell students apart, without what platforms put around them and without what stands for nothing."""
    keys = {what: value for what, value in cells.items() if value.casefold() not in _NOTHING}
    if platform == "Brightspace":
        keys |= {what: keys[what].removeprefix("#") for what in ("number", "login") if what in keys}
    if found := re.search(r"\d+$", keys.get("Moodle", "")):  # "Participant 700001", in the site's language
        keys["Moodle"] = found[0]
    for what in ("number", "identifier"):
        if found := _PARTICIPANT.fullmatch(keys.get(what, "")):
            del keys[what]
            keys.setdefault("Moodle", found[1])
    if "number" in keys:
        keys["number"] = re.sub(r"(?<=\d)\.0+\Z", "", keys["number"])
    if identifier := keys.pop("identifier", ""):
        what = "email" if "@" in identifier else "number" if identifier.isdecimal() else "login"
        keys.setdefault(what, identifier)
    return keys


def _value(cell: str) -> str:
    """Without what a spreadsheet needs to keep zeros in front: `="0042"`."""
    text = re.sub(r"\s+", " ", _TURNING.sub("", cell)).strip()
    if found := re.fullmatch(r'="([^"]*)"', text):
        text = found[1].strip()
    return text


def _check(name: str, rows: Sequence[RosterRow]) -> None:
    """Raises RosterError where a row tells of nobody, or two rows of one student."""
    if not rows:
        message = f"{name}: no student is in this roster, only headings. Is it the right file?"
        raise RosterError(message)
    if nobody := [row for row in rows if not row.keys]:
        lines = some(f"line {row.line} ({row.student.name[:40]!r})" for row in nobody)
        message = f"{name}: these rows have neither number, login nor e-mail, so nobody can say who they are: {lines}. Fill one in."
        raise RosterError(message)
    if short := [row for row in rows if _SHORTENED.fullmatch(row.student.number)]:
        lines = some(f"line {row.line} ({row.student.number})" for row in short)
        message = (
            f"{name}: a spreadsheet has shortened these numbers, and their last digits are lost: {lines}. Export the roster again, and do "
            "not save it from a spreadsheet; or set that column to text there first."
        )
        raise RosterError(message)
    twice = list(_twice(rows))
    if twice:
        message = (
            f"{name}: what must be one student's alone is in two rows: {some(twice)}. Remove or correct one of each."
        )
        raise RosterError(message)


def _twice(rows: Sequence[RosterRow]) -> Iterator[str]:
    first: dict[Key, int] = {}
    for row in rows:
        for key in row.keys:
            if key in first:
                yield f"{key} in lines {first[key]} and {row.line}"
            first.setdefault(key, row.line)
