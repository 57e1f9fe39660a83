"""Set-up that is ended in the middle, or started twice: what is still at work is waited for, and what fails is told at once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Set-up, whose steps a test replaces: each is put after set-up's own pieces.
NOTHING = "provide_needs() { :; }\nprovide_build_tools() { :; }\nprovide_toolkit() { :; }\ntry_compiler() { :; }\nhas_gpu() { return 1; }\n"
VENV = 'make_venv() { mkdir -p .venv/bin; ln -sf /bin/true .venv/bin/python; echo "$root" >.venv/.root; }\n'
CONFIGURE = "configure() { echo g >build/.cmake; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "kit/setup", tmp_path / "kit/setup")
    for name in ("pyproject.toml", "CMakeLists.txt"):
        (tmp_path / name).write_text("")
    return tmp_path


def replaced(folder: Path, *functions: str) -> list[str]:
    with (folder / "kit/setup/pack.sh").open("a") as last:
        last.write("\n" + NOTHING + VENV + CONFIGURE + "".join(functions))
    return [str(folder / "kit/setup/setup.sh")]


def set_up(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def appears(path: Path) -> bool:
    for _ in range(600):
        if path.exists():
            return True
        time.sleep(0.05)
    return False


def test_a_failing_pip_ends_the_build_that_runs_beside_it_and_says_why(folder: Path) -> None:
    command = replaced(
        folder,
        "install_grader() { until [ -e began ]; do sleep 0.05; done; echo 'no route to host'; return 1; }\n",
        "run_build() { : >began; sleep 600; : >built; }\n",
    )
    done = set_up(command)
    assert done.returncode == 1
    assert "no route to host" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("tilelab: pip could not install the grader's packages.")
    assert "one source at a time" not in done.stderr
    assert "does not build" not in done.stderr
    assert not (folder / "built").exists()
    assert not (folder / "build/.complete").exists()
    assert (folder / ".venv/.incomplete").exists()  # the next run starts over


def test_a_build_that_fails_beside_pip_is_told_as_such(folder: Path) -> None:
    done = set_up(replaced(folder, "install_grader() { sleep 600; }\n", "run_build() { echo 'an error'; return 1; }\n"))
    assert done.returncode == 1
    assert "an error" in done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: the kit does not build"


def test_after_a_kill_the_next_set_up_waits_for_what_is_still_at_work_and_completes(folder: Path) -> None:
    command = replaced(
        folder,
        "install_grader() { echo pip >>order; }\n",
        "run_build() { : >began; until [ -e go ]; do sleep 0.05; done; echo built >>order; }\n",
    )
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as first:
        assert appears(folder / "began")
        first.send_signal(signal.SIGKILL)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert second.stderr.readline() == "tilelab: waiting for another set-up of this clone\n"
        (folder / "go").touch()
        assert "building the kit (once)" in second.stderr.read()
    assert second.returncode == 0
    assert (folder / "order").read_text().split().count("built") == 2
    assert (folder / "build/.complete").exists()
    assert not (folder / ".venv/.incomplete").exists()


def ends(process: int) -> bool:
    """Whether it is over soon, or only waits for somebody to ask how it ended."""
    state = Path(f"/proc/{process}/stat")
    for _ in range(600):
        try:
            if state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


# What the tests were started with may ignore SIGHUP, as nohup does, and a shell cannot listen to what it was started without.
_LISTENS = (
    sys.executable,
    "-c",
    "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])",
)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_set_up_that_is_ended_leaves_nothing_running_and_a_second_try_works(
    folder: Path, number: signal.Signals
) -> None:
    command = replaced(
        folder,
        "install_grader() { [ -e again ] || sleep 600; }\n",
        'run_build() { [ -e again ] || { echo "$BASHPID" >pid; mv pid began; exec sleep 600; }; }\n',
    )
    with subprocess.Popen([*_LISTENS, *command], stderr=subprocess.DEVNULL) as first:
        assert appears(folder / "began")
        worker = int((folder / "began").read_text())
        first.send_signal(number)
        try:
            first.wait(60)
        except subprocess.TimeoutExpired:
            os.kill(worker, signal.SIGKILL)
            raise
    assert first.returncode == 130
    assert ends(worker)
    (folder / "again").touch()
    assert set_up(command).returncode == 0


def test_two_at_once_do_everything_once(folder: Path) -> None:
    command = replaced(folder, "install_grader() { :; }\n", "run_build() { sleep 0.5; echo built >>order; }\n")
    note = "note_build() { touch build/.sources; }\n"
    with (folder / "kit/setup/pack.sh").open("a") as last:
        last.write(note)
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(run.communicate()[1] for run in runs)
    assert [run.returncode for run in runs] == [0, 0]
    assert sum("building the kit (once)" in one for one in said) == 1
    assert sum("waiting for another set-up" in one for one in said) == 1


def test_on_a_drive_without_locks_nobody_is_waited_for(folder: Path, tmp_path: Path) -> None:
    command = replaced(folder, "install_grader() { :; }\n", "run_build() { :; }\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "flock").write_text("#!/bin/sh\necho 'No locks available' >&2\nexit 71\n")
    (tools / "flock").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "waiting" not in done.stderr
    assert "No locks" not in done.stderr


def test_a_quota_that_is_used_up_is_the_last_thing_that_is_said(folder: Path) -> None:
    command = replaced(folder, "make_venv() { echo 'OSError: [Errno 122] Disk quota exceeded'; return 1; }\n")
    done = set_up(command)
    assert done.returncode == 1
    assert (
        done.stderr.splitlines()[-1] == "tilelab: your disk quota is full: make room, then run the same command again"
    )
