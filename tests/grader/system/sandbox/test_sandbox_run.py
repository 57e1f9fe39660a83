"""Running confined: output and time are limited, no process stays, descriptors and environment are as documented."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.system.confined_run import OUTPUT_BYTES, Finished, run_confined
from grader.system.confinement import Confinement, Limits, Profile, Unconfined

if TYPE_CHECKING:
    from collections.abc import Callable


def processes_marked(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue  # the process has ended
    return found


def wait_until_gone(mark: str) -> list[int]:
    """The processes that still exist after the kernel had time to end them."""
    for _ in range(200):
        if not processes_marked(mark):
            return []
        time.sleep(0.05)
    return processes_marked(mark)


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex}"


def test_a_confinement_passes_on_output_status_and_input(confinement: Confinement, limits: Limits) -> None:
    finished = run_confined(
        confinement,
        ["/bin/sh", "-c", "read line; echo got $line; echo oops >&2; exit 7"],
        limits=dataclasses.replace(limits, profile="build"),
        cwd=Path("/"),
        stdin=b"a line\n",
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (7, b"got a line\n", b"oops\n")
    assert not finished.timed_out
    assert not finished.truncated


def test_a_signal_shows_as_128_and_its_number(confinement: Confinement, limits: Limits) -> None:
    argv = ["/bin/sh", "-c", "ulimit -c 0; exec 2>/dev/null; /bin/sh -c 'kill -SEGV $$' && exit 0; exit $?"]
    finished = run_confined(Unconfined(), argv, limits=limits, cwd=Path("/"))
    assert finished.returncode == 128 + signal.SIGSEGV
    argv = ["/bin/sh", "-c", "kill -SEGV $$"]
    finished = run_confined(confinement, argv, limits=limits, cwd=Path("/"))
    assert finished.returncode == 128 + signal.SIGSEGV


def test_endless_output_is_cut_and_ended(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits
) -> None:
    program = attack("endless_output")
    finished = run_confined(
        confinement,
        [str(program)],
        readable=[program.parent],
        limits=dataclasses.replace(limits, wall_seconds=4),
        cwd=Path("/"),
    )
    assert finished.timed_out
    assert finished.truncated
    assert len(finished.stdout) == OUTPUT_BYTES


def test_processor_time_ends_even_a_program_that_ignores_the_warning(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits
) -> None:
    program = attack("catch_the_clock")
    finished = run_confined(
        confinement,
        [str(program)],
        readable=[program.parent],
        limits=dataclasses.replace(limits, cpu_seconds=1, wall_seconds=60),
        cwd=Path("/"),
    )
    assert finished.returncode == 128 + signal.SIGKILL
    assert not finished.timed_out


@pytest.mark.parametrize("ending", ["stay", "leave"])
def test_nothing_outlives_the_run(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits, mark: str, ending: str
) -> None:
    program = attack("linger")
    finished = run_confined(
        confinement,
        [str(program), mark, ending],
        readable=[program.parent],
        limits=dataclasses.replace(limits, wall_seconds=6 if ending == "stay" else 60),
        cwd=Path("/"),
    )
    assert finished.stdout == b"started\n"
    assert finished.timed_out == (ending == "stay")
    assert wait_until_gone(mark) == []


def test_without_a_sandbox_something_does_outlive_the_run(
    attack: Callable[[str], Path], limits: Limits, mark: str
) -> None:
    argv = [str(attack("linger")), mark, "leave"]
    run_confined(Unconfined(), argv, limits=limits, cwd=Path("/"))
    left = processes_marked(mark)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert left


def test_killing_the_first_process_alone_ends_all_as_when_the_judge_does_it(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits, mark: str
) -> None:
    program = attack("linger")
    argv = confinement.wrap([str(program), mark, "stay"], readable=[program.parent], limits=limits)
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    assert processes_marked(mark)
    process.kill()
    process.wait()
    process.stdout.close()
    assert wait_until_gone(mark) == []


def test_descriptor_3_is_passed_on_and_no_other(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits
) -> None:
    ours, theirs = socket.socketpair()
    leak = os.dup2(theirs.fileno(), 57)

    def start(program: Path, confined: bool) -> subprocess.CompletedProcess[bytes]:
        argv = [str(program)]
        if confined:
            argv = confinement.wrap(argv, readable=[program.parent], limits=limits)
        hand_over = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.argv[2], sys.argv[2:])"
        return subprocess.run(
            [sys.executable, "-c", hand_over, str(theirs.fileno()), *argv],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=[theirs.fileno(), leak],
            check=False,
        )

    with ours, theirs:
        lister = attack("list_descriptors")
        assert b" 57 " in start(lister, confined=False).stdout
        assert start(lister, confined=True).stdout == b"0 1 2 3 "
        ours.sendall(b"hello judge")
        assert start(attack("echo_socket"), confined=True).returncode == 0
        assert ours.recv(64) == b"hello judge"
    os.close(leak)


def test_the_environment_is_a_fixed_one(
    confinement: Confinement, attack: Callable[[str], Path], limits: Limits
) -> None:
    program, secret = attack("print_environment"), {**os.environ, "COURSE_SECRET": "1", "LD_PRELOAD": ""}
    assert subprocess.run([program], env=secret, capture_output=True, check=False).returncode == 0
    profiles: dict[Profile, set[str]] = {"run": set(), "gpu-program": set(), "gpu": {"CUDA_DEVICE_MAX_CONNECTIONS"}}
    for profile, more in profiles.items():
        argv = confinement.wrap(
            [str(program)], readable=[program.parent], limits=dataclasses.replace(limits, profile=profile)
        )
        finished = subprocess.run(argv, env=secret, capture_output=True, text=True, check=False)
        assert finished.returncode == 1
        names = {line.partition("=")[0] for line in finished.stdout.splitlines()}
        assert names - {"PWD"} == {"PATH", "LANG", "HOME", "TMPDIR", "SOURCE_DATE_EPOCH"} | more


def test_processes_share_their_processor_time(confinement: Confinement, limits: Limits) -> None:
    shared = dataclasses.replace(limits, profile="build", cpu_seconds=20, wall_seconds=60, all_seconds=1)

    def ended(shell: str, within: Limits) -> Finished:
        argv = ["/bin/sh", "-c", shell]
        return run_confined(confinement, argv, limits=within, cwd=Path("/"))

    spin = "while :; do :; done"
    finished = ended(f"({spin}) & ({spin}) & wait", shared)
    assert finished.overspent
    assert not finished.timed_out
    assert 1 <= finished.cpu_seconds < 10
    waiting = ended("sleep 50", dataclasses.replace(shared, wall_seconds=2))
    assert waiting.timed_out
    assert not waiting.overspent
