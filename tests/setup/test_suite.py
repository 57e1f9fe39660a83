"""The tally that `make test` ends with: no crash, cut-short report or empty run may look like a pass."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
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
    return importlib.import_module("tests.suite")


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


def test_files_are_listed_with_what_their_tests_took_together_the_longest_first(suite: ModuleType) -> None:
    spent = '<properties><property name="processor_seconds" value="{}"/><property name="x" value="9"/></properties>'
    cases = [("tests.labs.test_a", 1.5, 1), ("tests.test_b", 30, 40.25), ("tests.labs.test_a", 2, 0.5)]
    rows = [
        f'<testcase classname="{one}" name="t" time="{clock}">{spent.format(used)}</testcase>'
        for one, clock, used in cases
    ]
    report = f"<testsuite>{''.join(rows)}{ALL_RIGHT}</testsuite>"
    assert [line.split() for line in suite.slowest(report)] == [
        ["30.0", "40.2", "tests/test_b.py"],
        ["3.5", "1.5", "tests/labs/test_a.py"],
        ["0.0", "0.0", ".py"],
    ]
    assert suite.slowest(report, tests=True)[0].split() == ["30.0", "40.2", "tests/test_b.py::t"]


@pytest.mark.parametrize(("kit", "grader"), [(0, 0), (3, 0), (0, 3), (3, 3)])
def test_both_runners_run_beside_each_other_and_either_may_fail(
    kit: int,
    grader: int,
    suite: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each waits for the other to have begun."""
    (tmp_path / "build/bin").mkdir(parents=True)
    python = tmp_path / "python"
    wait = f"""cd {tmp_path}; touch $me
for i in $(seq 600); do [ -e $other ] && break; sleep 0.05; done; [ -e $other ] || exit 9
for word; do case $word in --junitxml=* | junit::out=*) out=${{word#*=}};; esac; done
echo '{ALL_RIGHT}' >"$out"
"""
    (tmp_path / "build/bin/kit-tests").write_text(f"#!/bin/sh\nme=k other=g\n{wait}echo said by the kit\nexit {kit}\n")
    python.write_text(f"#!/bin/sh\ncase $* in *--collect-only) exit;; esac\nme=g other=k\n{wait}exit {grader}\n")
    for program in (python, tmp_path / "build/bin/kit-tests"):
        program.chmod(0o755)
    for name, value in (("ROOT", tmp_path), ("REPORTS", tmp_path / "reports")):
        monkeypatch.setattr(suite, name, value)
    monkeypatch.setattr(suite.sys, "executable", str(python))
    assert suite.main() == (1 if kit or grader else 0)
    said = capsys.readouterr().out
    assert "said by the kit" in said
    assert said.splitlines()[-1] == f"2 passed, {bool(kit) + bool(grader)} failed"
    assert {path.name for path in (tmp_path / "reports").glob("*.txt")} == {"slowest.txt", "slowest_tests.txt"}


CI_MAKEFILE = """
test:
\t@echo "$@ with $$PYTHON"; echo "kit: 3 passed, 0 failed"; echo "$(TALLY)"; test "$(TEST)" = 0
check:
\t@echo "labs: $(LAB)"; test "$(CHECK)" = 0
"""


@pytest.fixture
def landed(tmp_path: Path) -> Path:
    """A repository with .ci/run, four labs, and a merge that changed the third lab's hidden side."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(PATH.parents[1] / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "Makefile").write_text(CI_MAKEFILE, encoding="utf-8")
    for number in (1, 2, 3, 4):
        for kind in ("assignments", "solutions"):
            (tmp_path / kind / f"0{number}-x").mkdir(parents=True)
            (tmp_path / kind / f"0{number}-x/lab.toml").touch()
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    git(tmp_path, "checkout", "-q", "-b", "work")
    (tmp_path / "solutions/03-x/hidden_tests.cpp").touch()
    commit(tmp_path)
    git(tmp_path, "checkout", "-q", "main")
    git(tmp_path, "merge", "-q", "--no-ff", "-m", "landed", "work")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "more")


def ci(folder: Path, **make: str) -> tuple[int, list[str]]:
    results = {"TALLY": "8 passed, 0 failed, 2 skipped", "TEST": "0", "CHECK": "0"} | make
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = kept | results | {"LAB": ""}
    command = ["bash", str(folder / ".ci/run")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("make", "last"),
    [
        ({}, "9 passed, 0 failed, 2 skipped"),
        ({"TALLY": "8 passed, 0 failed"}, "9 passed, 0 failed"),
        ({"CHECK": "1"}, "8 passed, 1 failed, 2 skipped"),
        ({"TALLY": "8 passed, 3 failed, 2 skipped", "TEST": "1"}, "9 passed, 3 failed, 2 skipped"),
        ({"TALLY": "8 passed, 3 failed, 2 skipped", "TEST": "1", "CHECK": "1"}, "8 passed, 4 failed, 2 skipped"),
        ({"TEST": "1"}, "9 passed, 1 failed, 2 skipped"),
        ({"TALLY": "g++: no such file", "TEST": "2"}, "1 passed, 1 failed"),
        ({"TALLY": "nothing was said"}, "1 passed, 1 failed"),
    ],
)
def test_continuous_integration_ends_with_the_tally_and_counts_each_command_that_fails(
    landed: Path, make: dict[str, str], last: str
) -> None:
    status, lines = ci(landed, **make)
    assert lines[-1].rstrip() == lines[-1] == last
    assert (status != 0) == (" 0 failed" not in last)
    assert make.get("TALLY", "")[:7] != "g++: no" or make["TALLY"] in lines


def test_continuous_integration_proves_the_lab_that_changed_and_says_what_it_runs_with(landed: Path) -> None:
    lines = ci(landed)[1]
    assert lines[0].startswith("CI runs with Python 3.")
    assert "labs: 03-x" in lines
    commit_of_a_root = landed / "one"
    shutil.copytree(landed, commit_of_a_root, ignore=shutil.ignore_patterns(".git", "one"))
    git(commit_of_a_root, "init", "-q")
    commit(commit_of_a_root)
    assert "labs: 01-x" in ci(commit_of_a_root)[1]  # what was there before is not known
    git(landed, "checkout", "-q", "-b", "more")
    git(landed, "commit", "-q", "--allow-empty", "-m", "more")
    git(landed, "checkout", "-q", "main")
    git(landed, "merge", "-q", "--no-ff", "-m", "landed", "more")
    assert "no lab has changed: make check is left out" in ci(landed)[1]
