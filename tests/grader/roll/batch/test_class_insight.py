"""What a batch knows of the class as a whole: mistakes with comments that last, and nothing of it in the way of a grade."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_course import Course, FakeJudge

from grader.explain.class_mistakes import CommentsError
from grader.explain.suspect_search import MutantSearch
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.roll.batch import class_insight

SOLUTION = "__global__ void a(int* p, int n) { for (int i = 0; i < n; ++i) p[i] += 1; }\n"


def comments(course: Course) -> Path:
    return course.out / "instructor" / "comments.toml"


def write(path: Path, text: str) -> None:
    """With a comment on the verdict, which the fake course's hidden case tells."""
    path.write_text(f'{text}\n[[comment]]\nkey = "a/race"\ntext = "Mind the barrier."\n', encoding="utf-8")


def test_a_comment_written_once_is_on_the_page_of_all_who_made_the_mistake(course: Course) -> None:
    course.hand_in("cleo", a="RACE again")
    course.grade()
    path = comments(course)
    text = path.read_text(encoding="utf-8")
    assert text.count("[[comment]]") == 1
    write(path, text.replace('text = ""', 'text = "Told nobody."'))
    course.grade()
    told = {one: course.result(one).labs["a"].comment for one in ("anna", "ben", "cleo")}
    assert told == {"anna": "", "ben": "Mind the barrier.", "cleo": "Mind the barrier."}
    assert "Mind the barrier." in (course.out / "students" / "cleo" / "report.html").read_text(encoding="utf-8")
    assert "Told nobody." in (course.out / "index.html").read_text(
        encoding="utf-8"
    )  # a hidden case alone shows the cause


def test_a_comment_reaches_a_student_who_makes_the_mistake_later(course: Course) -> None:
    course.grade()
    write(comments(course), comments(course).read_text(encoding="utf-8"))
    course.hand_in("dora", a="another RACE")
    course.grade()
    assert course.result("dora").labs["a"].comment == "Mind the barrier."


def test_a_broken_file_of_comments_stops_a_batch_before_it_begins(course: Course) -> None:
    course.grade()
    before = (course.out / "index.html").read_bytes()
    comments(course).write_text("[[comment", encoding="utf-8")
    with pytest.raises(CommentsError):
        course.grade()
    assert (course.out / "index.html").read_bytes() == before


def test_what_breaks_here_costs_nobody_a_grade(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(class_insight, "wrong_submissions", broken)
    report = course.grade()
    assert any("the class as a whole" in fault for fault in report.faults)
    assert {row["student"] for row in course.rows()} == {"anna", "ben"}


def cards(course: Course) -> str:
    """The part of the class page about mistakes."""
    html = (course.out / "index.html").read_text(encoding="utf-8")
    return html[html.index("mistakes-heading") : html.index('id="students"')]


def test_how_many_made_a_mistake_before_is_told_until_something_else_changes(course: Course) -> None:
    course.grade()
    assert "in the batch before" not in cards(course)
    course.hand_in("cleo", a="RACE again")
    course.grade()
    assert "2 students</a>, 1 in the batch before" in cards(course)
    course.grade()
    assert "2 students</a>, 1 in the batch before" in cards(course)
    course.grade("b")
    course.hand_in("cleo", a="good")
    course.grade()
    assert "1 student</a>, 2 in the batch before" in cards(course)


def test_similar_files_have_a_page_for_the_instructor_alone(course: Course) -> None:
    work = "\n".join(f"float value_{n} = other_{n * n} + {n}.5f;" for n in range(30))
    course.hand_in("cleo", a=work)
    course.hand_in("dora", a=f"{work}\n// an afterthought")
    course.grade()
    page = course.out / "instructor" / "similar" / "a.html"
    assert "cleo" in page.read_text(encoding="utf-8")
    assert 'href="instructor/similar/a.html"' in (course.out / "index.html").read_text(encoding="utf-8")
    for path in (course.out / "students").rglob("*.*"):
        assert "similar" not in path.read_text(encoding="utf-8")


def ticking(*times: float) -> Iterator[float]:
    yield from times
    while True:
        yield times[-1]


def with_solution(course: Course) -> list[str]:
    """Judges mutants of a model solution with the course's judge, and notes their texts."""
    (course.root / "solutions" / "a" / "a.cu").write_text(SOLUTION, encoding="utf-8")
    seen: list[str] = []

    def judge(lab: Lab, source: Path, scratch: Path) -> LabOutcome:
        seen.append(source.read_text(encoding="utf-8"))
        return FakeJudge()(lab, source, scratch)

    course.mutants = MutantSearch(judge, seconds=1000)
    return seen


def test_mutants_of_labs_with_wrong_submissions_are_judged_once(course: Course) -> None:
    seen = with_solution(course)
    course.grade()
    assert len(seen) > 2
    assert SOLUTION not in seen
    assert len(seen) == len(set(seen))
    course.grade()
    assert len(seen) == len(set(seen))


def test_when_the_time_is_over_the_next_batch_continues(course: Course) -> None:
    seen = with_solution(course)
    assert course.mutants is not None
    times = ticking(0, 1, 1, 2000)
    course.mutants = MutantSearch(course.mutants.judge, seconds=1000, clock=lambda: next(times))
    course.grade()
    assert len(seen) == 2
    later = with_solution(course)
    course.grade()
    assert later
    assert not set(seen) & set(later)
