"""The table of compilers counts what was run, and names what went otherwise."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = [pytest.mark.long, pytest.mark.in_turn(3)]

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "tests" / "toolchain_table.py"
REPORT = """<?xml version="1.0"?>
<testsuites><testsuite>
  <testcase classname="tests.labs.test_models" name="model"/>
  <testcase classname="tests.labs.test_accepted" name="style[one]"><failure message="race"/></testcase>
  <testcase classname="tests.labs.test_rejects" name="reject[two]"/>
  <testcase classname="tests.labs.test_crashes" name="deep"><skipped/></testcase>
  <testcase classname="tests.labs.test_trace" name="of no column"><failure/></testcase>
</testsuite></testsuites>
"""


@pytest.fixture(scope="module")
def table() -> ModuleType:
    return importlib.import_module("tests.toolchain_table")


def test_a_row_counts_each_group_and_what_failed_is_named(table: ModuleType) -> None:
    tallies, failed = table.tallies_of(REPORT)
    assert tallies == {"correct": (1, 2), "wrong": (1, 1), "exploits": (0, 0)}
    assert failed == ["style[one]"]
    assert table.row("g++ 99", (15, 16), tallies) == "| g++ 99 | 15 of 16 | 1 of 2 | 1 of 1 | none |"


def test_a_sample_holds_all_exploits_and_no_test_twice(table: ModuleType) -> None:
    corpus = [f"tests/labs/test_accepted.py::test_it[{number}]" for number in range(10)]
    exploits = [
        f"tests/labs/test_kernel_exploits.py::test_it[{which}-{name}]"
        for which in ("the kit's", "clang++")
        for name in "ab"
    ]
    listed = "\n".join([*corpus, *exploits, "", "14 tests collected"])
    assert table.sampled(listed, 5) == [corpus[0], corpus[5], *exploits[:2]]
    assert table.sampled(listed, 1) == [*corpus, *exploits[:2]]


def test_the_columns_tests_are_there(table: ModuleType) -> None:
    files = [ROOT / "tests" / "labs" / file for files in table.GROUPS.values() for file in files]
    assert [file.name for file in files if not file.is_file()] == []


def test_a_compiler_that_builds_nothing_is_not_let_pass(tmp_path: Path) -> None:
    compiler = tmp_path / "g++-99"
    compiler.write_text("#!/bin/sh\necho 'g++ 99.1'; exit 1\n", encoding="utf-8")
    compiler.chmod(0o755)
    command = [sys.executable, str(PATH), "--every", "1000", str(compiler)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "| g++ 99.1 | none |" in done.stdout
    assert f"{compiler}: " in done.stderr
