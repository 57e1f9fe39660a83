"""CMake by hand: presets, CTest beside the Make targets, and warnings that are errors in continuous integration alone."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CMAKE = Path((ROOT / "build/.cmake").read_text(encoding="utf-8").strip())
PREFIX = f"-DCMAKE_PREFIX_PATH={ROOT / '.tilelab/prefix/usr'}"
WARNS = "int f() {\n  int nobody_reads_this = 1;\n  return 0;\n}\n"


def run(*command: str | Path, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"TILELAB_WERROR", "TILELAB_UNITY"}}
    return subprocess.run(command, cwd=folder, env={**kept, **environment}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("preset", "stops"), [("default", False), ("ci", True)])
def test_a_warning_stops_continuous_integration_and_nobody_else(tmp_path: Path, preset: str, *, stops: bool) -> None:
    done = run(CMAKE, "--preset", preset, "-B", tmp_path / "build")
    assert done.returncode == 0, done.stderr
    entries = json.loads((tmp_path / "build/compile_commands.json").read_text(encoding="utf-8"))
    assert {"-Werror" in shlex.split(entry["command"]) for entry in entries} == {stops}
    launcher = next(entry for entry in entries if entry["file"].endswith("confine_main.cpp"))
    source = tmp_path / "warns.cpp"
    source.write_text(WARNS, encoding="utf-8")
    words = [word if word != launcher["file"] else str(source) for word in shlex.split(launcher["command"])]
    words[words.index("-o") + 1] = str(tmp_path / "warns.o")
    compiled = run(*words, folder=tmp_path)
    assert "nobody_reads_this" in compiled.stderr
    assert (compiled.returncode != 0) == stops


@pytest.mark.parametrize(("given", "asked"), [({}, "OFF"), ({"TILELAB_WERROR": "1"}, "ON"), ({"CI": "true"}, "OFF")])
def test_set_up_makes_warnings_errors_only_where_it_is_told_to(
    tmp_path: Path, given: dict[str, str], asked: str
) -> None:
    cmake = tmp_path / "cmake"
    cmake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    cmake.chmod(0o755)
    (tmp_path / "build").mkdir()
    script = f'prefix=here; find_tool() {{ echo "{cmake}"; }}; find_compiler() {{ echo g++; }}; . "$0"; configure'
    done = run("bash", "-euc", script, ROOT / "kit/setup/build.sh", folder=tmp_path, **given)
    assert done.returncode == 0, done.stderr
    assert f"-DTILELAB_WERROR={asked}" in done.stdout.splitlines()


def test_continuous_integration_tells_it_and_ends_with_the_tally(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    make = tools / "make"
    make.write_text(
        '#!/bin/sh\necho "make $* with $TILELAB_WERROR"\necho "1 passed, 2 failed"\nexit 1\n',
        "utf-8",
    )
    make.chmod(0o755)
    done = run(ROOT / ".ci/run", PATH=f"{tools}:{os.environ['PATH']}")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "make test with 1" in lines
    # A lab's proofs fail here too, where one has changed.
    assert lines[-1] in {"1 passed, 2 failed", "1 passed, 3 failed"}


def listed(preset: str) -> list[dict[str, Any]]:
    """The tests that CTest would run."""
    done = run(CMAKE.with_name("ctest"), "--preset", preset, "--show-only=json-v1")
    assert done.returncode == 0, done.stderr
    tests: list[dict[str, Any]] = json.loads(done.stdout)["tests"]
    return tests


def test_ctest_knows_each_of_the_kits_tests_by_its_name() -> None:
    known = run(ROOT / "build/bin/kit-tests", "--list-tests", "--verbosity", "quiet").stdout.splitlines()
    assert sorted(test["name"] for test in listed("default")) == sorted(name.strip() for name in known)


@pytest.mark.parametrize("preset", ["grader", "lint"])
def test_ctest_runs_the_other_checks_where_their_commands_are(preset: str) -> None:
    [test] = listed(preset)
    assert test["name"] == preset
    program = Path(test["command"][0])
    assert shutil.which(program if program.is_absolute() or program.parent == Path() else ROOT / program)
    folder = next(one["value"] for one in test["properties"] if one["name"] == "WORKING_DIRECTORY")
    assert Path(folder) == ROOT


def test_a_handout_which_has_no_tests_of_the_kit_is_configured_all_the_same(tmp_path: Path) -> None:
    shutil.copy(ROOT / "CMakeLists.txt", tmp_path)
    for folder in ("kit", "assignments", "grader"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copytree(
        tmp_path / "assignments/01-naive", tmp_path / "assignments/01-naive (copy)"
    )  # a student's, which is no lab
    (tmp_path / "handout.json").write_text("{}")
    done = run(CMAKE, "-S", tmp_path, "-B", tmp_path / "build", PREFIX)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "build/CTestTestfile.cmake").exists()
    cache = (tmp_path / "build/CMakeCache.txt").read_text(encoding="utf-8")
    assert "TILELAB_UNITY:BOOL=ON" in cache  # its sources are compiled several at once


@pytest.mark.parametrize(("given", "together"), [((), True), (("-DTILELAB_UNITY=OFF",), False)])
def test_sources_of_the_kit_and_its_tests_are_compiled_together_unless_that_is_turned_off(
    tmp_path: Path, given: tuple[str, ...], *, together: bool
) -> None:
    done = run(CMAKE, "-S", ROOT, "-B", tmp_path / "build", PREFIX, *given, folder=ROOT)
    assert done.returncode == 0, done.stderr
    entries = json.loads((tmp_path / "build/compile_commands.json").read_text(encoding="utf-8"))
    files = [Path(entry["file"]) for entry in entries]
    tests = set((ROOT / "tests/kit").rglob("*_test.cpp"))
    batches = [path for path in files if path.parent == tmp_path / "build/generated"]
    included = re.compile(r'^#include "(/.*_test\.cpp)"$', re.MULTILINE)
    beside = [Path(one) for path in batches for one in included.findall(path.read_text())]
    alone = [path for path in files if path in tests]
    assert tests
    assert sorted(beside + alone) == sorted(tests)  # each is compiled once
    assert (len(beside) > len(alone)) is together
    assert together or not beside
    assert any(path.parent.name == "Unity" for path in files) is together
