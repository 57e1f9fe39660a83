"""Every target of `make help`, really run on a small input: what it says, and how it ends. Three that take long take turns. A new
target needs a line here.

The commands run in a copy of this clone that shares what was built. Set-up itself is left out there, and tried in its own tests.
What a target does where there is a GPU is tried in tests/gpu.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus_sample import sample

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

ROOT = Path(__file__).resolve().parents[2]
LAB = "01-naive"
_HAS_GPU = Path("/dev/nvidiactl").exists()
_SHARED = (".venv", "build")
_NOT_COPIED = (*_SHARED, ".git", ".tilelab", "out", "fuzz.log")
_MADE = {
    "handouts",
    "reports",
    "site",
    "site-parts",
    "trace",
    "report.html",
    "fuzz",
    "tidy",
    "autograders",
}  # in build, by the targets
_VARIABLES = {
    "LAB",
    "CASE",
    "OUT",
    "SUBMISSIONS",
    "EXPORT",
    "OPTIONS",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "PYTEST_ADDOPTS",
}


@dataclass(frozen=True)
class Call:
    """What follows the target on the command line ({} names the folder of the copy), and what comes of it."""

    words: tuple[str, ...] = ()
    says: str = ""
    status: int = 0
    there: str = "copy"  # "here": in this clone, with its set-up; "sources": in a tree of two sources
    lacks: tuple[str, ...] = ()  # programs that are not on the path
    without_gpu: bool = False


GRADED = ("OUT={}/graded",)
CALLS = {
    "help": Call(says="make grade SUBMISSIONS=folder-or-zip"),
    "setup": Call(there="here"),
    "grade": Call(("SUBMISSIONS={}/class", *GRADED, f"LAB={LAB}"), "report: {}/graded/index.html"),
    "export": Call((*GRADED, "EXPORT=canvas"), "grades: {}/graded/exports/canvas.csv"),
    "pages": Call(GRADED, "1 student; 0 grades changed; nothing was judged"),
    "history": Call(GRADED, "1 graded for the first time"),
    "leaderboard": Call((*GRADED, "LAB=04-open"), "the last batch there did not grade 04-open: nothing was written", 2),
    "autograder": Call(("PLATFORM=gradescope", "LAB=00-first-program"), "docs/autograders.md has every step."),
    "handouts": Call(("LAB=00-first-program",), "/build/handouts/tilelab-"),
    "wheel": Call(("LAB=none",), "there is no lab", 2),  # pip would fetch what it builds wheels with
    "images": Call(("IMAGES=grader", "BUILDER=echo"), "--target grader --tag tilelab-grader"),  # no image is built
    "bundle": Call(("OPTIONS=--every",), "make bundle accepts only OPTIONS=--cuda", 2, "here"),  # nothing is fetched
    "test": Call((f"LAB={LAB}",), "5 of 5 tests pass"),  # without LAB, it is what runs this test
    "test-changed": Call(("BASE=no-such-revision",), "no-such-revision is no revision of this clone", 2, "here"),
    "same": Call(("BASE=no-such-revision",), "no-such-revision is no revision of this clone", 2, "here"),
    "test-gpu": Call((), "skipped", without_gpu=True),
    "fuzz": Call(("SEED=1", "OPTIONS=--only archives --cases 1"), "1 cases, 0 findings"),
    "watch": Call((f"LAB={LAB}",), "5 of 5 tests pass"),
    "report": Call((f"LAB={LAB}",), "report: "),
    "answers": Call((f"LAB={LAB}",), "not answered yet", 2),
    "trace": Call((f"LAB={LAB}", "SHAPE=2x2x2"), "The results are right, and no mistake was found in this launch."),
    "profile": Call(
        (f"LAB={LAB}", "SHAPE=16x16x16"), "The results are right, and no mistake was found in this launch."
    ),
    "test-aarch64": Call(
        (), "tests under qemu need: apt-get install", 2, lacks=("qemu-aarch64-static",)
    ),  # else half an hour
    "bench": Call(("SHORT=1",), "against the same kernel unwatched at -O2", there="here", without_gpu=True),
    "ladder": Call((), "The ladder is not measured anew", without_gpu=True),
    "site": Call((), "open build/site/index.html"),
    "check": Call(("LAB=none",), "none", 2),  # the proofs of one lab take minutes; .ci/run has them
    "lint": Call((), "1 file would be reformatted", 2, "sources", lacks=("shellcheck",)),
    "format": Call((), "1 file reformatted", there="sources"),
    "tidy": Call((), "Dereference of null pointer", 2, there="sources"),
    "clean": Call(there="sources"),
}
# One of these in each run: other tests make the site and the handouts too, and look closer.
IN_TURN = ("bench", "handouts", "site")
TRIED = [one for one in CALLS if one not in IN_TURN or one in sample(IN_TURN, len(IN_TURN))]
NOT_RUN = {"order": "counts 47 kernels on four shapes each, for minutes: docs/evidence.md is made from what it found"}


def _left_out(folder: str, names: list[str]) -> set[str]:
    """What lies at the top of the clone alone: the grader has a package `build`."""
    return {
        one for one in names if one.endswith(("_cache", "__pycache__")) or (Path(folder) == ROOT and one in _NOT_COPIED)
    }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this clone in which a student has solved a lab, and a class of one. What a target makes stays in it."""
    copy = tmp_path_factory.mktemp("clone") / "copy"
    shutil.copytree(ROOT, copy, ignore=_left_out, symlinks=True)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    (copy / "build").mkdir()
    for built in (ROOT / "build").iterdir():
        if built.name not in _MADE:
            (copy / "build" / built.name).symlink_to(built)
    (copy / "class" / "ann").mkdir(parents=True)
    somebody = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init"], ["add", "."], [*somebody, "commit", "-m", "all"]):  # handouts hold what git tracks
        subprocess.run(["git", *command], cwd=copy, check=True, capture_output=True)
    solution = next((ROOT / "solutions" / LAB).glob("*.cu"))
    for folder in (copy / "class" / "ann", copy / "assignments" / LAB):
        shutil.copy(solution, folder / solution.name)
    return copy


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of one Python and one C++ source, neither laid out as the formatters want it."""
    tree = tmp_path_factory.mktemp("sources")
    for name in ("Makefile", "pyproject.toml", ".clang-format", ".clang-tidy"):
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, tree)
    for folder in ("tests", "kit", "build"):
        (tree / folder).mkdir()
    (tree / ".venv").symlink_to(ROOT / ".venv")
    shutil.copy(ROOT / "build" / ".cmake", tree / "build")
    (tree / "tests" / "one.py").write_text('"""One."""\n\nONE   = 1\n', encoding="utf-8")
    (tree / "kit" / "one.cpp").write_text(
        "int   one() { int* nothing = nullptr; return *nothing; }\n", encoding="utf-8"
    )
    (tree / ".gitignore").write_text("build\n.venv\n", encoding="utf-8")
    (tree / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(one CXX)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nadd_library(one kit/one.cpp)\n",
        encoding="utf-8",
    )
    subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)
    subprocess.run(["git", "add", "."], cwd=tree, check=True)
    return tree


def targets() -> list[str]:
    shown = subprocess.run(
        ["make", "help"], cwd=ROOT, env=environment(), capture_output=True, text=True, check=True
    ).stdout
    return re.findall(r"^  make ([a-z0-9-]+) +(?![A-Z\s])", shown, re.MULTILINE)


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _VARIABLES}


def path_without(programs: tuple[str, ...], folder: Path) -> str:
    """A path with every program of this machine's but these."""
    folder.mkdir()
    for place in map(Path, reversed(os.environ["PATH"].split(":"))):
        for program in place.iterdir() if place.is_dir() else ():
            if program.name not in programs:
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def on_terminal(command: list[str], folder: Path, until: str) -> tuple[int, str]:
    """Runs `command` on a terminal of its own, presses q when it has shown `until`; its status and all that it showed."""
    ours, its = pty.openpty()
    alone = ["setsid", "--ctty", "timeout", "--foreground", "300", *command]  # on a fault, q is never pressed
    env = environment() | {"COLUMNS": "120", "LINES": "50", "TERM": "xterm"}
    with subprocess.Popen(alone, cwd=folder, env=env, stdin=its, stdout=its, stderr=its) as run:
        os.close(its)
        shown, pressed = b"", False
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # nobody has the terminal open any more
                break
            if not pressed and until in plain(shown):
                os.write(ours, b"q")
                pressed = True
    os.close(ours)
    return run.returncode, plain(shown)


