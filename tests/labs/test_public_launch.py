"""`tilelab trace` and `tilelab profile` for a problem that registers no sizes: they watch a launch of the lab's public tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.run.launches import lab_launch

ROOT = Path(__file__).resolve().parents[2]
SUM = ROOT / "solutions" / "06-reduction" / "sum_reduce.cu"


@pytest.fixture(autouse=True)
def _unregistered(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = lab_launch.watch_public_launch

    def of_the_tests(toolset: Toolset, lab: Lab, runner: Path, asked: Mapping[str, Any], *, seconds: float) -> bytes:
        return watch(toolset, lab, runner, {**asked, "problem": "nobodys"}, seconds=seconds)

    monkeypatch.setattr(lab_launch, "watch_public_launch", of_the_tests)


def told(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    done = CliRunner().invoke(app, [arguments[0], str(SUM), *arguments[1:]])
    return done.exit_code, done.stdout, done.stderr


def test_a_launch_of_the_public_tests_is_traced_step_by_step() -> None:
    status, shown, said = told("trace", "--no-page")
    assert (status, said) == (0, "")
    assert "sum_reduce.cu, n=32, inputs: whole numbers" in shown  # not n=1, which shows nothing
    assert "sum[0" in shown


def test_the_largest_launch_of_the_public_tests_is_profiled_and_not_scaled_up() -> None:
    status, shown, said = told("profile", "--json", "--gpu", "T4")
    assert (status, said) == (0, "")
    report = json.loads(shown)
    assert report["metrics"]
    assert report["modelled"]["shape"] == report["shape"]


@pytest.mark.parametrize("command", ["trace", "profile"])
def test_a_shape_that_no_public_test_has_is_refused_with_those_that_there_are(command: str) -> None:
    status, shown, said = told(command, "--shape", "7777")
    assert (status, shown) == (2, "")
    assert "7777 cannot be" in said
    assert "judge::traces" in said
    assert "launches of the public tests: 1, " in said
