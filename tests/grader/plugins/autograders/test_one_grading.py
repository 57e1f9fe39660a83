"""One submission, graded as a class of one: what is handed in, what is not, and whose fault a failure is. Nothing is compiled."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_course import FILES, SEED, Course, FakeControls, FakeJudge, small_course

from grader.model.errors import MachineError
from grader.model.labs import Lab, load_lab
from grader.model.result import Environment, Student
from grader.model.verdicts import Verdict
from grader.plugins.autograders.autograder_commands import OneGrading, grade_folder
from grader.plugins.autograders.platform_list import HandedIn, misnamed_words
from grader.roll.batch.judging_jobs import JudgingSetup

ADA = HandedIn((Student(name="Ada", email="ada@example.org"),))


@dataclasses.dataclass
class OrderedControls(FakeControls):
    """Remembers which labs were judged before it was asked."""

    judge: FakeJudge = dataclasses.field(default_factory=FakeJudge)
    judged: list[set[str]] = dataclasses.field(default_factory=list)

    def trouble(self, labs: Sequence[Lab]) -> str:
        self.judged.append({lab for lab, _ in self.judge.asked})
        return super().trouble(labs)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return small_course(tmp_path)


def grade(course: Course, folder: Path, handed_in: HandedIn = ADA, controls: FakeControls | None = None) -> OneGrading:
    environment = Environment(kit="0", compiler="g++ 12", sandbox="none", date="2026-01-01")
    setup = JudgingSetup(
        course.judge,
        environment,
        dict.fromkeys(FILES, ""),
        SEED,
        controls=controls,
        looks_first=False,
    )
    scratch = course.out / "scratch"
    scratch.mkdir(parents=True)
    return grade_folder(folder, handed_in, [load_lab(course.root, lab) for lab in FILES], setup, scratch)


def handed_in(course: Course, **files: str) -> Path:
    course.hand_in("one", **files)
    return course.source / "one"


def test_who_gave_a_file_another_name_is_told_which_one_to_give_it(course: Course) -> None:
    folder = handed_in(course, a="good")
    (folder / "my <b>.cu").write_text("good", encoding="utf-8")
    (folder / "notes.md").write_text("", encoding="utf-8")
    words = misnamed_words(grade(course, folder).result)
    assert words.startswith("Your submission holds my <b>.cu, but no b.cu. ")
    (folder / "b.cu").write_text("good", encoding="utf-8")
    course.out = course.out.with_name("again")
    assert misnamed_words(grade(course, folder).result) == ""


def test_each_lab_gets_its_verdict_and_the_page_its_texts(course: Course) -> None:
    found = grade(course, handed_in(course, a="good", b="RACE"))
    assert {lab: one.verdict for lab, one in found.result.labs.items()} == {"a": Verdict.PASS, "b": Verdict.RACE}
    assert (found.result.submission.name, found.result.submission.student.email) == ("Ada", "ada@example.org")
    assert found.texts == {"a.cu": "good", "b.cu": "RACE"}
    assert found.undecided == ()


def test_a_file_that_is_missing_costs_points_and_an_empty_submission_is_one(course: Course, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    found = grade(course, empty)
    assert {one.verdict for one in found.result.labs.values()} == {Verdict.MISSING_FILE}
    assert (found.undecided, found.faults) == ((), ())


def test_a_submission_that_is_not_there_is_the_platforms_fault(course: Course, tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="cannot be read"):
        grade(course, tmp_path / "nowhere")


def test_a_judge_that_breaks_leaves_the_grade_open_and_is_told(course: Course) -> None:
    found = grade(course, handed_in(course, a="BREAKS", b="good"))
    assert found.undecided == ("a",)
    assert "out of luck" in "".join(found.faults)


def test_a_judge_that_breaks_once_is_asked_again(course: Course) -> None:
    assert grade(course, handed_in(course, a="STUMBLES", b="good")).undecided == ()


def test_a_pass_needs_no_control(course: Course) -> None:
    controls = OrderedControls(judge=course.judge)
    grade(course, handed_in(course, a="good", b="good"), controls=controls)
    assert controls.asked == []


def test_what_costs_points_is_held_against_controls_after_it_was_judged(course: Course) -> None:
    controls = OrderedControls(judge=course.judge)
    found = grade(course, handed_in(course, a="RACE", b="good"), controls=controls)
    assert controls.asked == [["a"]]
    assert "a" in controls.judged[0]
    assert found.result.labs["a"].verdict is Verdict.RACE


def test_a_machine_that_misjudges_the_courses_own_kernels_takes_no_points(course: Course) -> None:
    controls = OrderedControls(fails=frozenset({1}), judge=course.judge)
    found = grade(course, handed_in(course, a="RACE", b="good"), controls=controls)
    assert "a" in found.undecided
    assert "this machine is broken" in "".join(found.faults)


def test_a_team_is_named_together(course: Course) -> None:
    team = HandedIn((Student(name="Ada"), Student(name="Alan\x1b[31m")), notices=("said",))
    found = grade(course, handed_in(course, a="good"), team).result.submission
    assert found.name == "Ada, Alan�[31m"
    assert found.student == Student()
    assert found.notices[0] == "said"
