"""`make lint` and `make format` set up Python and nothing else; `make test` after them gets the rest. Nothing is fetched here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Put after set-up's own pieces: they write down what they were asked for and take from nowhere.
PRETENDED = """
make_venv() { mkdir -p .venv/bin && ln -sf "$(command -v "$1")" .venv/bin/python && printf '%s\\n' "$root" >.venv/.root; }
install_grader() { echo "install ${1:-nothing more}" >>done; }
pip_install() { echo "fetch $*" >>done; }
build_kit() { echo "build ${1:-the kit}" >>done; }
provide_toolkit() { :; }
try_compiler() { echo "try the compiler" >>done; }
provide_test_needs() { echo "need ${test_needs[*]}" >>done; }
"""
WITHOUT_PACKAGES = 'provide_needs() { echo "need $*" >>done; }\nfind_tool() { :; }\n'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    clone = tmp_path / "a clone"
    shutil.copytree(ROOT / "kit/setup", clone / "kit/setup")
    shutil.copy(ROOT / "pyproject.toml", clone)
    return clone


def pretend(clone: Path, functions: str) -> None:
    last = clone / "kit/setup/pack.sh"
    last.write_text(last.read_text(encoding="utf-8") + functions, encoding="utf-8")


def set_up(clone: Path, what: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(clone / "kit/setup/setup.sh"), what]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def done(clone: Path) -> list[str]:
    """What was done since the last time this was asked."""
    written = clone / "done"
    lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
    written.unlink(missing_ok=True)
    return lines


def test_they_need_python_alone_and_build_nothing(clone: Path) -> None:
    pretend(clone, PRETENDED + WITHOUT_PACKAGES)
    assert set_up(clone, "dev").returncode == 0
    assert done(clone) == ["need python pip", "install dev"]
    assert not (clone / "build").exists()


def test_the_second_time_does_nothing(clone: Path) -> None:
    pretend(clone, PRETENDED + WITHOUT_PACKAGES)
    set_up(clone, "dev")
    done(clone)
    again = set_up(clone, "dev")
    assert (again.returncode, again.stderr, done(clone)) == (0, "", [])


def test_what_is_built_afterwards_gets_packages_and_build_tools_and_keeps_the_checkers(clone: Path) -> None:
    pretend(clone, PRETENDED + WITHOUT_PACKAGES)
    set_up(clone, "dev")
    done(clone)
    assert set_up(clone, "test").returncode == 0
    everything = "need compiler python pip catch2 boost json seccomp sodium bubblewrap"
    for_tests = "need chromium clang slurm"
    assert done(clone) == [everything, for_tests, "fetch cmake ninja", "build test", "try the compiler"]
    assert (clone / ".venv/.has-dev").exists()
    set_up(clone, "test")
    assert done(clone) == [for_tests, "build test", "try the compiler"]
    set_up(clone, "")
    assert not any("chromium" in line for line in done(clone))  # nobody who grades gets a browser


def test_a_venv_made_anew_looks_for_its_build_tools_anew(clone: Path) -> None:
    pretend(clone, PRETENDED + WITHOUT_PACKAGES)
    set_up(clone, "test")
    done(clone)
    shutil.rmtree(clone / ".venv")
    set_up(clone, "test")
    _, first, *both, last = done(clone)
    assert (first, last) == ("fetch cmake ninja", "try the compiler")
    assert sorted(both) == ["build test", "install test"]  # at the same time


def test_other_packages_are_installed_while_the_kit_is_built(clone: Path) -> None:
    pretend(clone, PRETENDED + WITHOUT_PACKAGES)
    set_up(clone, "test")
    (clone / "pyproject.toml").write_text("changed", encoding="utf-8")
    done(clone)
    said = set_up(clone, "test")
    _, *both, last = done(clone)
    assert (said.returncode, sorted(both), last) == (0, ["build test", "install test"], "try the compiler")


def test_a_failure_of_what_is_installed_meanwhile_ends_set_up_with_its_sentence(clone: Path) -> None:
    fails = 'install_grader() { echo "no route to host"; return 1; }\n'
    pretend(clone, PRETENDED + fails + WITHOUT_PACKAGES)
    failed = set_up(clone, "")
    assert failed.returncode == 1
    assert "no route to host" in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("tilelab: pip could not install the grader's packages.")
    assert done(clone)[-1] == "build the kit"  # and did not try the compiler


def test_where_there_is_no_compiler_they_work_and_the_build_says_what_is_missing(clone: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    names = "bash chmod uname mkdir flock sha256sum cut cat dirname find head rm mv grep sort id ln touch tail tr"
    for tool in names.split():
        found = shutil.which(tool)
        assert found, tool
        (tools / tool).symlink_to(found)
    python = tools / "python3"  # no link: that would be the machine's Python, which may lack pip
    python.write_text(f'#!{tools}/bash\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    pretend(clone, PRETENDED)
    lint = set_up(clone, "dev", PATH=str(tools))
    assert lint.returncode == 0, lint.stderr
    assert "GCC 12" not in lint.stderr
    test = set_up(clone, "test", PATH=str(tools))
    assert test.returncode == 1
    assert "GCC 12" in test.stderr
    assert done(clone) == ["install dev"]


@pytest.mark.parametrize("target", ["lint", "format"])
def test_each_asks_for_these_tools_and_no_more(clone: Path, target: str) -> None:
    shutil.copy(ROOT / "Makefile", clone)
    recorder = clone / "kit/setup/setup.sh"
    recorder.write_text('#!/bin/sh\necho "set up $*" >>done\nexit 1\n', encoding="utf-8")
    asked = subprocess.run(["make", target], cwd=clone, capture_output=True, text=True, check=False)
    assert asked.returncode != 0
    assert done(clone) == ["set up dev"]
