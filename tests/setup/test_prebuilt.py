"""A kit that comes built: used where its sources are the same and its programs run, and else one sentence says why it is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = "kit/prebuilt/$(uname -m).tar.xz"
# Set-up's own pieces. `build from` has been made elsewhere; nothing in a test builds anything.
SCRIPT = """
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/log
for piece in say bundle needs python parts build prebuilt; do . "kit/setup/$piece.sh"; done
digest() { for word in "$@"; do printf '%s\\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum | cut -d ' ' -f 1; }
record() { printf '%s\\n' "$2" >".tilelab/$1"; }
find_compiler() { echo "${COMPILER:-g++}"; }
"""
TOOLS = {  # in place of the machine's: what is packed in these tests is no program
    "g++": '[ "$1" = -dumpversion ] && echo "${GCC:-12.2.0}" || echo "g++ ${GCC:-12.2.0}"',
    "strip": 'cp "$3" "$2"',
}
USE = "if comes_built && take_prebuilt; then echo used; else echo not used; fi"


def sources(folder: Path) -> Path:
    """A course or a handout with one lab."""
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".tilelab").mkdir()
    (folder / "assignments/01-add").mkdir(parents=True)
    for name in ("CMakeLists.txt", "kit/machine.cpp", "assignments/01-add/public_tests.cpp"):
        (folder / name).write_text("one\n")
    return folder


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """One whose kit is built."""
    folder = sources(tmp_path / "a course")
    for name in (
        "broker",
        "confine",
        "gpu-runner",
        "launch",
        "launch-problem",
        "judge-described",
        "judge-01-add-public",
        "judge-01-add",
    ):
        program = folder / "build/bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\nexit 2\n")
        program.chmod(0o755)
    (folder / "build/lib").mkdir()
    (folder / "build/lib/libtilelab_runner.a").write_text("archive")
    kit = {"compiler": "g++", "host_archives": [], "host_includes": [], "on_demand": ["broker"]}
    kit |= {"archives": [f"{folder}/build/lib/libtilelab_runner.a"], "includes": [f"{folder}/kit/include"]}
    (folder / "build/kit.json").write_text(json.dumps(kit))
    run(folder, "note_build")
    (folder / "kit/canaries").mkdir()
    (folder / "kit/canaries/one.cu").write_text("// canary: pass\n")
    run(folder, "what_is_tried g++ >build/.tried")
    return folder


@pytest.fixture
def folder(course: Path, tmp_path: Path) -> Path:
    """A student's, with the kit that was built for the course."""
    made = sources(tmp_path / "my Übung")
    run(made, f"make_prebuilt '{course}/build'")
    return made


def run(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    tools = folder.parent / "tools"
    if not tools.is_dir():
        tools.mkdir()
        for name, text in TOOLS.items():
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
    words = ["bash", "-euo", "pipefail", "-c", SCRIPT + script]
    done = subprocess.run(
        words,
        cwd=folder,
        env={"PATH": f"{tools}:/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_folder_with_a_built_kit_takes_it_once_and_compiles_nothing(folder: Path) -> None:
    done = run(folder, USE)
    assert (done.stdout, done.stderr) == ("used\n", "tilelab: unpacking the kit, which came built\n")
    kit = json.loads((folder / "build/kit.json").read_text())
    assert kit["archives"] == [f"{folder}/build/lib/libtilelab_runner.a"]
    assert kit["includes"] == [f"{folder}/kit/include"]
    assert (kit["compiler"], kit["on_demand"]) == ("g++", [])
    assert (folder / "build/bin/judge-01-add-public").stat().st_mode & 0o777 == 0o755
    assert not (folder / "build/bin/judge-01-add").exists(), "hidden tests are nothing that a student gets"
    assert {path.name for path in (folder / "build/parts").iterdir()} >= {
        "broker",
        "tilelab_host",
        "judge-01-add-public",
    }
    assert (run(folder, USE).stdout, run(folder, USE).stderr) == ("used\n", "")


def test_a_compiler_that_was_tried_where_the_kit_was_built_is_not_tried_again(folder: Path) -> None:
    (folder / "kit/canaries").mkdir()
    (folder / "kit/canaries/one.cu").write_text("// canary: pass\n")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/tilelab").write_text("#!/bin/sh\ntouch tried-here\n")
    (folder / ".venv/bin/tilelab").chmod(0o755)
    run(folder, f"{USE}\ntry_compiler")
    assert not (folder / "tried-here").exists()
    run(folder, "try_compiler", GCC="13.1.0")
    assert (folder / "tried-here").exists()


def test_work_in_a_lab_and_other_times_of_files_change_nothing(folder: Path) -> None:
    run(folder, USE)
    (folder / "assignments/01-add/add.cu").write_text("// my kernel\n")
    (folder / "kit/machine.cpp").touch()
    (folder / "assignments/01-add/mine.hpp").write_text("// not of the kit\n")
    assert (run(folder, USE).stdout, run(folder, USE).stderr) == ("used\n", "")


def test_after_other_times_no_program_is_older_than_its_sources(folder: Path) -> None:
    run(folder, USE)
    source = folder / "assignments/01-add/public_tests.cpp"
    os.utime(source, (time.time() + 100, time.time() + 100))
    os.utime(folder / "build/bin/judge-01-add-public", (1, 1))
    run(folder, USE)
    assert (folder / "build/bin/judge-01-add-public").stat().st_mtime > 1


@pytest.mark.parametrize("lost", ["build/kit.json", "build/bin/judge-01-add-public"])
def test_what_is_missing_is_unpacked_again(folder: Path, lost: str) -> None:
    run(folder, USE)
    (folder / lost).unlink()
    assert run(folder, USE).stdout == "used\n"
    assert (folder / lost).is_file()


def test_a_moved_folder_takes_it_again_with_its_new_place(folder: Path) -> None:
    run(folder, USE)
    moved = folder.rename(folder.with_name("elsewhere"))
    assert run(moved, USE).stdout == "used\n"
    assert json.loads((moved / "build/kit.json").read_text())["includes"] == [f"{moved}/kit/include"]


@pytest.mark.parametrize(
    ("change", "variables", "because"),
    [
        ("echo two >>kit/machine.cpp", {}, "some of its files have changed since"),
        ("", {"GCC": "11.4.0"}, "that was built with GCC 12, which is newer than this machine's"),
        (f"head -c 300 {ARCHIVE} >a && mv a {ARCHIVE}", {}, "its archive cannot be read by /usr/bin/python3"),
    ],
)
def test_what_does_not_fit_is_said_once_and_the_build_of_before_stays(
    folder: Path, change: str, variables: dict[str, str], because: str
) -> None:
    run(folder, USE)
    done = run(folder, f"{change}\nrm -f build/.prebuilt; {USE}", **variables)
    assert done.stdout == "not used\n"
    last = f"tilelab: this folder came with a built kit, and {because}: the kit is built from its sources (once)"
    assert done.stderr.splitlines()[-1] == last
    assert (folder / "build/kit.json").is_file()
    assert not (folder / "build.new").exists()
    assert (run(folder, USE, **variables).stdout, run(folder, USE, **variables).stderr) == ("not used\n", "")


def test_programs_that_do_not_run_here_are_not_used(course: Path, tmp_path: Path) -> None:
    (course / "build/bin/launch").write_text("#!/no/such/loader\n")
    made = sources(tmp_path / "older")
    run(made, f"make_prebuilt '{course}/build'")
    done = run(made, USE)
    assert done.stdout == "not used\n"
    assert "its programs do not run on this machine" in done.stderr


@pytest.mark.parametrize("name", ["broker", "launch-problem"])
def test_a_program_that_lacks_a_library_here_is_not_used(course: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "gone.c").write_text("int gone(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("int gone(void); int main(void) { return gone(); }\n")
    library = tmp_path / "libgone.so"
    subprocess.run(["gcc", "-shared", "-o", library, tmp_path / "gone.c"], check=True)
    subprocess.run(["gcc", "-o", course / "build/bin" / name, tmp_path / "main.c", library], check=True)
    library.unlink()
    made = sources(tmp_path / "without")
    run(made, f"make_prebuilt '{course}/build'")
    done = run(made, USE)
    assert done.stdout == "not used\n"
    assert "its programs do not run on this machine" in done.stderr


def test_a_newer_archive_is_tried_although_an_older_one_was_refused(folder: Path, course: Path) -> None:
    assert run(folder, f"echo two >>kit/machine.cpp\n{USE}").stdout == "not used\n"
    (course / "kit/machine.cpp").write_text("one\ntwo\n")
    run(course, "note_build")
    run(folder, f"make_prebuilt '{course}/build'")
    assert run(folder, USE).stdout == "used\n"


def test_a_build_that_is_older_than_its_sources_is_not_packed(course: Path, tmp_path: Path) -> None:
    (course / "kit/machine.cpp").write_text("two\n")
    made = sources(tmp_path / "another")
    done = run(made, f"(make_prebuilt '{course}/build') || echo refused")
    assert done.stdout == "refused\n"
    assert "run make setup there" in done.stderr
    assert not (made / "kit/prebuilt").exists()