def plain(shown: bytes) -> str:
    """Without colours and movements of the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace"))


def test_each_target_that_help_lists_is_tried_here_or_it_is_said_why_not() -> None:
    assert sorted(targets()) == sorted([*CALLS, *NOT_RUN])


@pytest.fixture(scope="module")
def graded(copy: Path) -> tuple[int, str]:
    """What came of grading a class, which the targets need that take OUT."""
    return outcome("grade", CALLS["grade"], copy, environment())


def command_of(target: str, call: Call, folder: Path) -> list[str]:
    return [
        "make",
        target,
        *(word.format(folder) for word in call.words),
        *([] if call.there == "here" else ["setup=:"]),
    ]


def outcome(target: str, call: Call, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Its exit status, and all that it says."""
    command = command_of(target, call, folder)
    done = subprocess.run(
        command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("target", TRIED)
def test_it_ends_as_it_should(target: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    call = CALLS[target]
    if call.without_gpu and _HAS_GPU:
        pytest.skip("with a GPU this takes minutes")
    if target in {"lint", "format"}:
        need_formatters()
    folder = ROOT if call.there == "here" else request.getfixturevalue(call.there)
    before = request.getfixturevalue("graded") if GRADED[0] in call.words else None
    said, status = call.says.format(folder), call.status
    env = environment() | ({"PATH": path_without(call.lacks, tmp_path / "bin")} if call.lacks else {})
    if target == "tidy" and shutil.which("clang-tidy") is None:
        said, status = "install clang-tidy first", 2
    if target == "watch":
        ended, shown = on_terminal(command_of(target, call, folder), folder, said)
    elif target == "grade":
        assert before is not None
        ended, shown = before
    else:
        ended, shown = outcome(target, call, folder, env)
    assert (ended, said in " ".join(shown.split())) == (status, True), shown


def test_what_format_has_laid_out_passes_lint(sources: Path, tmp_path: Path) -> None:
    need_formatters()
    without = environment() | {"PATH": path_without(("shellcheck",), tmp_path / "bin")}
    for target in ("format", "lint"):
        ended, shown = outcome(target, CALLS[target], sources, without)
        assert ended == 0, shown


def need_formatters() -> None:
    if not (ROOT / ".venv/bin/clang-format").exists():
        pytest.skip("their tools are not here: make lint gets them")
