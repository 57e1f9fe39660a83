"""Kernels that try to tell their student what hidden cases hold: two courses that differ in seed and hidden sizes alone give
back the same files, byte for byte, wherever the verdicts that a student may know agree.

Each kernel in tests/exploits/telling/<lab>/ says on its first line the verdict that has to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from attack_list import attack
from corpus_sample import sample

from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.result import Environment, LabResult, Result, Submission
from grader.pages.pages import student_page
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab
from grader.run.scoring.redaction import for_student

ROOT = Path(__file__).resolve().parents[2]
TELLING = ROOT / "tests" / "exploits" / "telling"
KERNELS = sorted(path.relative_to(TELLING).as_posix() for path in TELLING.glob("*/*.cu"))


@dataclass(frozen=True)
class Course:
    toolset: Toolset
    seed: int


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Course]:
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    build = tmp_path_factory.mktemp("elsewhere")
    (build / "bin").mkdir()
    for judge in here.build.glob("bin/judge-*-elsewhere"):
        (build / "bin" / judge.name.removesuffix("-elsewhere")).symlink_to(judge)
    return Course(here, 918_273_645), Course(replace(here, build=build), 2**127 + 20_240_917)


def whole(source: Path) -> str:
    """The submission: one file, so what its kind has in common stands in it."""
    (common,) = source.parent.glob("*.cuh")
    include, text = f'#include "{common.name}"\n', source.read_text(encoding="utf-8")
    assert include in text
    return text.replace(include, common.read_text(encoding="utf-8"))


def graded(course: Course, lab: Lab, source: Path, scratch: Path) -> LabResult:
    handed_in = scratch / lab.public.file
    handed_in.write_text(whole(source), encoding="utf-8")
    outcome = LabJudge(course.toolset, course.seed, public_only=False)(lab, handed_in, scratch)
    return score_lab(lab, outcome)


def redacted(lab: LabResult) -> Result:
    environment = Environment(kit="1", compiler="g++", sandbox="none", date="2026-01-01")
    submission = Submission(id="eve", name="eve")
    return for_student(
        Result(submission=submission, environment=environment, labs={"lab": lab}, total=lab.points, max=lab.max_points)
    )


def given_back(lab: LabResult, source: str) -> tuple[str, str]:
    """The student's files: result.json and the page."""
    public = redacted(lab)
    return public.model_dump_json(by_alias=True, indent=2), student_page(public, sources={lab.file: source})


def attempts(lab: LabResult) -> list[str]:
    """What hidden cases saw, but for the sizes themselves: what the kernel wrote there for its student to read."""
    hidden = [launch for case in lab.cases if case.feedback != "full" for launch in case.launches]
    return [launch.model_dump_json(exclude={"shape", "message", "traffic"}) for launch in hidden]


@pytest.mark.parametrize("kernel", sample(KERNELS, 6))
def test_a_student_learns_nothing_of_what_happened_in_a_hidden_case(
    kernel: str, courses: tuple[Course, Course], tmp_path: Path
) -> None:
    source = TELLING / kernel
    lab = load_lab(ROOT, source.parent.name)
    results = []
    for number, course in enumerate(courses):
        scratch = tmp_path / str(number)
        scratch.mkdir()
        results.append(graded(course, lab, source, scratch))
        cases = redacted(results[-1]).labs["lab"].cases
        assert [case.name for case in cases if case.feedback == "full" and not case.passed] == []
        assert {case.verdict.value for case in cases if case.feedback == "verdict"} == {attack(source)["verdict"]}
    here, elsewhere = results
    assert attempts(here) != attempts(elsewhere), "it did the same in both courses, which proves nothing"
    assert given_back(here, whole(source)) == given_back(elsewhere, whole(source))
