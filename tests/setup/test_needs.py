"""What set-up does where something is missing and there is no apt-get, and how it finds out what is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The programs that setup.sh itself needs: no compiler, no Python, no apt-get.
TOOLS = "bash sh uname mkdir flock sha256sum cut cat dirname find head rm mv grep sort id chmod"


@pytest.fixture
def bare(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A clone with only set-up in it, and an environment with only TOOLS on its path."""
    clone, tools = tmp_path / "a clone", tmp_path / "tools"
    shutil.copytree(ROOT / "kit/setup", clone / "kit/setup")
    tools.mkdir()
    for tool in TOOLS.split():
        found = shutil.which(tool)
        assert found, tool
        (tools / tool).symlink_to(found)
    return clone, {"PATH": str(tools), "HOME": str(tmp_path), "LANG": "C.UTF-8"}


def set_up(clone: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [str(clone / "kit/setup/setup.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_names_everything_that_is_missing_and_a_remedy_for_each(bare: tuple[Path, dict[str, str]]) -> None:
    done = set_up(*bare)
    assert done.returncode == 1
    assert done.stdout == ""
    for name in ("GCC 12", "Python 3.11", "Catch2 3.4", "Boost.Context", "nlohmann-json", "libseccomp", "libsodium"):
        assert f"  {name}" in done.stderr
    needs = [line for line in done.stderr.splitlines() if line.startswith("  ") and not line.startswith("    ")]
    assert done.stderr.count("dnf install") == len(needs)


@pytest.mark.parametrize(("tool", "need"), [("g++", "GCC 12 or newer"), ("python3", "Python 3.11.2 or newer")])
def test_says_what_is_there_when_it_is_too_old(bare: tuple[Path, dict[str, str]], tool: str, need: str) -> None:
    clone, environment = bare
    old = Path(environment["PATH"]) / tool
    old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{tool} 7.5.0" && exit 0\nexit 1\n')
    old.chmod(0o755)
    said = set_up(clone, environment).stderr
    line = next(line for line in said.splitlines() if need in line)
    assert line.endswith(f"(found: {tool} 7.5.0)")


def test_without_network_says_to_connect_and_to_try_again(tmp_path: Path) -> None:
    script = """
      root=$PWD prefix=/nonexistent log=$PWD/log; for piece in say bundle needs python; do . "$0/$piece.sh"; done
      digest() { echo key; }; make_venv() { mkdir -p .venv; }; install_grader() { echo "no route to host"; return 1; }
      provide_python ''
    """
    command = ["bash", "-euc", script, str(ROOT / "kit/setup")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for words in ("no route to host", "needs the network once", "https_proxy", "run the same command again"):
        assert words in done.stderr
    assert (tmp_path / ".venv/.incomplete").exists()  # the next run starts over


def test_can_do_without_bubblewrap(bare: tuple[Path, dict[str, str]]) -> None:
    said = set_up(*bare).stderr
    assert "continuing without bubblewrap" in said
    assert "  bubblewrap" not in said


def test_leaves_no_mark_of_success_behind_a_failure(bare: tuple[Path, dict[str, str]]) -> None:
    assert set_up(*bare).returncode == set_up(*bare).returncode == 1
    assert not (bare[0] / ".tilelab/packages").exists()
    assert not (bare[0] / ".tilelab/provided").exists()


def probe(expression: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Evaluates an expression of needs.sh with an empty private prefix."""
    script = f'prefix=/nonexistent root=/nonexistent; . "$0"; {expression}'
    command = ["bash", "-uc", script, str(ROOT / "kit/setup/needs.sh")]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_passes_over_a_compiler_that_is_too_old_or_not_gcc(tmp_path: Path) -> None:
    old = tmp_path / "old-g++"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    found = probe("find_compiler", CXX=str(old)).stdout.strip()
    assert found
    assert found != str(old)


def test_finds_headers_and_libraries_under_a_folder_named_to_cmake(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "include/of_my_own.hpp").write_text("#define MY_VERSION 7\n")
    (tmp_path / "lib/libof_my_own.a").touch()
    elsewhere = {"CMAKE_PREFIX_PATH": f"/nonexistent:{tmp_path}"}
    found = "defines '<of_my_own.hpp>' 'MY_VERSION >= 7' && has_library libof_my_own.a"
    assert probe(found, **elsewhere).returncode == 0
    assert probe(found, CMAKE_PREFIX_PATH="/nonexistent").returncode != 0
    assert probe("defines '<of_my_own.hpp>' 'MY_VERSION >= 8'", **elsewhere).returncode != 0


@pytest.mark.parametrize(("printed", "accepted"), [("3.25.1", True), ("3.9.0", False), ("10.0.2", True), ("", False)])
def test_compares_a_tools_version_by_number(tmp_path: Path, printed: str, *, accepted: bool) -> None:
    tool = tmp_path / "some-tool"
    tool.write_text(f"#!/bin/sh\necho some-tool version {printed}\n")
    tool.chmod(0o755)
    found = probe("find_tool some-tool 3.22", PATH=f"{tmp_path}:{os.environ['PATH']}").stdout.strip()
    assert found == (str(tool) if accepted else "")


def test_where_no_package_list_came_the_last_line_is_about_the_network_and_not_about_an_administrator() -> None:
    """Without a network `apt-get update` warns and succeeds."""
    script = """
      root=$PWD prefix=/nonexistent; for piece in say bundle needs apt packages; do . "$0/$piece.sh"; done
      log=/dev/null
      have_apt() { true; }; may_install() { false; }; can_be_had() { true; }; find_missing() { printf '%s\\n' "$@"; }
      has_bundled_packages() { false; }; bundle_fits_system() { true; }; open_bundle() { :; }; quietly() { "${@:2}"; }
      open_private_lists() { apt_dir=$PWD; mkdir -p lists; }; close_private_lists() { :; }; get_packages() { :; }
      update_private_lists() { [ -z "$came" ] || touch lists/deb_Packages; }
      provide_needs json
    """
    told = {came: run_script(script, came) for came in ("", "yes")}
    assert {done.returncode for done in told.values()} == {1}
    assert "Check the network" in told[""].stderr.splitlines()[-1]
    assert told["yes"].stderr.splitlines()[-1] == "tilelab: install these, then run the same command again"


def run_script(script: str, came: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        words = ["bash", "-euo", "pipefail", "-c", script, str(ROOT / "kit/setup")]
        environment = {"PATH": "/usr/bin:/bin", "came": came}
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_takes_the_distributions_python_before_another_on_the_path_unless_one_is_named(tmp_path: Path) -> None:
    mine = tmp_path / "python3"
    mine.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")  # new enough, and it has pip
    mine.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    named = probe("find_python", PATH=path, PYTHON=str(mine)).stdout.strip()
    assert named == str(mine)
    if not Path("/usr/bin/python3").exists():
        pytest.skip("this distribution has no Python")
    here = '[ "$1" = /usr/bin/python3 ]'  # as if this one had pip, or no Python but mine had
    for has_pip, expected in ((here, "/usr/bin/python3"), (f"! {here}", str(mine))):
        chosen = f"unset PYTHON; pip_for() {{ ! {{ {has_pip}; }} || echo pip; }}; find_python"
        assert probe(chosen, PATH=path).stdout.strip() == expected


TEST_NEEDS = """
  root=$PWD prefix=/nonexistent packages_key=key log=/dev/null; for piece in say bundle needs apt packages; do . "$0/$piece.sh"; done
  mkdir -p .tilelab; digest() { echo "$*"; }; record() { echo "$2" >".tilelab/$1"; }; open_bundle() { :; }; bundle_fits_system() { true; }
  have_apt() { true; }; may_install() { [ "$came" != user ]; }; open_private_lists() { apt_dir=$PWD; }; close_private_lists() { :; }
  quietly() { "${@:2}"; }; update_private_lists() { true; }; has_private_lists() { true; }; show_log() { :; }
  candidate() { [ "$came" = ubuntu ] && [[ $1 = chromium* ]] || echo 1:200; }
  find_missing() { for need in "$@"; do [ -e "$need" ] || echo "$need"; done; }
  install_packages() {
    echo "apt-get $*"; [ "$came" != broken ] || return 1
    touch clang slurm; [[ "$*" != *chromium* ]] || touch chromium
  }
  download_packages() { echo "unpacked"; }
  provide_test_needs; provide_test_needs
"""


@pytest.mark.parametrize(
    ("machine", "installed", "left_out"),
    [
        ("root", "chromium-headless-shell clang slurmctld slurmd slurm-client munge", ""),
        ("ubuntu", "clang slurmctld slurmd slurm-client munge", "chromium"),
        ("broken", "chromium-headless-shell clang slurmctld slurmd slurm-client munge", "chromium clang slurm"),
        ("user", "", "chromium clang slurm"),
    ],
)
def test_what_only_tests_need_is_installed_once_where_that_is_allowed_and_else_one_line_says_so(
    machine: str, installed: str, left_out: str
) -> None:
    done = run_script(TEST_NEEDS, machine)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ([f"apt-get {installed}"] if installed else [])
    lines = [line for line in done.stderr.splitlines() if "left out" in line]
    assert len(lines) == (2 if left_out else 0)  # one each time
    for line in lines:
        assert f"skipped: {left_out}. On Debian" in line
        assert "apt-get install chromium-headless-shell" in line


def test_set_up_looks_for_the_browser_and_the_cluster_that_the_tests_look_for() -> None:
    text = (ROOT / "tests/conftest.py").read_text(encoding="utf-8")
    there = re.search(r"shutil\.which, \((.*?)\)", text)
    assert there
    needs = (ROOT / "kit/setup/needs.sh").read_text(encoding="utf-8")
    line = next(line for line in needs.splitlines() if line.startswith("    chromium) command"))
    assert re.findall(r"command -v ([\w-]+)", line) == re.findall(r'"([\w-]+)"', there[1])
    slurm = (ROOT / "tests/grader/plugins/slurm/real_slurm.py").read_text(encoding="utf-8")
    programs = re.search(r"^PROGRAMS = \((.*)\)", slurm, re.MULTILINE)
    assert programs
    assert f"slurm_programs=({' '.join(re.findall(r'[a-z]+', programs[1]))})" in needs
