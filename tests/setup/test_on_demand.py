"""Parts that a handout's first build leaves out: built when a command needs them, kept up to date afterwards, and never half-made."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Set-up's own pieces, with a build that writes down its targets, and fails where `broken` is.
SCRIPT = """
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/log
for piece in say bundle needs python parts build; do . "kit/setup/$piece.sh"; done
digest() { echo key; }
find_compiler() { echo g++; }
disk_is_full() { return 1; }
configure() {
  printf '{"archives": ["launch-problem"],\\n  "on_demand" :\\n  [\\n "launch-problem",\\n "judge-01-add-public" ]\\n}' >build/kit.json
  printf '#!/bin/sh\\necho "$@" >>targets\\n[ ! -e broken ]\\n' >build/cmake && chmod +x build/cmake && echo build/cmake >build/.cmake
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my Übung"
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup")
    (folder / ".tilelab").mkdir()
    (folder / "assignments/01-add").mkdir(parents=True)
    (folder / "assignments/01-add/public_tests.cpp").write_text("// a test\n")
    assert run(folder, 'build_kit ""').returncode == 0
    return folder


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-euo", "pipefail", "-c", SCRIPT + script]
    return subprocess.run(words, cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)


def targets(folder: Path) -> list[list[str]]:
    """Those of each build so far."""
    lines = (folder / "targets").read_text().splitlines()
    return [line.partition("--target ")[2].split() for line in lines]


def test_a_first_build_has_no_part_and_one_that_is_asked_for_is_built_once_with_a_line(folder: Path) -> None:
    assert targets(folder) == [["all"]]
    done = run(folder, "provide_parts launch-problem judge-01-add-public")
    assert done.stderr == (
        "tilelab: building what times kernels on a GPU, the tests of 01-add "
        "(once; nothing in this folder needed it before)\n"
    )
    assert targets(folder)[1:] == [["all", "launch-problem", "judge-01-add-public"]]
    done = run(folder, "provide_parts launch-problem")
    assert (done.returncode, done.stderr, len(targets(folder))) == (0, "", 2)


def test_every_later_build_keeps_the_parts_up_to_date_that_are_there(folder: Path) -> None:
    run(folder, "provide_parts judge-01-add-public")
    run(folder, 'build_kit ""')
    assert targets(folder)[-1] == ["all", "judge-01-add-public"]
    shutil.rmtree(folder / "assignments/01-add")  # an upgrade may take a lab away
    run(folder, 'build_kit ""')
    assert targets(folder)[-1] == ["all"]


def test_a_part_that_did_not_build_is_tried_again(folder: Path) -> None:
    (folder / "broken").touch()
    done = run(folder, "provide_parts launch-problem")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "tilelab: this part of the kit does not build"
    assert not (folder / "build/parts").exists()
    (folder / "broken").unlink()
    assert run(folder, "provide_parts launch-problem").returncode == 0
    assert (folder / "build/parts/launch-problem").exists()


def test_what_the_kit_does_not_leave_out_is_not_built_again(folder: Path) -> None:
    assert run(folder, "provide_parts launch archives").stderr == ""
    assert len(targets(folder)) == 1


def test_in_a_moved_folder_the_kit_is_built_anew_where_the_part_is_not_there(folder: Path) -> None:
    run(folder, "provide_parts launch-problem")
    moved = folder.rename(folder.with_name("elsewhere"))
    assert "is used again" in run(moved, 'build_kit ""').stderr
    assert run(moved, "provide_parts launch-problem").stderr == ""
    first, *_ = run(moved, "provide_parts judge-01-add-public").stderr.splitlines()
    assert first == (
        f"tilelab: this folder was moved or copied from {folder}, and the tests of 01-add was not built there: "
        "the kit is built anew (once)"
    )
    assert (moved / "build/parts/judge-01-add-public").exists()


def test_a_handout_leaves_out_labs_and_tools_and_a_clone_nothing(tmp_path: Path) -> None:
    kit = json.loads((ROOT / "build/kit.json").read_text(encoding="utf-8"))
    assert kit["on_demand"] == []
    for name in ("CMakeLists.txt", "kit", "assignments"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "grader/model").mkdir(parents=True)
    (tmp_path / "grader/model/verdicts.py").symlink_to(ROOT / "grader/model/verdicts.py")
    (tmp_path / "handout.json").write_text("{}")
    cmake = (ROOT / "build/.cmake").read_text().strip()
    command: list[str | Path] = [cmake, "-S", tmp_path, "-B", tmp_path / "build", "-G", "Unix Makefiles"]
    command += [f"-DCMAKE_CXX_COMPILER={kit['compiler']}", f"-DCMAKE_PREFIX_PATH={ROOT / '.tilelab/prefix/usr'}"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ)
    left_out = set(json.loads((tmp_path / "build/kit.json").read_text(encoding="utf-8"))["on_demand"])
    labs = {f"judge-{path.parent.name}-public" for path in ROOT.glob("assignments/*/public_tests.cpp")}
    assert left_out == {"tilelab_host", "gpu-runner", "launch-problem", "broker", "judge-described", *labs}
    help_text = subprocess.run(
        ["make", "-C", tmp_path / "build", "help"], check=True, capture_output=True, text=True
    ).stdout
    assert all(f"... {one}\n" in help_text for one in left_out)


CLOSURE = 'include(%s)\nproblem_closure(found %s all %s)\nmessage(STATUS "found: ${found}")\n'
FILES = {
    "add.hpp": "",
    "add.cpp": '#include "problems/add.hpp"\n#include "problems/tree.hpp"\n',
    "add_trace.cpp": '#include <a>\n#  include "problems/add.hpp"  // and why\n',
    "tree.hpp": '#include "problems/node.hpp"\n',
    "tree.cpp": '#include "problems/tree.hpp"\n',
    "node.hpp": "",
    "node.cpp": '#include "problems/node.hpp"\n',
    "other.hpp": "",
    "other.cpp": '#include "problems/other.hpp"\n',
    "alone.cpp": '#include "judge/bench.hpp"\n',
}


@pytest.fixture
def closure(tmp_path: Path) -> list[str]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "tests.cpp").write_text('// "problems/other.hpp"\n#include "problems/add.hpp"\n')
    sources = ";".join(str(path) for path in sorted(tmp_path.glob("*.cpp")) if path.name != "tests.cpp")
    script = tmp_path / "closure.cmake"
    module = ROOT / "kit/problems/problem_closure.cmake"
    script.write_text(
        f'cmake_minimum_required(VERSION 3.22)\nset(all "{sources}")\nmacro(set_property)\nendmacro()\n'
        + CLOSURE % (module, tmp_path, tmp_path / "tests.cpp")
    )
    cmake = (ROOT / "build/.cmake").read_text().strip()
    said = subprocess.run([cmake, "-P", script], capture_output=True, text=True, check=True).stdout
    return [Path(one).name for one in said.strip().partition("found: ")[2].split(";")]


def test_a_judge_has_the_problems_that_its_tests_include_and_what_these_need(closure: list[str]) -> None:
    assert sorted(closure) == ["add.cpp", "add_trace.cpp", "node.cpp", "tree.cpp"]


def test_a_judge_for_kernels_refuses_a_program_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "program.json").write_text("{}")
    command: list[str | Path] = [
        ROOT / "build/bin/judge-01-naive-public",
        "--program",
        tmp_path / "program.json",
        "--report",
        tmp_path / "r",
    ]
    task = json.dumps({"key": "00" * 32})
    done = subprocess.run(command, input=task, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "judge: this judge was linked for kernels alone: lab.toml has no contract for host code\n"
    assert not (tmp_path / "r").exists()
