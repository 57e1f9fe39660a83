"""`tilelab pages`: which files it reads without being told, which exports it writes, and what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fake_course import Course
from told_policy import page

from grader.cli.classes.pages_command import PagesRequest, pages_again
from grader.model.errors import RemediableError
from grader.roll.batch.output_folder import LastBatchFile

COMMENT = '[[comment]]\nkey = "a/race"\ntext = "Mind the barrier."\n'


@pytest.fixture
def graded(course: Course, monkeypatch: pytest.MonkeyPatch) -> Course:
    course.grade()
    (course.root / "kit").mkdir()
    monkeypatch.chdir(course.root)
    return course


def test_it_says_where_each_comment_stands_and_that_nothing_was_judged(
    graded: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    text = COMMENT + '[[comment]]\nkey = "b/race"\ntext = "Nobody."\n'
    (graded.out / "instructor" / "comments.toml").write_text(text, encoding="utf-8")
    assert pages_again(PagesRequest(str(graded.out))) == 0
    said = capsys.readouterr().out
    assert "comment a/race: on 1 page\n" in said
    assert "comment b/race: on no page: " in said
    assert "2 students; 0 grades changed; nothing was judged\n" in said


@pytest.mark.parametrize(
    ("formats", "files"),
    [
        ((), "what `make export` writes"),  # there are no exports
        (("canvas",), "what `make export` writes"),  # there is a note that the file lacks students
        (("autolab",), "the files in exports/"),
    ],
)
def test_the_last_line_names_the_exports_only_where_they_are_whole(
    graded: Course, capsys: pytest.CaptureFixture[str], formats: tuple[str, ...], files: str
) -> None:
    shutil.rmtree(graded.out / "exports")
    assert pages_again(PagesRequest(str(graded.out), formats)) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"next: give back the folders in students/, or {files}: docs/exports.md"


def test_exports_that_are_there_are_written_and_no_others(graded: Course) -> None:
    for path in (graded.out / "exports").iterdir():
        path.unlink()
    (graded.out / "grades.csv").write_text("old\n", encoding="utf-8")
    assert pages_again(PagesRequest(str(graded.out))) == 0
    assert (graded.out / "grades.csv").read_text(encoding="utf-8").startswith("student,")
    assert list((graded.out / "exports").iterdir()) == []
    assert pages_again(PagesRequest(str(graded.out), ("canvas",))) == 0
    assert [path.name for path in (graded.out / "exports").iterdir()] == ["canvas.csv"]


def test_a_file_of_comments_that_was_named_once_counts_until_another_one_is(graded: Course, tmp_path: Path) -> None:
    shared = tmp_path / "shared.toml"
    shared.write_text(COMMENT, encoding="utf-8")
    pages_again(PagesRequest(str(graded.out), comments=str(shared)))
    assert "Mind the barrier." in page(graded, "ben")
    pages_again(PagesRequest(str(graded.out)))
    assert "Mind the barrier." in page(graded, "ben")
    shared.unlink()
    with pytest.raises(RemediableError, match="there is no such file"):
        pages_again(PagesRequest(str(graded.out)))
    assert "Mind the barrier." in page(graded, "ben")


def test_comments_in_an_out_that_was_moved_are_found(graded: Course) -> None:
    (graded.out / "instructor" / "comments.toml").write_text(COMMENT, encoding="utf-8")
    graded.out = graded.out.rename(graded.out.with_name("elsewhere"))
    assert pages_again(PagesRequest(str(graded.out))) == 0
    assert "Mind the barrier." in page(graded, "ben")
    html = (graded.out / "index.html").read_text(encoding="utf-8")
    assert "elsewhere/instructor/comments.toml" in html
    assert "make pages OUT=" in html


def test_a_course_file_that_was_named_in_grading_is_not_forgotten(graded: Course, tmp_path: Path) -> None:
    course = tmp_path / "policy" / "course.toml"
    course.parent.mkdir()
    course.write_text("", encoding="utf-8")
    row = "student,lab,points,reason,author\nben,a,3,r,me\n"
    (course.parent / "overrides.csv").write_text(row, encoding="utf-8")
    pages_again(PagesRequest(str(graded.out), course=str(course)))
    pages_again(PagesRequest(str(graded.out)))
    assert graded.result("ben").labs["a"].points == 3
    assert LastBatchFile(graded.out / "instructor").read().course == str(course)


@pytest.mark.parametrize("out", ["", "{out}/students"])
def test_a_folder_that_holds_no_class_is_refused(graded: Course, out: str) -> None:
    with pytest.raises(RemediableError, match="holds no graded class"):
        pages_again(PagesRequest(out.format(out=graded.out)))
