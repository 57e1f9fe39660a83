"""The tally that `make test` ends with: no crash, cut-short report or empty run may look like a pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).resolve().parents[1] / "suite.py"

REPORT = """<?xml version="1.0"?>
<testsuites><testsuite>
  <testcase name="right"/>
  <testcase name="right, and says so"><system-out>fine</system-out></testcase>
  <testcase name="wrong"><failure message="1 == 2"/></testcase>
  <testcase name="broken"><error message="no such file"/></testcase>
  <testcase name="not here"><skipped/></testcase>
</testsuite></testsuites>
"""
ALL_RIGHT = '<testsuite><testcase name="right"/></testsuite>'


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    spec = importlib.util.spec_from_file_location("suite_under_test", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def test_counts_each_outcome_of_a_junit_report(suite: ModuleType) -> None:
    assert suite.read_junit(REPORT) == suite.Tally(passed=2, failed=2, skipped=1)


def test_adds_runners_up_in_one_line(suite: ModuleType) -> None:
    assert str(suite.Tally(2, 1) + suite.Tally(3, 0)) == "5 passed, 1 failed"
    assert str(suite.Tally(2, 0, 4)) == "2 passed, 0 failed, 4 skipped"


def test_says_each_reason_for_skipping_once_and_how_many_tests_it_concerns(suite: ModuleType) -> None:
    case = '<testcase classname="tests.{}" name="t"><skipped message="{}">where</skipped></testcase>'
    cases = [
        ("gpu.test_speed", "no GPU"),
        ("gpu.test_class", "no GPU"),
        ("grader.engines.test_x", "no nvcc"),
        ("x", ""),
    ]
    report = f"<testsuite>{''.join(case.format(*one) for one in cases)}{ALL_RIGHT}</testsuite>"
    assert list(suite.skips(report)) == [
        "skipped, gpu: 2 tests: no GPU",
        "skipped, grader.engines: 1 test: no nvcc",
        "skipped, others: 1 test: no reason given",
    ]


@pytest.mark.parametrize(
    ("status", "report"),
    [
        (0, None),  # wrote nothing
        (-11, None),  # died
        (-11, ALL_RIGHT[:20]),  # died while writing
        (1, ALL_RIGHT),  # died after the last test, or failed outside any
        (0, "<testsuite/>"),  # ran no test
    ],
)
def test_a_run_that_went_wrong_is_a_failure(suite: ModuleType, status: int, report: str | None) -> None:
    assert suite.conclude(status, report).failed == 1


def test_a_failing_run_is_counted_by_its_report(suite: ModuleType) -> None:
    assert suite.conclude(1, REPORT) == suite.Tally(2, 2, 1)
    assert suite.conclude(0, ALL_RIGHT) == suite.Tally(1)


def test_python_keeps_what_it_compiles_for_the_programs_that_tests_start(
    suite: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("TILELAB_SEED", "a seed")
    assert "PYTHONDONTWRITEBYTECODE" not in suite.environment()
    assert suite.environment()["TILELAB_SEED"] == "a seed"
