"""A class with a roster: who handed in nothing is everywhere, teams share, and ids outlive what befalls OUT."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from fake_course import Course
from rich.console import Console

from grader.cli.classes.grade_command import summary
from grader.model.errors import RemediableError
from grader.model.verdicts import Verdict
from grader.roll.batch.output_folder import OutputFolder

ROSTER = (
    "name,login,number,section,team\nAnna A,anna,1,Mon,x\nBen B,ben,2,Tue,\nCarla C,carla,3,Mon,x\nDora D,dora,4,Tue,\n"
)


@pytest.fixture
def listed(course: Course) -> Course:
    course.roster = ROSTER
    return course


def kept(course: Course) -> Path:
    return course.out / "instructor" / "people" / "identities.json"


def test_the_roster_names_students_on_every_page_but_the_public_one(listed: Course) -> None:
    listed.roster = ROSTER.replace("Anna A", "Abelard-Arc Anna")
    listed.grade()
    for page in ("index.html", "students/anna/report.html", "instructor/anna.html"):
        assert "Abelard-Arc Anna" in (listed.out / page).read_text(encoding="utf-8"), page
    others = [path for path in listed.out.rglob("*.html") if path.parent.name not in {"anna", "similar"}]
    told = {path.name for path in others if "Abelard-Arc Anna" in path.read_text(encoding="utf-8")}
    assert told == {"index.html", "anna.html"}


def test_who_handed_in_nothing_is_in_every_table_with_a_sentence_of_their_own(listed: Course) -> None:
    report = listed.grade()
    assert [row["student"] for row in listed.rows()] == ["anna", "ben", "Carla-C", "Dora-D"]
    dora = listed.result("Dora-D")
    assert (dora.submission.handed_in, dora.total, dora.max, dora.submission.student.section) == (False, 0, 8, "Tue")
    assert {lab.findings[0].message for lab in dora.labs.values()} == {"Nothing was handed in under this name."}
    page = (listed.out / "students" / "Dora-D" / "report.html").read_text(encoding="utf-8")
    assert "Nothing was handed in." in page
    assert "letter by letter" not in page
    assert "Check the file" not in page
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(summary(report))
    assert "3 submissions, 1 of the roster handed in nothing" in console.export_text()
    assert (report.alarms, report.faults) == ((), ())


def test_a_team_shares_one_hand_in_and_different_ones_stay_apart(listed: Course) -> None:
    listed.grade()
    carla = listed.result("Carla-C")
    assert (carla.total, carla.submission.handed_in, carla.submission.student.number) == (8, True, "3")
    assert carla.submission.notices == ("this is your team's: anna handed it in",)
    listed.hand_in("carla", a="another")
    listed.roster += "Emil E,emil,5,Mon,x\n"
    report = listed.grade()
    assert (listed.result("Carla-C").total, listed.result("anna").total) == (4, 8)
    assert not listed.result("Emil-E").submission.handed_in
    assert any(
        "different files" in one and "anna, Carla-C; Emil-E handed in nothing" in one for one in report.graded.notices
    )


def test_a_student_added_later_takes_neither_id_nor_grade(course: Course) -> None:
    course.hand_in("zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", a="good", b="good")
    course.grade()
    assert course.result("zoe").total == 8
    course.hand_in("zoe", a="RACE")
    report = course.grade()
    assert (course.result("zoe").total, course.result("zoe-2").total) == (8, 1)
    assert any("'zoe' is zoe-2" in notice for notice in report.graded.notices)


def test_ids_of_an_out_that_kept_no_identities_follow_from_its_records(course: Course) -> None:
    course.hand_in("zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", a="good", b="good")
    course.roster = "name,login\nDora,dora\n"
    course.grade()
    shutil.rmtree(kept(course).parent)
    (course.out / "instructor" / "torn.json").write_text("{", encoding="utf-8")
    course.roster = ""
    course.hand_in("zoe", a="RACE")
    course.hand_in("torn", a="RACE")
    course.hand_in("Dora", a="RACE")
    course.grade()
    assert {row["student"] for row in course.rows()} == {"anna", "ben", "zoe", "zoe-2", "torn-2", "Dora-2"}
    assert course.result("zoe").total == 8


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text[:0],
        lambda text: text.replace("/v1", "/v9"),
        lambda text: text.replace('"ben"', '"anna"'),
        lambda text: text.replace('"ben"', '"../ben"'),
        lambda text: text.replace('"handed_in": true', '"handed_in": 1'),
        lambda text: "[" * 100_000 + text,
    ],
)
def test_damaged_identities_are_refused_and_nothing_is_lost(course: Course, damage: object) -> None:
    assert callable(damage)
    course.grade()
    whole = kept(course).read_text()
    damaged = damage(whole)
    kept(course).write_text(damaged)
    before = {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()}
    course.hand_in("zoe", a="new")
    with pytest.raises(RemediableError, match="Put back an older copy"):
        course.grade()
    assert {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()} == before
    kept(course).write_text(whole)
    assert not course.grade().faults


def test_identities_that_cannot_be_kept_stop_the_batch_before_any_grade(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.roll.people.identities.write_atomically", full)
    with pytest.raises(RemediableError, match=r"No space left on device.*Make room"):
        course.grade()
    assert course.judge.asked == []


def test_a_batch_that_another_one_overtook_changes_nothing(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course.grade()

    def overtaken(_out: OutputFolder) -> None:
        kept(course).write_text("another's")

    monkeypatch.setattr("grader.roll.batch.class_batch.OutputFolder.claim", overtaken)
    with pytest.raises(RemediableError, match="Run the same command again"):
        course.grade()
    assert kept(course).read_text() == "another's"


def test_a_student_who_comes_back_has_the_id_and_the_old_page_is_mentioned_meanwhile(listed: Course) -> None:
    listed.grade()
    shutil.rmtree(listed.source / "ben")
    listed.roster = ROSTER.replace("Ben B,ben,2,Tue,\n", "")
    assert any("ben" in one and "not in this batch" in one for one in listed.grade().graded.notices)
    listed.hand_in("ben", a="good")
    listed.grade()
    assert [row["student"] for row in listed.rows()] == ["anna", "ben", "Carla-C", "Dora-D"]


def test_no_lab_of_who_handed_in_nothing_is_a_failed_one(listed: Course) -> None:
    for number in range(8):
        listed.roster += f"S{number},s{number},9{number},,\n"
    report = listed.grade()
    assert report.alarms == ()
    assert listed.result("S0").labs["a"].verdict is Verdict.MISSING_FILE
