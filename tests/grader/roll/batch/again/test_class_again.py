"""A graded class whose pages are written again: comments and decisions appear, nothing is judged, and nothing handed in is needed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fake_course import FILES, Course
from told_policy import OVERRIDES, ROSTER, page, row

from grader.explain.class_mistakes import CommentsError, CommentsFile
from grader.model.errors import RemediableError
from grader.model.labs import load_lab
from grader.roll.batch.class_batch import Decided, WrittenAgain, write_again
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered
from grader.roll.policy.course_file import PolicyError, read_policy

COMMENT = '[[comment]]\nkey = "a/race"\ntext = "Mind the barrier."\n'


def again(course: Course, comments: str = "", *labs: str) -> WrittenAgain:
    """After the submissions are gone. `comments`: the whole file; empty: as it is."""
    shutil.rmtree(course.source, ignore_errors=True)
    out = OutputFolder(course.out, Path("nothing"))
    if comments:
        out.comments.write_text(comments, encoding="utf-8")
    for name, text in course.policy.items():
        (course.root / name).write_text(text, encoding="utf-8")
    file = CommentsFile(out.comments)
    decided = Decided(file, file.read(), read_policy(course.root, list(FILES)))
    with out.alone():
        return write_again(
            out, [load_lab(course.root, lab) for lab in labs or FILES], decided, registered(Export), now=course.now
        )


def contents(folder: Path) -> dict[str, bytes]:
    """All that a batch or this wrote, without what only says when or for whom it was."""
    left_out = ("comments.toml", "inputs.json", ".lock")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in left_out and "history" not in path.parts and path.suffix != ".zip"
    }


def test_a_comment_is_on_pages_and_in_exports_at_once_without_what_was_handed_in(course: Course) -> None:
    course.hand_in("cleo", a="RACE again")
    course.grade()
    asked = len(course.judge.asked)
    done = again(course, COMMENT)
    assert (done.commented, done.regraded, done.published.faults, len(course.judge.asked)) == (
        {"a/race": 2},
        0,
        (),
        asked,
    )
    for student, has in (("anna", False), ("ben", True), ("cleo", True)):
        for shown in (page(course, student), page(course, student, instructor=True)):
            assert ("Mind the barrier." in shown) is has
    assert course.result("ben").labs["a"].comment == "Mind the barrier."


def test_what_is_written_is_what_a_batch_would_have_written(course: Course) -> None:
    course.hand_in("cleo", a="RACE again")
    course.grade()
    kept = shutil.copytree(course.source, course.source.with_name("kept"))
    again(course, COMMENT)
    ours = contents(course.out)
    shutil.copytree(kept, course.source)
    course.grade()
    theirs = contents(course.out)
    assert ours.keys() == theirs.keys()
    differing = {name for name in ours if ours[name] != theirs[name]}
    assert differing <= {"exports/lti-ags-scores.json", "instructor/faults.txt"}, differing


def test_a_comment_that_was_taken_back_is_on_no_page(course: Course) -> None:
    course.grade()
    again(course, COMMENT)
    assert again(course, COMMENT.replace("Mind the barrier.", "")).commented == {}
    assert "Mind the barrier." not in page(course, "ben")
    assert course.result("ben").labs["a"].comment == ""


def test_a_comment_that_reaches_nobody_is_told(course: Course) -> None:
    course.grade()
    text = COMMENT + '[[comment]]\nkey = "a/nothing"\ntext = "For nobody."\n'
    assert again(course, text).commented == {"a/race": 1, "a/nothing": 0}


def test_a_broken_file_of_comments_changes_nothing(course: Course) -> None:
    course.grade()
    before = contents(course.out)
    with pytest.raises(CommentsError):
        again(course, "[[comment")
    assert contents(course.out) == before


def test_an_override_counts_at_once_and_has_its_line_in_the_history(timed: Course) -> None:
    timed.roster = ROSTER
    timed.grade()
    before = {one: row(timed, one) for one in ("anna", "Carla-C")}
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,3.5,the race is harmless,Prof. Meyer,\n"
    timed.policy["regrade.csv"] = "student,lab,request,answer,author\nben,a,Why?,Because.,me\n"
    done = again(timed)
    assert (done.regraded, done.published.faults, row(timed, "ben")["total"]) == (1, (), "3.5")
    for instructor in (False, True):
        shown = page(timed, "ben", instructor=instructor)
        assert "3.5 points by decision of Prof. Meyer, instead of 1." in shown
        assert "Because." in shown
        assert "Prof. Meyer decided: the race is harmless" in shown
    assert {one: row(timed, one) for one in ("anna", "Carla-C")} == before
    del timed.policy["overrides.csv"], timed.policy["regrade.csv"]
    (timed.root / "overrides.csv").unlink()
    (timed.root / "regrade.csv").unlink()
    assert again(timed).regraded == 1
    assert row(timed, "ben")["total"] == "1"
    assert "a person&#39;s decision was taken back" in page(timed, "ben")


def test_lateness_stays_as_it_was_and_an_override_frees_its_late_days(timed: Course) -> None:
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.times["anna", "b.cu"] = "2026-10-20T12:00:00+02:00"
    timed.grade()
    first = timed.result("anna")
    assert [one.standing.days_spent for one in first.labs.values() if one.standing] == [2, 0]
    again(timed)
    assert timed.result("anna").labs == first.labs
    timed.policy["overrides.csv"] = OVERRIDES + "anna,a,4,she was ill,me,\n"
    again(timed)
    assert [one.standing.days_spent for one in timed.result("anna").labs.values() if one.standing] == [0, 1]


def test_who_has_not_handed_in_yet_does_not_lose_a_lab_because_time_has_passed(timed: Course) -> None:
    timed.grade()
    before = row(timed, "ben")
    timed.now = timed.now.replace(year=timed.now.year + 1)
    again(timed, COMMENT)
    standing = timed.result("ben").labs["b"].standing
    assert standing is not None
    assert standing.open
    assert row(timed, "ben") == before


def test_an_override_of_nobody_changes_nothing(timed: Course) -> None:
    timed.roster = ROSTER
    timed.grade()
    before = contents(timed.out)
    timed.policy["overrides.csv"] = OVERRIDES + "nobody,a,1,r,me,\n"
    with pytest.raises(PolicyError, match="no student in the roster or among the submissions is 'nobody'"):
        again(timed)
    assert contents(timed.out) == before


@pytest.mark.parametrize("lost", ["pages/class.json", "ben.json"])
def test_a_class_of_which_something_is_missing_is_refused_as_a_whole(course: Course, lost: str) -> None:
    course.grade()
    (course.out / "instructor" / lost).unlink()
    before = contents(course.out)
    with pytest.raises(RemediableError, match="Grade once more into this OUT"):
        again(course)
    assert contents(course.out) == before


def test_a_text_of_another_file_than_the_grades_is_refused(course: Course) -> None:
    course.grade()
    path = course.out / "instructor" / "ben.json"
    old = path.read_bytes()
    course.hand_in("ben", a="RACE in another file")
    course.grade()
    path.write_bytes(old)
    with pytest.raises(RemediableError, match="what the pages of ben were made from"):
        again(course)


def test_what_is_kept_is_readable_for_the_instructor_alone(course: Course) -> None:
    course.grade()
    again(course, COMMENT)
    kept = [course.out / "instructor" / name for name in ("pages/class.json", "anna.json", "ben.json")]
    assert {path.stat().st_mode & 0o077 for path in kept} == {0}
