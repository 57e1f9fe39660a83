"""The resident process: a command that it runs says, returns and reaches the same, and none is lost when it cannot."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.cli import resident_process
from grader.system import worker_processes

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
TILELAB = Path(sys.executable).with_name("tilelab")
MODULE = "module_of_a_test"
# As the program itself; says whether it had to import the grader.
PROGRAM = "import sys; from grader.cli import resident_process as r; s = r.run(); print('grader.cli.cli' in sys.modules); sys.exit(s)"


def environment(folder: Path) -> dict[str, str]:
    """For a resident process of its own, which imports a module that a test may change."""
    (folder / f"{MODULE}.py").write_text("", encoding="utf-8")
    os.utime(folder / f"{MODULE}.py", (1, 1))
    kept = {name: value for name, value in os.environ.items() if name != "CI"}
    return kept | {"TILELAB_RESIDENT": uuid.uuid4().hex, "PYTHONPATH": str(folder)}


@contextmanager
def staying(folder: Path) -> Iterator[Path]:
    """The socket of a resident process that has begun to listen."""
    path = folder / "socket"
    command = [sys.executable, "-m", "grader.cli.resident_process", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, env=environment(folder)) as process:
        assert process.stdin is not None
        process.stdin.write(f"{MODULE}\ngrader.cli.practice_commands\n")
        process.stdin.close()
        try:
            while not path.exists():
                assert process.poll() is None
                time.sleep(0.02)
            yield path
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with staying(tmp_path_factory.mktemp("resident")) as one:
        yield one


def ask(path: Path, *words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a command through the resident process alone."""
    program = (
        "import sys; from grader.cli import resident_process; s = resident_process.asked(sys.argv[1], ['tilelab', *sys.argv[2:]]);"
        " sys.exit(99 if s is None else s)"
    )
    command = [sys.executable, "-c", program, str(path), *words]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | more, capture_output=True, text=True, timeout=120, check=False
    )


