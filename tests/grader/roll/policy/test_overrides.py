"""overrides.csv and regrade.csv, as people and spreadsheets write them: understood, or refused with line and remedy."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from grader.model.result import Override
from grader.roll.policy.course_file import (
    OVERRIDES,
    REQUESTS,
    TIMES,
    Decisions,
    PolicyError,
    decisions_in,
)

LABS = ["01-naive", "02-tiled"]
HEAD = "student,lab,points,reason,author,date\n"


def read(data: str | bytes) -> Decisions[Override]:
    return decisions_in(data.encode() if isinstance(data, str) else data, "overrides.csv", OVERRIDES, LABS)


@pytest.mark.parametrize(
    "data",
    [
        HEAD + 'ada,02-tiled,7.5,"shown, in the lab",Li,2026-10-21\n',
        HEAD + 'ada,tiled,"7,5","shown, in the lab",Li,2026-10-21\n',
        "\ufeffstudent;lab;points;reason;author;date\r\nada;02-tiled;7,5;shown, in the lab;Li;2026-10-21\r\n",
        "sep=;\r\nstudent;lab;points;reason;author;date\r\nada;02-tiled;7,50;shown, in the lab;Li;2026-10-21\r\n;;;;;\r\n",
        "student\tlab\tpoints\treason\tauthor\tdate\nada\t02-tiled\t7.5\tshown, in the lab\tLi\t2026-10-21\n".encode(
            "utf-16"
        ),
        'Username;Aufgabe;Punkte;Grund;Autor;Datum\r\n="ada";02-TILED;7,5;shown, in the lab;Li;2026-10-21\r\n',
        'author,date,reason,points,lab,student\nLi,2026-10-21,"shown, in the lab",+7.5,02-tiled,ada\n',
    ],
)
def test_files_of_spreadsheets_are_understood(data: str | bytes) -> None:
    [row] = read(data).rows
    assert (row.student, row.lab) == ("ada", "02-tiled")
    assert row.value.model_dump() == {
        "points": 7.5,
        "reason": "shown, in the lab",
        "author": "Li",
        "date": "2026-10-21",
    }


@pytest.mark.parametrize(
    "points", ["", "ten", "-1", "1e999", "nan", "inf", "7.5.1", "07. Mai", "1,000", "1.000,5", "10/10", "٣", "=1+1"]
)
def test_what_is_no_number_of_points_is_refused(points: str) -> None:
    with pytest.raises(PolicyError, match=r"overrides\.csv, line 2"):
        read(HEAD + f'ada,tiled,"{points}",r,me,\n')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEAD + "ada,tiled,1,r,me,\nada,,1,r,me,\n", "line 3: the lab is missing. Fill it in, or remove the row"),
        (HEAD + "ada,tiled,1,,me,\n", "line 2: the reason is missing. Write why"),
        (HEAD + "ada,tiled,1,r,,\n", "line 2: the author is missing"),
        (HEAD + ",tiled,1,r,me,\n", "line 2: the student is missing"),
        (
            HEAD + "ada,tiled,1,because, he said,me,\n",
            "line 2: it has more cells than the first line. Put a text with a comma",
        ),
        (HEAD + "ada,tiled,1," + "x" * 2001 + ",me,\n", "line 2: the reason has more than 2000 letters"),
        (
            "student,lab,reason,author\n",
            "line 1: no column is headed 'points'. The first line is, for instance, student,lab,points",
        ),
        ("hello\n", "no heading is understood"),
        (HEAD + 'ada,tiled,1,"r,me,\n', "look for a quotation mark without its other half"),
        (b"PK\3\4 a spreadsheet", "save it as CSV"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(data: str | bytes, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        read(data)


def test_an_empty_file_decides_nothing_and_unknown_columns_are_told() -> None:
    assert read("") == read("\ufeff\r\n") == Decisions()
    assert read(HEAD).rows == ()
    assert read(HEAD.replace("date", "Ticket") + "ada,tiled,1,r,me,77\n").notices == (
        "overrides.csv: columns that are not used: 'Ticket'",
    )
    assert "Windows-1252" in read(HEAD.encode() + b"ada,tiled,1,f\xfcr sie,me,\n").notices[0]


def test_control_characters_of_a_cell_are_no_part_of_it() -> None:
    [row] = read(HEAD + "ada,tiled,1,\x1b[31mred\u202e,'=me,\n").rows
    assert (row.value.reason, row.value.author) == ("[31mred", "=me")


def test_a_form_of_any_office_program_gives_requests() -> None:
    forms = (
        "Timestamp,Email Address,Which lab?,What should be looked at again?\n10/21/2026 9:00:00,ada@example.org,02-tiled,the race\n",
        "ID;Start time;Completion time;Email;Name;Lab;Your question;Answer\n1;x;2026-10-21;ada@example.org;Ada;tiled;the race;\n",
        "Zeitstempel;E-Mail-Adresse;Aufgabe;Frage;Antwort\n21.10.2026;ada@example.org;tiled;the race;\n",
    )
    for data in forms:
        [row] = decisions_in(data.encode(), "regrade.csv", REQUESTS, LABS).rows
        assert (row.student, row.lab, row.value.request, row.value.answer) == (
            "ada@example.org",
            "02-tiled",
            "the race",
            "",
        )


def test_times_of_a_platform_are_read_and_what_is_not_handed_in_has_none() -> None:
    zone = ZoneInfo("Europe/Zurich")
    head = b"SIS Login ID;Assignment Name;Submitted At\n"
    data = head + b"ada;tiled;2026-10-25 02:30\nben;tiled;\neve;week 9;2026-10-25 02:30\n;tiled;2026-10-25\n"
    found = decisions_in(data, "times.csv", TIMES, LABS, zone)
    [row] = found.rows
    assert (row.student, row.lab, row.value) == ("ada", "02-tiled", datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    assert [one.partition(":")[0] for one in found.notices] == ["times.csv, line 4", "times.csv, line 5"]
    for at in ("yesterday", "10/20/2026", "9999-12-31"):
        with pytest.raises(PolicyError, match=r"times\.csv, line 2"):
            decisions_in(f"student,lab,at\nada,tiled,{at}\n".encode(), "times.csv", TIMES, LABS, zone)


def test_a_request_that_nobody_can_assign_is_told_and_stops_nothing() -> None:
    data = b"student,lab,request\nada,seven,why\nada,,why\nada,tiled,\nada,tiled,why\n"
    found = decisions_in(data, "regrade.csv", REQUESTS, LABS)
    assert [row.place for row in found.rows] == ["regrade.csv, line 5"]
    assert [one.partition(":")[0] for one in found.notices] == [
        "regrade.csv, line 2",
        "regrade.csv, line 3",
        "regrade.csv, line 4",
    ]
