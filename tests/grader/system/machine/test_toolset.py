"""A judge is used only while it is newer than its sources."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError


@pytest.fixture
def built(tmp_path: Path) -> Toolset:
    """A course of one lab whose two judges were built after everything else."""
    sources = ("assignments/one/public_tests.cpp", "solutions/one/hidden_tests.cpp", "kit/problems/p.hpp")
    for place in (*sources, "build/bin/judge-one", "build/bin/judge-one-public"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
        os.utime(tmp_path / place, ns=(2_000, 2_000) if place.startswith("build") else (1_000, 1_000))
    nothing = cast("Any", None)
    return Toolset(tmp_path, tmp_path / "build", nothing, "g++ 12", nothing)


def test_a_judge_that_is_newer_than_its_sources_is_used(built: Toolset) -> None:
    assert built.judge_program("one", public_only=False).name == "judge-one"
    assert built.judge_program("one", public_only=True).name == "judge-one-public"


@pytest.mark.parametrize(
    "changed", ["solutions/one/hidden_tests.cpp", "assignments/one/public_tests.cpp", "kit/problems/p.hpp"]
)
def test_a_judge_that_is_older_is_refused_by_the_files_name(built: Toolset, changed: str) -> None:
    os.utime(built.root / changed, ns=(3_000, 3_000))
    with pytest.raises(RemediableError, match="run `make setup`") as caught:
        built.judge_program("one", public_only=False)
    assert changed in str(caught.value)


def test_a_hidden_test_that_was_changed_does_not_concern_a_student(built: Toolset) -> None:
    os.utime(built.root / "solutions/one/hidden_tests.cpp", ns=(3_000, 3_000))
    assert built.judge_program("one", public_only=True)


def test_a_judge_that_is_not_there_says_how_to_get_it(built: Toolset) -> None:
    with pytest.raises(RemediableError, match="make setup"):
        built.judge_program("two", public_only=True)


def test_the_build_makes_a_judge_again_for_each_source_that_it_is_compared_with() -> None:
    root = Path(__file__).resolve().parents[4]
    nothing = cast("Any", None)
    toolset = Toolset(root, root / "build", nothing, "g++ 12", nothing)
    rules = (root / "build" / "build.ninja").read_text(encoding="utf-8").splitlines()
    (rule,) = [one.replace("$ ", " ") for one in rules if one.startswith("build bin/judge-01-naive:")]
    compared = list(toolset._judge_sources("01-naive", public_only=False))
    assert [one.name for one in compared if "tests" not in one.name and f" {one} " not in f"{rule} "] == []