def direct(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TILELAB_RESIDENT": "0"} | more
    return subprocess.run(
        [TILELAB, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    "words",
    [("test", "no-such-lab"), ("test", "--help"), ("answers", "01-naive"), ("trace", "--no-such-option")],
    ids=" ".join,
)
def test_it_says_and_returns_what_a_process_of_its_own_does(path: Path, words: tuple[str, ...]) -> None:
    there, here = ask(path, *words, cwd=ROOT, COLUMNS="77"), direct(*words, cwd=ROOT, COLUMNS="77")
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert here.stdout + here.stderr


def test_the_folder_and_the_environment_are_those_of_who_asks(path: Path, tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text("#error\n", encoding="utf-8")
    words = "test", "02-tiled", "--file", "own.cu"
    assert (ask(path, *words, cwd=tmp_path).returncode, ask(path, *words, cwd=ROOT).returncode) == (1, 2)
    wide, narrow = (ask(path, "test", "--help", cwd=ROOT, COLUMNS=columns).stdout for columns in ("120", "50"))
    assert max(map(len, narrow.splitlines())) <= 50 < max(map(len, wide.splitlines()))


def test_a_changed_source_ends_it_and_the_command_runs_elsewhere(tmp_path: Path) -> None:
    with staying(tmp_path) as path:
        (tmp_path / f"{MODULE}.py").write_text("changed = True\n", encoding="utf-8")
        assert ask(path, "test", "--help", cwd=ROOT).returncode == 99
        assert not path.exists()


def test_what_nobody_can_read_stops_nothing(path: Path) -> None:
    for told in (b"", b"\xff\xff\xff\xff", b"\x04\0\0\0junk"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(told)
    assert ask(path, "test", "no-such-lab", cwd=ROOT).returncode == 2


def test_ctrl_c_ends_the_command_and_says_so(path: Path) -> None:
    file = ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu"
    words = ["tilelab", "test", "02-tiled", "--file", str(file)]
    program = "import sys; from grader.cli import resident_process; sys.exit(resident_process.asked(sys.argv[1], sys.argv[2:]))"
    command = [sys.executable, "-c", program, str(path), *words]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(1)  # it may be done already, on a fast machine: then there is nothing to interrupt
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1]
    assert (process.returncode, "interrupted" in said) in {(130, True), (0, False)}


def test_the_first_command_leaves_one_behind_for_the_next(tmp_path: Path) -> None:
    own = environment(tmp_path)

    def run() -> str:
        command = [sys.executable, "-c", PROGRAM, "test", "no-such-lab"]
        return subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False).stdout

    def sockets() -> list[Path]:
        return [one for one in tmp_path.glob("tilelab-*") if not one.suffix]

    tmp_path.chmod(0o700)
    own["XDG_RUNTIME_DIR"] = str(tmp_path)
    assert run() == "True\n"
    until = time.monotonic() + 120
    while not sockets():
        assert time.monotonic() < until
        time.sleep(0.05)
    try:
        assert run() == "False\n"
    finally:
        sockets()[0].unlink()


def test_a_folder_that_others_can_change_holds_no_socket(tmp_path: Path) -> None:
    own = environment(tmp_path) | {"XDG_RUNTIME_DIR": str(tmp_path)}
    tmp_path.chmod(0o770)
    command = [
        sys.executable,
        "-c",
        "from grader.cli.resident_process import _socket_path; print(repr(_socket_path()))",
    ]
    assert subprocess.run(command, env=own, capture_output=True, text=True, check=True).stdout == "''\n"


@pytest.mark.parametrize("off", [{"TILELAB_RESIDENT": "0"}, {"CI": "true"}])
def test_nothing_stays_behind_where_it_is_not_wanted(off: dict[str, str]) -> None:
    assert not resident_process.is_wanted(off)
    assert resident_process.is_wanted({"PATH": "/bin"})


# Modules that a student waits for at each save: until the compiler starts, and in all; where a resident process runs the command; and for
# the list of commands.
MOST_BEFORE, MOST_ALONE, MOST_ASKING, MOST_LISTING = 330, 540, 72, 315
MOST_COST = 4.8  # processor time until the compiler starts, by that of importing pydantic in the same run
_MOST_TRIES = 4
UNUSED = (
    "asyncio",
    "concurrent",
    "grader.engines.gpu_build",
    "grader.explain",
    "grader.roll.people",
    "grader.run.programs",
    "grader.run.speed.contest",
    "http",
    "jinja2",
    "logging",
    "multiprocessing",
    "rich.status",
    "tarfile",
    "yaml",
)
UNUSED_BEFORE = ("capstone", "elftools.dwarf", "grader.course", "grader.engines.proof", "grader.pages", "rich")
# What is imported for the processor that code is compiled for.
OF_A_PROCESSOR = re.compile(r"grader\.engines\.proof\.\w+_processor")
FILE = ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu"
# As PROGRAM, after pydantic; tells of the moment in which the first process is started.
COUNTED = f"""
import sys, time
began = time.process_time(); import pydantic.main; of_pydantic = time.process_time() - began
first = []
def hear(event, arguments):
    if event == "subprocess.Popen" and not first:
        first.extend((time.process_time() / of_pydantic, arguments[1][0], *sys.modules))
sys.addaudithook(hear)
{PROGRAM.rpartition("; sys.exit")[0]}
print("first:", *first)
print("modules:", *sys.modules)
"""
ASKED = f"{PROGRAM.rpartition('; sys.exit')[0]}; print('modules:', *sys.modules)"


def said_by(folder: Path, program: str, **more: str) -> str:
    """What `tilelab test` and then the program print."""
    folder.chmod(0o700)
    command = [sys.executable, "-c", program, "test", "02-tiled", "--file", str(FILE)]
    given = environment(folder) | {"TILELAB_BACKEND": "cpu", "XDG_RUNTIME_DIR": str(folder)} | more
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=120, check=True)
    assert "4 of 4 tests pass" in done.stdout
    return done.stdout


def test_a_students_command_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    said = said_by(tmp_path, COUNTED, TILELAB_RESIDENT="0")
    alone = said.rpartition("modules: ")[2].split()
    ratio, compiler, *before = said.rpartition("first: ")[2].partition("\n")[0].split()
    assert "++" in Path(compiler).name
    assert [one for one in alone if one.startswith(UNUSED)] == []
    assert [one for one in before if one.startswith(UNUSED_BEFORE)] == []
    assert (len(before) <= MOST_BEFORE, len(alone) <= MOST_ALONE) == (True, True)
    ratios = [float(ratio)]
    while min(ratios) > MOST_COST and len(ratios) < _MOST_TRIES:  # on a busy machine
        again = said_by(tmp_path, COUNTED, TILELAB_RESIDENT="0")
        ratios.append(float(again.rpartition("first: ")[2].split(maxsplit=1)[0]))
    assert min(ratios) <= MOST_COST
    names = [*resident_process._AT_TIMES, *worker_processes._PRELOADED[1:]]
    program = f"import sys, importlib; [importlib.import_module(one) for one in {names}]; print(*sys.modules)"
    ready = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    late = {one for one in alone if one.startswith("grader")} - set(ready.stdout.split())
    assert {one for one in late if not OF_A_PROCESSOR.fullmatch(one)} == {"grader.cli.resident_process"}


def test_asking_the_resident_process_imports_little(tmp_path: Path) -> None:
    resident = uuid.uuid4().hex
    said_by(tmp_path, ASKED, TILELAB_RESIDENT=resident)
    while not (sockets := list(tmp_path.glob("tilelab-????????????????"))):
        time.sleep(0.05)
    try:
        said = said_by(tmp_path, ASKED, TILELAB_RESIDENT=resident)
        assert len(said.rpartition("modules: ")[2].split()) <= MOST_ASKING
    finally:
        sockets[0].unlink()  # without it, the process ends


def test_the_list_of_commands_imports_none_of_them() -> None:
    command = [sys.executable, "-c", ASKED, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert "  grade " in done.stdout
    listed = done.stdout.rpartition("modules: ")[2].split()
    commands = ("grader.cli.classes.", "grader.cli.course", "grader.cli.practice", "grader.cli.proofs", "grader.run")
    assert [one for one in listed if one.startswith(commands)] == []
    assert len(listed) <= MOST_LISTING
