"""The command: what it prints, what it returns, and that known errors are one sentence without a stack trace."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest
from typer.testing import CliRunner, Result

from grader.cli import practice_commands
from grader.cli.classes import grade_command
from grader.cli.cli import app
from grader.engines.backend import GpuBackend
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Build
from grader.model.verdicts import Verdict
from grader.roll.batch import controls

LAB = """title = "Naive"
summary = "s"
problem = "matmul"
file = "naive.cu"
kernel = "k()"
launch = "l()"
shapes = "any"
[[case]]
name = "multiplies squares"
points = 1
[[case]]
name = "multiplies rectangles"
points = 2
"""


@dataclasses.dataclass
class FakeConfinement:
    name: str = "a wall of paper"


@dataclasses.dataclass
class FakeToolset:
    program: Path
    compiler_version: str = "g++ 12"
    confinement: FakeConfinement = dataclasses.field(default_factory=FakeConfinement)
    gpu: GpuBackend = dataclasses.field(default_factory=lambda: GpuBackend(reasons=("there is no GPU",)))

    def fingerprint(self) -> str:
        return "one"

    def working_with(self, _workers: object) -> Self:
        return self

    def without_gpu(self) -> Self:
        return self

    def judge_program(self, _lab_id: str, *, public_only: bool) -> Path:
        assert not public_only
        return self.program

    def has_parts_for(self, _lab: Lab, *, public_only: bool) -> bool:
        assert public_only
        return True

    def provide(self, _labs: object, *, public_only: bool) -> None:
        """Everything is built."""


@dataclasses.dataclass(frozen=True)
class FakeJudge:
    toolset: FakeToolset
    explained: bool = True
    drawn: None = None

    def __call__(self, lab: Lab, source: Path, _scratch: Path, *, only: tuple[str, ...] = ()) -> LabOutcome:
        """Squares are right; rectangles are when the source says so."""
        text = source.read_text(encoding="utf-8")
        if "BREAKS" in text:
            message = "our fault"
            raise RuntimeError(message)
        right = "rectangles" in text
        specs = lab.public.case + (lab.private.case if lab.private else ())
        specs = tuple(spec for spec in specs if not only or spec.name in only)
        verdicts = [Verdict.WRONG_ANSWER if "rectangles" in spec.name and not right else Verdict.PASS for spec in specs]
        cases = [
            JudgedCase(spec.name, passed=verdict is Verdict.PASS, verdict=verdict, message="C[0][1] is wrong")
            for spec, verdict in zip(specs, verdicts, strict=True)
        ]
        return LabOutcome(lab.id, build=Build(ok=True), cases=tuple(cases))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "the course"
    lab = root / "assignments" / "first"
    lab.mkdir(parents=True)
    (root / "kit").mkdir()
    (lab / "lab.toml").write_text(LAB)
    (lab / "naive.cu").write_text("squares")
    monkeypatch.chdir(root)
    for module in (grade_command, practice_commands):
        monkeypatch.setattr(module, "open_toolset", lambda _root, **_: FakeToolset(lab / "lab.toml"))
    for module in (controls, grade_command, practice_commands):
        monkeypatch.setattr(module, "lab_judge", lambda toolset, _seed, **_: FakeJudge(toolset))
    monkeypatch.setattr(controls, "compiler_trouble", lambda _toolset: "")
    return root


@pytest.fixture
def hand_in(course: Path) -> Callable[..., Path]:
    def hand_in(**students: str) -> Path:
        for student, text in students.items():
            path = course / "handed in" / student / "naive.cu"
            path.parent.mkdir(parents=True)
            path.write_text(text)
        return course / "handed in"

    return hand_in


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def assert_friendly(result: Result, *words: str) -> None:
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert result.stderr.startswith("tilelab: ")
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize("words", [("",), ("  ",), ("handed in", "--out", "")])
def test_an_empty_name_is_no_folder(words: tuple[str, ...], course: Path) -> None:
    assert_friendly(run("grade", *words), "is empty: name a folder")
    assert not (course / "out").exists()


def test_grade_says_what_it_did_and_where_the_report_is(course: Path, hand_in: Callable[..., Path]) -> None:
    source = hand_in(anna="squares and rectangles", ben="squares")
    result = run("grade", source, "--out", course / "an out")
    assert result.exit_code == 0, result.output
    for words in ("a wall of paper", "g++ 12", str(course / "an out" / "index.html"), "2 labs judged", "wrong-answer"):
        assert words in result.output
    again = run("grade", source, "--out", course / "an out")
    assert "0 labs judged, 2 reused from an earlier run" in again.output


def test_grade_says_in_one_line_that_speed_was_not_measured_and_why(course: Path, hand_in: Callable[..., Path]) -> None:
    result = run("grade", hand_in(anna="squares and rectangles"), "--out", course / "out")
    spoken = [line for line in result.output.splitlines() if "speed" in line]
    assert spoken == ["speed was not measured: there is no GPU"]


def test_grade_stops_where_the_detectors_cannot_rely_on_the_compiler(
    hand_in: Callable[..., Path], course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "compiler_trouble", lambda _toolset: "the detectors cannot rely on g++ 99")
    result = run("grade", hand_in(ada="squares and rectangles"), "--out", course / "out")
    assert result.exit_code == 3
    assert "the detectors cannot rely on g++ 99" in result.stdout
    assert (course / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()[1] == "ada,,3,"


def test_grade_returns_three_when_something_of_ours_broke(course: Path, hand_in: Callable[..., Path]) -> None:
    result = run("grade", hand_in(anna="BREAKS"), "--out", course / "out")
    assert result.exit_code == 3
    assert "internal-error" in result.output
    assert "faults.txt" in result.output


def test_grade_of_nothing_is_one_sentence_and_leaves_nothing(course: Path) -> None:
    (course / "empty").mkdir()
    for source, words in ((course / "nowhere", "no submissions here"), (course / "empty", "empty")):
        assert_friendly(run("grade", source, "--out", course / "out"), str(source), words)
    assert not (course / "out").exists()


def test_grade_of_an_unknown_lab_names_the_known_ones(course: Path, hand_in: Callable[..., Path]) -> None:
    assert_friendly(run("grade", hand_in(anna="x"), "--out", course / "out", "--lab", "second"), "'second'", "first")


def test_test_finds_the_lab_of_the_current_folder(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course / "assignments" / "first")
    result = run("test")
    assert result.exit_code == 1, result.output
    assert "multiplies rectangles" in result.output
    (course / "assignments" / "first" / "naive.cu").write_text("squares, rectangles")
    assert run("test").exit_code == 0


@pytest.mark.usefixtures("course")
def test_test_runs_one_case_by_a_part_of_its_name() -> None:
    assert run("test", "first", "--case", "squares").exit_code == 0
    assert run("test", "first", "--case", "RECTANGLES").exit_code == 1
    assert_friendly(run("test", "first", "--case", "circles"), "'circles'", "multiplies squares")
    assert_friendly(run("test", "first", "--case", "rectangels"), "Do you mean: multiplies rectangles?")


@pytest.mark.usefixtures("course")
def test_test_runs_every_case_that_matches_and_says_how_many() -> None:
    result = run("test", "first", "--case", "multiplies")
    assert result.exit_code == 1
    assert "CASE='multiplies' took 2 of 2 tests" in result.output
    assert "took" not in run("test", "first", "--case", "Multiplies Squares").output


def test_test_takes_another_file(course: Path) -> None:
    (course / "mine.cu").write_text("rectangles too")
    assert run("test", "first", "--file", course / "mine.cu").exit_code == 0
    assert_friendly(run("test", "first", "--file", course / "yours.cu"), "yours.cu", "naive.cu")


def test_test_of_one_case_outside_a_lab_takes_every_lab_that_has_it(course: Path) -> None:
    second = course / "assignments" / "second"
    second.mkdir()
    (second / "lab.toml").write_text(LAB.replace("naive.cu", "again.cu").replace("squares", "circles"))
    (second / "again.cu").write_text("circles")
    assert run("test", "--case", "circles").exit_code == 0
    assert "2 of 4 tests of 2 labs" in run("test", "--case", "rectangles").output
    assert_friendly(run("test", "--case", "triangles"), "no public test matches CASE='triangles'")


def test_a_lab_without_its_file_does_not_keep_the_others_from_their_tests(course: Path) -> None:
    second = course / "assignments" / "second"
    second.mkdir()
    (second / "lab.toml").write_text(LAB.replace("naive.cu", "again.cu"))
    (second / "again.cu.txt").write_text("rectangles")
    result = run("test")
    assert result.exit_code == 2
    assert "multiplies rectangles" in result.output
    assert "tilelab: " in result.stderr
    assert "there is again.cu.txt" in result.stderr


def test_test_takes_a_part_of_a_labs_name_and_names_the_labs_when_it_is_none(course: Path) -> None:
    assert run("test", "fir").exit_code == 1
    second = course / "assignments" / "first-again"
    second.mkdir()
    (second / "lab.toml").write_text(LAB.replace("naive.cu", "again.cu"))
    assert run("test", "first").exit_code == 1  # the whole name comes before a part of another
    assert_friendly(run("test", "fir"), "could be any of first, first-again")
    assert_friendly(run("test", "99"), "no lab '99'", "first, first-again")


def test_test_of_no_lab_in_particular_takes_all(course: Path) -> None:
    second = course / "assignments" / "second"
    second.mkdir()
    (second / "lab.toml").write_text(LAB.replace("naive.cu", "second.cu"))
    (second / "second.cu").write_text("squares")
    shown = run("test")
    assert shown.exit_code == 1
    assert "2 of 4 tests pass" in shown.output
    for lab, file in (("first", "naive.cu"), ("second", "second.cu")):
        (course / "assignments" / lab / file).write_text("rectangles")
    shown = run("test")
    assert (shown.exit_code, shown.output.splitlines()[-1]) == (0, "Every test passes.")


def test_test_says_what_broke_on_our_side_without_a_trace(course: Path) -> None:
    (course / "assignments" / "first" / "naive.cu").write_text("BREAKS")
    result = run("test")
    assert result.exit_code == 1
    assert "our fault" in result.output
    assert "Traceback" not in result.output


def test_report_writes_the_page_of_the_public_tests_and_says_where(course: Path) -> None:
    result = run("report", "--out", "a folder/page.html")
    assert result.exit_code == 0, result.output
    page = (course / "a folder" / "page.html").read_text(encoding="utf-8")
    assert "public tests only" in page
    assert "multiplies rectangles" in page
    assert str(course / "a folder" / "page.html") in result.output
    assert result.output.splitlines()[-1].startswith("next: ")
    (course / "taken").write_text("a file")
    assert_friendly(run("report", "--out", "taken/page.html"), "cannot be written")
