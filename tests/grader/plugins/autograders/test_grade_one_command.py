"""`tilelab grade-one`: whatever fails, the platform gets an answer without points, and only instructors are told the cause."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.model.errors import MachineError, RemediableError
from grader.plugins.autograders import autograder_commands
from grader.plugins.autograders.autograder_commands import OneRequest, grade_one
from grader.plugins.autograders.platform_list import NEEDS_A_GPU, NOT_GRADED
from grader.system.confinement import SandboxUnavailable

ROOT = Path(__file__).resolve().parents[4]
LAB = "01-naive"
CAUSE = "case 'odd sizes 97' broke"


@pytest.fixture(autouse=True)
def _in_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def request(folder: Path, platform: str = "gradescope") -> OneRequest:
    (folder / "in").mkdir(exist_ok=True)
    return OneRequest(platform, folder / "in", folder / "out", labs=(LAB,))


def said(folder: Path) -> str:
    output: str = json.loads((folder / "out/results.json").read_text())["output"]
    return output


@pytest.mark.parametrize("error", [RuntimeError(CAUSE), MachineError(CAUSE), SandboxUnavailable(CAUSE), OSError(CAUSE)])
def test_whatever_breaks_the_platform_gets_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: Exception
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(autograder_commands, "open_toolset", breaks)
    assert grade_one(request(tmp_path)) == 3
    assert said(tmp_path) == NOT_GRADED
    assert CAUSE in capfd.readouterr().err
    assert grade_one(request(tmp_path, "autolab")) == 3
    told = capfd.readouterr()
    assert CAUSE not in told.out + told.err
    assert json.loads(told.out.splitlines()[-1]) == {"scores": {LAB: None}}


def test_without_a_sandbox_nothing_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def opened(_: Path, *, allow_no_sandbox: bool) -> None:
        asked.append(allow_no_sandbox)
        raise SandboxUnavailable

    monkeypatch.setattr(autograder_commands, "open_toolset", opened)
    assert grade_one(request(tmp_path)) == 3
    assert asked == [False]


def test_a_file_that_needs_a_gpu_waits_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autograder_commands, "_answer", lambda *_: (None, ()))
    assert grade_one(request(tmp_path)) == 3
    assert said(tmp_path) == NEEDS_A_GPU


def test_a_platform_or_a_lab_that_there_is_not_is_the_instructors_mistake(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="moodle"):
        grade_one(request(tmp_path, "moodle"))
    with pytest.raises(RemediableError, match="99-none"):
        grade_one(OneRequest("gradescope", tmp_path, tmp_path, labs=("99-none",)))
    assert list(tmp_path.glob("**/results.json")) == []
