"""Grading again: a page is made again where anything that it shows has changed, and left alone where nothing has."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from fake_course import Course

from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.roll.batch import publishing
from grader.roll.batch.job_store import OUTCOME_JSON, JobStore
from grader.roll.batch.plugin import File
from grader.roll.batch.publishing import KeptPages, write_files

PAGES = ("students/anna/report.html", "students/anna/result.json", "instructor/anna.html", "instructor/anna.json")


def marks(course: Course) -> dict[str, int]:
    """The inode of each file: one that is written has a new one."""
    return {
        path.relative_to(course.out).as_posix(): path.stat().st_ino
        for path in course.out.rglob("*")
        if path.name.startswith(("report", "result", "anna.", "ben."))
    }


def changed(before: dict[str, int], after: dict[str, int]) -> set[str]:
    return {name for name, mark in after.items() if before[name] != mark}


def test_nothing_is_written_again_where_nothing_has_changed(course: Course) -> None:
    course.grade()
    before = marks(course)
    course.grade()
    assert changed(before, marks(course)) == set()
    assert len(before) == 8


def test_another_verdict_makes_that_students_pages_again_and_no_others(course: Course) -> None:
    course.grade()
    before = marks(course)
    course.hand_in("anna", a="RACE in what anna hands in now")
    course.grade()
    assert changed(before, marks(course)) == {*PAGES}
    assert course.result("anna").total == 5


def test_another_source_with_the_same_verdict_makes_the_pages_again(course: Course) -> None:
    course.grade()
    before = marks(course)
    course.hand_in("anna", a="good a, with another word")
    course.grade()
    assert changed(before, marks(course)) == {*PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_somebody_changed_or_removed_is_made_again(course: Course, page: str) -> None:
    course.grade()
    whole = (course.out / page).read_bytes()
    (course.out / page).write_bytes(whole[:-1] + b" ")
    course.grade()
    assert (course.out / page).read_bytes() == whole
    (course.out / page).unlink()
    course.grade()
    assert (course.out / page).read_bytes() == whole


def test_another_seed_makes_the_records_again_that_begin_with_it(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.grade()
    monkeypatch.setattr("fake_course.SEED", 5)
    course.grade()
    assert json.loads((course.out / "instructor" / "anna.json").read_text(encoding="utf-8"))["seed"] == 5


def test_another_version_of_the_grader_makes_everything_again(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course.grade()
    before = marks(course)
    monkeypatch.setattr(publishing, "_program", lambda: "another template")
    course.grade()
    assert changed(before, marks(course)) == set(before)


def test_the_digest_of_the_grader_covers_its_templates_and_styles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "grader"
    for name in ("batch/written/kept_pages.py", "reports/templates/page.html.j2", "reports/templates/page.css"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("one")
    monkeypatch.setattr(publishing, "__file__", str(package / "batch" / "written" / "publishing.py"))
    seen = []
    for name in ("batch/written/kept_pages.py", "reports/templates/page.html.j2", "reports/templates/page.css"):
        publishing._program.cache_clear()
        seen.append(publishing._program())
        (package / name).write_text("two")
    publishing._program.cache_clear()
    seen.append(publishing._program())
    monkeypatch.undo()
    publishing._program.cache_clear()
    assert len(set(seen)) == 4


@pytest.mark.parametrize("text", ["", "{", "[]", '{"students/anna/report.html": ["a"]}'])
def test_a_damaged_record_makes_everything_again(course: Course, text: str) -> None:
    course.grade()
    before = marks(course)
    (course.out / "instructor" / "pages" / "inputs.json").write_text(text)
    course.grade()
    assert changed(before, marks(course)) == set(before)


def test_a_page_that_could_not_be_made_is_made_next_time(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> str:
        raise FileNotFoundError

    with monkeypatch.context() as patched:
        patched.setattr("grader.roll.batch.publishing.student_page", broken)
        assert len(course.grade().faults) == 4
    assert not course.grade().faults
    assert (course.out / PAGES[0]).is_file()


def test_a_student_called_pages_is_a_student(course: Course) -> None:
    course.hand_in("pages", a="good a")
    course.grade()
    course.grade()
    assert course.result("pages").total == 4


def test_an_outcome_from_the_store_is_what_was_kept_and_can_be_changed_alone(tmp_path: Path) -> None:
    launch = Launch(shape="M=1", inputs="", verdict=Verdict.RACE, findings=(Finding(kind=Verdict.RACE, message="x"),))
    kept = LabOutcome("a", cases=(JudgedCase("one", passed=False, verdict=Verdict.RACE, launches=(launch, launch)),))
    store = JobStore(tmp_path)
    store.keep("key", kept)
    first, second = store.find("key"), store.find("key")
    assert first == second == kept
    assert first is not None
    assert second is not None
    before = {*second.cases[0].launches[0].model_fields_set}
    changed_one = first.cases[0].launches[0].model_copy(update={"traffic": None, "shape": "M=2"})
    assert changed_one.model_fields_set >= {"shape", "verdict"}
    assert second.cases[0].launches[0].model_fields_set == before
    assert OUTCOME_JSON.dump_json(second) == OUTCOME_JSON.dump_json(kept)


def test_a_page_about_an_earlier_file_is_withdrawn_and_what_somebody_wrote_stays(tmp_path: Path) -> None:
    ada, ben = tmp_path / "students" / "ada", tmp_path / "students" / "ben"

    def batch(names: dict[Path, list[str]]) -> None:
        kept = KeptPages(tmp_path)
        files = [File(folder / name, partial(str, name), "inputs") for folder in names for name in names[folder]]
        assert write_files(files, kept) == ([], [])
        kept.withdraw(names)

    batch(
        {ada: ["report.html", "race-02.html", "trace-02.html", "trace-03.html"], ben: ["report.html", "trace-02.html"]}
    )
    (ada / "trace-03.html").write_text("a remark of the instructor's", encoding="utf-8")
    (ada / "notes.html").touch()
    batch({ada: ["report.html", "trace-02.html"]})
    assert sorted(path.name for path in ada.iterdir()) == [
        "notes.html",
        "report.html",
        "trace-02.html",
        "trace-03.html",
    ]
    assert sorted(path.name for path in ben.iterdir()) == ["report.html", "trace-02.html"]  # not of that batch
