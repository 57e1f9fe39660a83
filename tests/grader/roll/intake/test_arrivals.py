"""Whose an upload is: a team's is each member's, of several attempts the last counts, and what nothing orders stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, WANTED, put

from grader.model.result import Student
from grader.roll.intake.intake import Discovery, deliveries, discover
from grader.roll.intake.upload import Contents, Stored, Upload
from grader.roll.people.roster import roster_in
from grader.roll.platforms.download_names import Export

ADA = Student(name="Ada Lovelace", platform_ids={"Canvas": "1"})
BEN = Student(name="Ben Bitdiddle", platform_ids={"Canvas": "2"})
MONDAY = datetime(2026, 11, 23, 12, tzinfo=UTC)


def days(count: int) -> datetime:
    return MONDAY + timedelta(days=count)


def found(uploads: list[Upload], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roster: str = "") -> Discovery:
    """What becomes of `uploads`, each with a file of its own."""
    filled = []
    for number, upload in enumerate(uploads):
        path = put(tmp_path / "in" / str(number) / NAIVE, TEXT + str(number).encode())
        stored = Stored((NAIVE,), path.stat().st_size, path)
        filled.append(
            Upload(upload.name, Contents((stored,)), owners=upload.owners, at=upload.at, attempt=upload.attempt)
        )
    monkeypatch.setattr("grader.roll.intake.intake.find_uploads", lambda *_: Export("", tuple(filled)))
    return discover(tmp_path, tmp_path / "scratch", WANTED, roster_in(roster.encode(), "r.csv") if roster else None)


def test_each_member_of_a_team_has_the_teams_files_under_an_id_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = found([Upload("submission_9", owners=(ADA, BEN), at=MONDAY)], tmp_path, monkeypatch).students
    assert [(one.submission.id, one.submission.name) for one in team] == [
        ("Ada-Lovelace", "Ada Lovelace"),
        ("Ben-Bitdiddle", "Ben Bitdiddle"),
    ]
    assert [one.submission.student for one in team] == [ADA, BEN]
    assert team[0].sources == team[1].sources
    assert {one.submission.at for one in team} == {"2026-11-23T12:00:00+00:00"}


def test_a_team_of_which_only_names_are_known_keeps_its_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = (Student(name="Ada"), Student(name="Ada"), Student(name="Ben"))
    ids = [one.submission.id for one in found([Upload("team 1", owners=owners)], tmp_path, monkeypatch).students]
    assert ids == ["Ada", "Ada-2", "Ben"]


@pytest.mark.parametrize(
    "uploads",
    [
        [Upload("a", owners=(ADA,), at=days(2)), Upload("b", owners=(ADA,), at=days(0)), Upload("c", owners=(ADA,), at=days(1))],
        [Upload("a", owners=(ADA,), attempt=3), Upload("b", owners=(ADA,), attempt=1), Upload("c", owners=(ADA,), attempt=2)],
        [
            Upload("a", owners=(BEN, ADA), at=days(2)),
            Upload("b", owners=(ADA,), at=days(1)),
            Upload("c", owners=(ADA,), at=days(0)),
            Upload("d", owners=(BEN,), at=days(3)),
        ],
    ],
)  # fmt: skip
def test_the_last_of_several_attempts_counts(
    uploads: list[Upload], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = next(one for one in found(uploads, tmp_path, monkeypatch).students if one.submission.student == ADA)
    assert ada.sources[NAIVE].read_bytes() == TEXT + b"0"
    assert ada.submission.attempt == "3 of 3"
    assert [len(one.uploads) for one in deliveries(uploads) if one.owner == ADA] == [3]


def test_attempts_that_nothing_orders_are_two_rows_and_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = found([Upload("a", owners=(ADA,)), Upload("b", owners=(ADA,), at=MONDAY)], tmp_path, monkeypatch)
    assert [one.submission.id for one in both.students] == ["a", "b"]
    assert any("nothing says which is the last: 'b' and 'a'" in notice for notice in both.notices)


def test_the_roster_says_more_of_an_owner_and_the_upload_keeps_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roster = 'Student,ID,SIS User ID,SIS Login ID,Section\n"Lovelace, Ada",1,0042,ada,Mon\n'
    (ada,) = found([Upload("lovelaceada_1", owners=(ADA,), at=MONDAY)], tmp_path, monkeypatch, roster).students
    assert (ada.submission.student.number, ada.submission.student.name) == ("0042", "Lovelace, Ada")
    assert (ada.submission.student.platform_ids, ada.submission.id) == ({"Canvas": "1"}, "lovelaceada_1")


TEAMS = "name,login,number,team\nAda L,ada,1,Team A\nBen B,ben,2,Team A\nEve E,eve,3,Team B\nDan D,dan,4,\n"


@pytest.mark.parametrize(
    "uploads",
    [
        [Upload("Team A"), Upload("team-b"), Upload("dan")],
        [
            Upload(f"{one} 5", owners=(Student(name=one, platform_ids={"Moodle": "5"}),))
            for one in ("Team A", "Team B", "Dan D")
        ],
        [Upload(one, owners=(Student(login=one),)) for one in ("Team A", "Team B", "dan")],
        [Upload(f"{one} 9", owners=(Student(platform_ids={"Canvas": "9"}),)) for one in ("teama", "teamb", "dand")],
    ],
    ids=["folders", "Moodle, Brightspace", "Blackboard", "Canvas"],
)
def test_what_is_called_like_a_team_of_the_roster_is_each_members(
    uploads: list[Upload], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = found(uploads, tmp_path, monkeypatch, TEAMS)
    files = {one.submission.student.login: one.sources[NAIVE].read_bytes()[-1:] for one in team.students}
    assert files == {"ada": b"0", "ben": b"0", "eve": b"1", "dan": b"2"}
    assert any("each member has it: " in one for one in team.notices)
    assert not any("not on the roster" in one for one in team.notices)


def test_who_handed_in_alone_keeps_that_beside_a_teams_and_nothing_is_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = found([Upload("Team A"), Upload("ada"), Upload("Team B"), Upload("eve")], tmp_path, monkeypatch, TEAMS)
    files = [
        (one.submission.student.login, one.submission.handed_in and one.sources[NAIVE].read_bytes()[-1:])
        for one in team.students
    ]
    assert sorted(files) == [("", b"2"), ("ada", b"1"), ("ben", b"0"), ("dan", False), ("eve", b"3")]
    assert any("members of one team handed in different files" in one for one in team.notices)


def test_a_team_that_is_called_like_a_student_or_another_team_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roster = "name,login,team\nAda L,ada,ben\nBen B,ben,x\nEve E,eve,Team 1\nDan D,dan,team1\n"
    team = found([Upload("ben"), Upload("team-1")], tmp_path, monkeypatch, roster)
    assert [
        (one.submission.student.login, one.submission.name) for one in team.students if one.submission.handed_in
    ] == [
        ("ben", "ben"),
        ("", "team-1"),
    ]


def test_groups_that_may_be_sections_are_teams_where_uploads_are_called_like_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in Moodle's list of participants."""
    roster = 'First name,Last name,Email address,Groups\nAda,L,a@x,"Monday, Team A"\nBen,B,b@x,"Monday, Team A"\nEve,E,e@x,Monday\n'
    moodle = [
        Upload(f"{one} 5", owners=(Student(name=one, platform_ids={"Moodle": "5"}),)) for one in ("Team A", "Eve E")
    ]
    team = found(moodle, tmp_path, monkeypatch, roster)
    assert {one.submission.student.email: one.sources[NAIVE].read_bytes()[-1:] for one in team.students} == {
        "a@x": b"0",
        "b@x": b"0",
        "e@x": b"1",
    }
    assert any("'Groups' may mean a section or a team" in one for one in team.notices)
