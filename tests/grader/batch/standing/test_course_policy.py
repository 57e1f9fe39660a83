"""A batch with a course's policy: what is late costs, what is decided stands, what is not due is blank, and all of it is said."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime

import pytest
from fake_course import Course

from grader.batch.class_batch import BatchReport
from grader.model.standing import Standing
from grader.model.verdicts import Verdict
from grader.policy.course_file import PolicyError

ROSTER = "name,login,number,section\nAnna A,anna,0042,Mon\nBen B,ben,0043,Tue\nCarla C,carla,0044,Tue\n"
OVERRIDES = "student,lab,points,reason,author,date\n"


def standing(course: Course, student: str, lab: str) -> Standing:
    found = course.result(student).labs[lab].standing
    assert found is not None
    return found


def said(report: BatchReport) -> str:
    return "\n".join(report.graded.notices)


def page(course: Course, student: str, *, instructor: bool = False) -> str:
    place = f"instructor/{student}.html" if instructor else f"students/{student}/report.html"
    return (course.out / place).read_text(encoding="utf-8")


def row(course: Course, student: str) -> dict[str, str]:
    return next(one for one in course.rows() if one["student"] == student)


def test_without_a_policy_nothing_changes(course: Course) -> None:
    course.grade()
    assert row(course, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"}
    assert course.result("ben").labs["a"].standing is None
    assert "Deadlines and decisions" not in (course.out / "index.html").read_text(encoding="utf-8")


def test_what_is_late_costs_points_and_what_was_judged_stays_visible(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("days = 2", "days = 0")
    timed.times["anna", "a.cu"] = "2026-10-13T00:00:00+02:00"
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.judged_points, found.lost, found.late_seconds, found.late) == (4, 1, 60, "1 minute")
    assert row(timed, "anna") == {"student": "anna", "total": "7", "max": "8", "a": "3", "b": "4"}
    assert "1 point" in page(timed, "anna") or "1 points less for 1 day late" in page(timed, "anna")
    assert "4 of 4" in page(timed, "anna")
    full = json.loads((timed.out / "instructor/anna.json").read_text(encoding="utf-8"))["result"]
    assert (full["total"], full["labs"]["a"]["points"], full["labs"]["a"]["standing"]["judged_points"]) == (7, 3, 4)


def test_late_days_are_spent_without_being_asked_for(timed: Course) -> None:
    timed.times["anna", "a.cu"] = "2026-10-13T00:00:00+02:00"
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.lost, found.days_spent, found.days_left) == (0, 1, 1)
    assert row(timed, "anna")["total"] == "8"
    assert "1 used here, 1 left" in page(timed, "anna")


def test_a_lab_that_is_not_due_and_not_handed_in_is_blank_and_no_zero(timed: Course) -> None:
    timed.grade()
    assert row(timed, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": ""}
    assert "not due yet" in page(timed, "ben")
    assert "letter by letter" not in page(timed, "ben")
    timed.now = datetime(2026, 10, 20, tzinfo=UTC)
    timed.grade()
    assert row(timed, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"}
    assert "not due yet" not in page(timed, "ben")
    timed.now = datetime(2026, 10, 15, tzinfo=UTC)
    timed.grade("b")
    assert row(timed, "ben") == {"student": "ben", "total": "", "max": "4", "b": ""}


def test_deadlines_may_differ_by_section(timed: Course) -> None:
    timed.roster = ROSTER
    timed.policy["course.toml"] += '[sections.tue]\na = "2026-10-14 23:59"\n'
    for student in ("anna", "ben"):
        timed.times[student, "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.grade()
    assert (standing(timed, "anna", "a").late_days, standing(timed, "ben", "a").late_days) == (2, 0)


def test_a_section_that_nobody_is_in_and_a_student_without_a_deadline_are_told(timed: Course) -> None:
    timed.roster = ROSTER
    timed.policy["course.toml"] = (
        'time_zone = "UTC"\n[sections.Mon]\na = "2026-10-12"\n[sections.Wed]\na = "2026-10-12"\n[late]\npenalty = 1\n'
    )
    report = timed.grade()
    assert "no student of this batch is in section 'Wed'" in said(report)
    assert "no deadline holds for 2 students" in said(report)
    assert timed.result("ben").labs["a"].standing is None


def test_an_extension_moves_the_deadline_of_one_student(timed: Course) -> None:
    extension = '[[extension]]\nstudent = "42"\nlab = "a"\nuntil = "2026-10-14 23:59"\nreason = "a broken arm"\n'
    timed.roster = ROSTER
    timed.policy["course.toml"] += extension
    timed.times["anna", "a.cu"] = timed.times["ben", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.grade()
    anna, ben = standing(timed, "anna", "a"), standing(timed, "ben", "a")
    assert (anna.late_days, ben.late_days) == (0, 2)
    assert anna.due == "2026-10-14T23:59:00+02:00"
    assert "a broken arm" not in page(timed, "anna")
    assert "extended from 2026-10-12 23:59 (UTC+02:00)" in page(timed, "anna")
    assert "a broken arm" in page(timed, "anna", instructor=True)


def test_an_override_stands_on_both_pages_with_its_reason_and_survives_each_regrade(timed: Course) -> None:
    timed.policy["overrides.csv"] = (
        OVERRIDES + 'ben,a,"3,5","The race is harmless, <b>as he showed</b>",Prof. Meyer,2026-10-14\n'
    )
    timed.grade()
    for _ in range(2):
        assert row(timed, "ben")["total"] == "3.5"
        for instructor in (False, True):
            shown = page(timed, "ben", instructor=instructor)
            assert "3.5 points by decision of Prof. Meyer (2026-10-14), instead of 1." in shown
            assert "The race is harmless, &lt;b&gt;as he showed&lt;/b&gt;" in shown
        assert "The race is harmless" in (timed.out / "index.html").read_text(encoding="utf-8")
        timed.fingerprint = "kit 2"
        timed.hand_in("ben", a="RACE again")
        timed.grade()
    lab = timed.result("ben").labs["a"]
    assert (lab.verdict, lab.points) == (Verdict.RACE, 3.5)


def test_an_override_counts_where_the_grader_failed_and_without_a_file(timed: Course) -> None:
    timed.roster = ROSTER
    timed.hand_in("ben", a="BREAKS")
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,4,judged by hand,me,\nCARLA,b,2,shown in the lab,me,\n"
    timed.grade()
    assert (row(timed, "ben")["a"], row(timed, "Carla-C")["b"], row(timed, "Carla-C")["total"]) == ("4", "2", "2")


def test_a_fault_of_ours_costs_no_points_and_no_late_day(timed: Course) -> None:
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.hand_in("anna", a="BREAKS", b="good b")
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.lost, found.days_spent, row(timed, "anna")["total"]) == (0, 0, "")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("nobody,a,1,r,me,\n", "overrides.csv, line 2: nobody in the roster or among the submissions is 'nobody'"),
        ("ben,a,1,r,me,\nben,c,1,r,me,\n", "overrides.csv, line 3: there is no lab 'c'. The labs are: a, b."),
        ("ben,a,4.5,r,me,\n", r"overrides.csv, line 2: 4.5 points are more than a has \(4\)"),
        (
            "ben,a,3,r,me,\n43,a,2,r,me,\n",
            "overrides.csv, line 3: ben has two overrides for a, the other one in overrides.csv, line 2",
        ),
    ],
)
def test_an_override_that_cannot_be_meant_stops_the_batch_before_anything_is_written(
    timed: Course, rows: str, message: str
) -> None:
    timed.roster = ROSTER
    timed.policy["overrides.csv"] = OVERRIDES + rows
    with pytest.raises(PolicyError, match=message):
        timed.grade()
    assert (timed.judge.asked, timed.out.exists()) == ([], False)


def test_without_a_roster_an_override_of_nobody_is_the_first_thing_to_look_at(timed: Course) -> None:
    timed.policy["overrides.csv"] = OVERRIDES + "carla,a,1,r,me,\n"
    report = timed.grade()
    [alarm] = report.alarms
    assert (
        "nobody among the submissions is meant by these rows, so they do nothing: overrides.csv, line 2 ('carla')"
        in alarm
    )
    assert "overrides.csv, line 2" in (timed.out / "index.html").read_text(encoding="utf-8")


def test_an_override_reaches_whom_the_roster_calls_so_and_not_who_took_the_name(timed: Course) -> None:
    timed.roster = ROSTER + '"Lovelace, Ada",ada,0045,Mon\n'
    timed.hand_in("ada", a="RACE")
    timed.hand_in("Lovelace, Ada", a="RACE mine")
    timed.policy["overrides.csv"] = OVERRIDES + '"Lovelace, Ada",a,3,r,me,\n'
    assert timed.grade().alarms == ()
    assert (row(timed, "ada")["a"], row(timed, "Lovelace-Ada")["a"]) == ("3", "1")


def test_a_row_that_may_mean_two_students_stops_no_batch(timed: Course) -> None:
    timed.roster = ROSTER + "Ben B,ben2,0045,Mon\n"
    timed.policy["overrides.csv"] = OVERRIDES + "Ben B,a,3,r,me,\n43,b,2,r,me,\n"
    report = timed.grade()
    [alarm] = report.alarms
    assert "may mean several students, so they do nothing: overrides.csv, line 2: 'Ben B' may be " in alarm
    assert (row(timed, "ben")["a"], row(timed, "ben")["b"]) == ("1", "2")


def test_an_override_of_a_student_of_an_earlier_batch_waits(timed: Course) -> None:
    timed.grade()
    (timed.source / "ben" / "a.cu").unlink()
    (timed.source / "ben").rmdir()
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,3,r,me,\n"
    assert timed.grade().alarms == ()


def test_an_extension_that_shortens_or_is_given_twice_is_refused(timed: Course) -> None:
    one = '[[extension]]\nstudent = "ben"\nlab = "a"\nuntil = "2026-10-11 12:00"\nreason = "r"\n'
    before = timed.policy["course.toml"]
    timed.policy["course.toml"] = before + one
    with pytest.raises(
        PolicyError,
        match=r"course\.toml, line 9: 2026-10-11 12:00 CEST is before the deadline of ben, 2026-10-12 23:59 CEST",
    ):
        timed.grade()
    timed.policy["course.toml"] = before + one.replace("11", "14") * 2
    with pytest.raises(
        PolicyError, match=r"line 14: ben has two extensions for a, the other one in course.toml, line 9"
    ):
        timed.grade()


def test_what_nobody_knows_the_time_of_is_not_late_and_the_instructor_is_told(timed: Course) -> None:
    del timed.times["anna", "a.cu"]
    timed.times["ben", "a.cu"] = ""
    report = timed.grade()
    assert standing(timed, "anna", "a").time_unknown
    assert "nothing says when these were handed in, so they are not late: anna a (1 in all)" in said(report)
    assert "marks these as late and does not say how late, so they lose nothing: ben a" in said(report)
    assert "nothing says when: not late" in page(timed, "anna")


def test_times_that_the_instructor_knows_count_where_the_platform_says_nothing(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("days = 2", "")
    timed.policy["times.csv"] = (
        "student,lab,at\nanna,a,2026-10-13 12:00\nanna,a,2026-10-13 11:00\nben,a,2026-10-14 12:00\nzed,a,2026-10-14 12:00\n"
    )
    del timed.times["anna", "a.cu"]
    report = timed.grade()
    assert (standing(timed, "anna", "a").at, standing(timed, "anna", "a").lost) == ("2026-10-13T12:00:00+02:00", 1)
    assert standing(timed, "ben", "a").lost == 0
    assert "1 of the times are of students who are not in this batch: times.csv, line 5" in said(report)


def test_where_being_late_costs_nothing_nobody_is_told_of_unknown_times(timed: Course) -> None:
    del timed.times["anna", "a.cu"]
    timed.policy["course.toml"] = timed.policy["course.toml"].split("[late]", maxsplit=1)[0]
    assert "nothing says when" not in said(timed.grade())


def test_members_of_a_team_have_their_own_deadlines_for_what_one_of_them_handed_in(timed: Course) -> None:
    timed.roster = "name,login,section,team\nAnna A,anna,Mon,\nBen B,ben,Mon,x\nCarla C,carla,Tue,x\n"
    timed.policy["course.toml"] = (
        timed.policy["course.toml"].replace("days = 2", "") + '[sections.Tue]\na = "2026-10-14 23:59"\n'
    )
    timed.times["ben", "a.cu"] = timed.times["Carla-C", "a.cu"] = "2026-10-13T12:00:00+02:00"
    timed.hand_in("ben", a="good")
    timed.grade()
    assert (row(timed, "ben")["a"], row(timed, "Carla-C")["a"]) == ("3", "4")


def test_a_file_from_the_future_lets_the_instructor_look_at_the_clock(timed: Course) -> None:
    timed.times["anna", "b.cu"] = "2026-10-18T12:00:00+02:00"
    assert "handed in after now, 2026-10-15 02:00 CEST: anna b. Is the clock" in said(timed.grade())


def test_late_days_that_an_earlier_lab_took_are_gone_also_where_it_is_not_graded_again(timed: Course) -> None:
    timed.now = datetime(2026, 10, 30, tzinfo=UTC)
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.times["anna", "b.cu"] = "2026-10-20T12:00:00+02:00"
    timed.grade("a")
    timed.grade("b")
    assert (standing(timed, "anna", "b").days_left, standing(timed, "anna", "b").lost) == (0, 1)
    timed.policy["course.toml"] += '[[extension]]\nstudent = "anna"\nlab = "a"\ndays = 2\nreason = "r"\n'
    report = timed.grade("a")
    assert "late days are spent otherwise than when these were graded: anna b. Grade their labs again" in said(report)
    timed.grade("b")
    assert standing(timed, "anna", "b").lost == 0


@pytest.mark.parametrize("also_in", ["../weeks/one", "../weeks/*"])
def test_late_days_that_a_lab_took_in_another_out_are_gone(timed: Course, also_in: str) -> None:
    weeks = timed.root.parent / "weeks"
    timed.now = datetime(2026, 10, 30, tzinfo=UTC)
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("[late]", f"[late]\nalso_in = ['{also_in}']")
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.times["anna", "b.cu"] = "2026-10-20T12:00:00+02:00"
    timed.out = weeks / "one"
    timed.grade("a")
    timed.out = weeks / "two"
    timed.roster = ROSTER  # gives her another id here
    timed.hand_in("Anna A", b="good")
    shutil.rmtree(timed.source / "anna")
    timed.times["Anna-A", "b.cu"] = timed.times.pop(("anna", "b.cu"))
    report = timed.grade("b")
    assert "cannot be told among the students here" in said(report)  # the other OUT has no roster
    timed.roster = ""
    shutil.move(timed.source / "Anna A", timed.source / "anna")
    timed.times["anna", "b.cu"] = timed.times.pop(("Anna-A", "b.cu"))
    timed.out = weeks / "three"
    timed.grade("b")
    assert (standing(timed, "anna", "b").days_left, standing(timed, "anna", "b").lost) == (0, 1)
    timed.out = weeks / "four"
    timed.policy["course.toml"] = timed.policy["course.toml"].replace(also_in, "../weeks/nowhere*")
    timed.grade("b")
    assert standing(timed, "anna", "b").lost == 0


def test_an_out_that_is_named_for_late_days_and_is_none_is_refused(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("[late]", "[late]\nalso_in = ['nowhere']")
    with pytest.raises(PolicyError, match="nowhere holds no graded class"):
        timed.grade()
    assert not timed.out.exists()


def test_a_regrade_request_and_its_answer_are_on_the_students_page(timed: Course) -> None:
    timed.policy["regrade.csv"] = (
        "\ufeffZeitstempel;E-Mail-Adresse;Which lab;Your question;Answer;Answered by\r\n"
        '2026-10-14;anna;a;"Why not; 5 points?";There are 4.;TA Li\r\n'
        "2026-10-14;ben;a;=SUM(1) is no race;;\r\n2026-10-14;zed;a;hello;;\r\n2026-10-14;ben;x;hello;;\r\n"
    )
    report = timed.grade()
    assert "Why not; 5 points?" in page(timed, "anna")
    assert "Answer of TA Li" in page(timed, "anna")
    assert "=SUM(1) is no race" in page(timed, "ben")
    assert "Not answered yet" in page(timed, "ben")
    index = (timed.out / "index.html").read_text(encoding="utf-8")
    assert "Regrade requests without an answer" in index
    assert "regrade.csv, line 4: a regrade request of 'zed', who is not in this batch" in said(report)
    assert "regrade.csv, line 5: there is no lab 'x'" in said(report)


def test_the_history_says_what_changed_and_why(timed: Course) -> None:
    timed.grade()
    timed.hand_in("ben", a="good now")
    timed.times["ben", "a.cu"] = "2026-10-12T23:30:00+02:00"
    timed.now = datetime(2026, 10, 16, tzinfo=UTC)
    timed.grade()
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,2,copied,me,\n"
    timed.fingerprint = "kit 2"
    timed.grade()
    changes = [(one.before, one.after, one.causes) for one in timed.result("ben").labs["a"].changes]
    assert changes == [
        (1, 4, ("you handed in a new file",)),
        (4, 2, ("the grader was updated", "me decided: copied")),
    ]
    assert "1 → 4</strong>: you handed in a new file" in page(timed, "ben")
    assert "verdict: race → pass" in page(timed, "ben", instructor=True)
    assert "verdict: race" not in page(timed, "ben")
    assert [one.causes for one in timed.result("anna").labs["a"].changes] == [("the grader was updated",)]
    assert "the grader was updated" not in page(timed, "anna")
    assert "4 → 2; the grader was updated; me decided: copied" in (timed.out / "index.html").read_text(encoding="utf-8")


def test_a_batch_that_finds_nothing_new_adds_nothing_to_the_history(timed: Course) -> None:
    timed.grade()
    kept = sorted((timed.out / "instructor/history").iterdir())
    assert [one.name for one in kept] == ["00001.json"]
    before = (kept[0].read_bytes(), page(timed, "ben"), page(timed, "anna", instructor=True))
    timed.grade()
    assert sorted((timed.out / "instructor/history").iterdir()) == kept
    assert (kept[0].read_bytes(), page(timed, "ben"), page(timed, "anna", instructor=True)) == before


def test_changed_tests_and_points_and_deadlines_are_told_apart(timed: Course) -> None:
    timed.grade()
    grading = timed.root / "solutions" / "a" / "grading.toml"
    grading.write_text(grading.read_text().replace("points = 3", "points = 5"))
    timed.grade()
    (timed.root / "solutions" / "b" / "hidden_tests.cpp").write_text("// other")
    timed.policy["course.toml"] = (
        timed.policy["course.toml"].replace("2026-10-12 23:59", "2026-10-12 22:59").replace("days = 2", "")
    )
    timed.grade()
    assert timed.result("anna").labs["a"].changes[0].causes == ("the lab's tests or points were changed",)
    assert timed.result("ben").labs["a"].changes[-1].causes == (
        "deadline, late days or the rules for late work changed",
    )
    assert timed.result("anna").labs["b"].changes[-1].causes == ("the lab's tests or points were changed",)


def test_a_damaged_part_of_the_history_is_told_and_stays(timed: Course) -> None:
    timed.grade()
    part = timed.out / "instructor/history/00001.json"
    part.write_bytes(part.read_bytes()[:100])
    report = timed.grade()
    assert "00001.json: this part of the grades' history cannot be read" in said(report)
    assert part.stat().st_size == 100
    assert sorted(one.name for one in part.parent.iterdir()) == ["00001.json", "00002.json"]
    assert row(timed, "anna")["total"] == "8"


def test_a_history_that_cannot_be_written_costs_no_grade_and_is_found_by_the_next_batch(
    timed: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr("grader.batch.standing.history_folder.write_durably", full)
        report = timed.grade()
    assert any("history: No space left on device" in one for one in report.unwritten)
    assert row(timed, "anna")["total"] == "8"
    assert not timed.grade().faults
    assert (timed.out / "instructor/history/00001.json").is_file()


def test_a_student_named_like_a_formula_stays_text(timed: Course) -> None:
    timed.roster = ROSTER + '"=HYPERLINK(""x"")",evil,0099,Mon\n'
    timed.policy["overrides.csv"] = OVERRIDES + '"\'=HYPERLINK(""x"")",a,1,\'=1+1,\'@me,\n'
    timed.grade()
    evil = next(path.name for path in (timed.out / "students").iterdir() if path.name.startswith("HYPERLINK"))
    assert timed.result(evil).labs["a"].points == 1
    for path in timed.out.rglob("*.csv"):
        cells = [cell for line in path.read_text(encoding="utf-8").splitlines() for cell in line.split(",")]
        assert not any(cell.strip('"').startswith(("=", "@")) for cell in cells)
