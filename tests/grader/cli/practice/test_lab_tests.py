"""Labs that a student has not begun: their tests are not built, and everything else is tested as ever."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.cli.practice.practice import Practice
from grader.course.handout_archive import MANIFEST, Manifest, digest
from grader.engines.toolset import Toolset
from grader.model.course_root import load_labs
from grader.model.labs import Lab, LabError
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Build
from grader.model.verdicts import Verdict

LAB = """title = "{0}"
summary = "s"
problem = "p"
file = "{0}.cu"
kernel = "k()"
launch = "l()"
shapes = "any"
[[case]]
name = "adds"
points = 1
advice = "Where does the sum start?"
"""
STARTER = "// TODO"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two labs of a handout, the second of them begun."""
    for name in ("one", "two"):
        folder = tmp_path / "assignments" / name
        folder.mkdir(parents=True)
        (folder / "lab.toml").write_text(LAB.format(name))
        (folder / f"{name}.cu").write_text(STARTER)
    files = {f"assignments/{name}/{name}.cu": digest(STARTER.encode()) for name in ("one", "two")}
    (tmp_path / MANIFEST).write_bytes(Manifest("1", "2026-09-01", files, frozenset(files)).to_json())
    (tmp_path / "assignments/two/two.cu").write_text("right")
    return tmp_path


class FakeToolset(Toolset):
    """`built`: labs whose tests are there."""

    built: list[str]

    def __init__(self, *built: str) -> None:
        object.__setattr__(self, "built", list(built))

    def has_parts_for(self, lab: Lab, *, public_only: bool) -> bool:  # noqa: ARG002
        return lab.id in self.built

    def provide(self, labs: Sequence[Lab], *, public_only: bool) -> None:  # noqa: ARG002
        self.built.extend(lab.id for lab in labs if lab.id not in self.built)


def judge(lab: Lab, source: Path, _scratch: Path, *, only: tuple[str, ...] = ()) -> LabOutcome:  # noqa: ARG001
    verdict = Verdict.PASS if source.read_text(encoding="utf-8") == "right" else Verdict.WRONG_ANSWER
    cases = tuple(JudgedCase(spec.name, verdict is Verdict.PASS, verdict) for spec in lab.public.case)
    return LabOutcome(lab.id, build=Build(ok=True), cases=cases)


def test_a_lab_that_is_still_the_starter_is_not_built_and_is_shown_as_not_started(root: Path) -> None:
    toolset = FakeToolset()
    practice = Practice(root, load_labs(root, []), judge, toolset=toolset)
    one, two = (practice.attempt(lab) for lab in practice.labs)
    assert toolset.built == ["two"]
    assert (one.starting, len(one.result.cases), two.passed) == (True, 1, True)


def test_a_lab_is_built_when_its_file_changes(root: Path) -> None:
    toolset = FakeToolset()
    practice = Practice(root, load_labs(root, ["one"]), judge, toolset=toolset)
    practice.attempt(practice.labs[0])
    (root / "assignments/one/one.cu").write_text("wrong")
    assert not practice.attempt(practice.labs[0]).passed
    assert toolset.built == ["one"]


def test_a_starter_whose_tests_are_there_is_tested(root: Path) -> None:
    practice = Practice(root, load_labs(root, ["one"]), judge, toolset=FakeToolset("one"))
    assert practice.attempt(practice.labs[0]).result.verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("chosen", [{"case": "adds"}, {"file": "assignments/one/one.cu"}])
def test_whoever_names_a_test_or_a_file_gets_it_tested(root: Path, chosen: dict[str, str]) -> None:
    toolset = FakeToolset()
    file = root / chosen["file"] if "file" in chosen else None
    practice = Practice(root, load_labs(root, ["one"]), judge, chosen.get("case"), file, toolset=toolset)
    practice.attempt(practice.labs[0])
    assert toolset.built == ["one"]


def test_a_missing_file_is_told_without_building_anything(root: Path) -> None:
    (root / "assignments/one/one.cu").unlink()
    toolset = FakeToolset()
    practice = Practice(root, load_labs(root, ["one"]), judge, toolset=toolset)
    with pytest.raises(LabError, match=r"one\.cu"):
        practice.attempt(practice.labs[0])
    assert toolset.built == []


@pytest.mark.parametrize(
    ("there", "named", "waits"), [(False, False, True), (False, True, False), (True, False, False)]
)
def test_only_tests_that_are_not_there_and_that_nobody_named_can_wait(
    root: Path, *, there: bool, named: bool, waits: bool
) -> None:
    toolset = FakeToolset(*(["one"] if there else []))
    practice = Practice(root, load_labs(root, ["one"]), judge, toolset=toolset, named=named)
    assert practice.is_left_alone(practice.labs[0]) is waits
