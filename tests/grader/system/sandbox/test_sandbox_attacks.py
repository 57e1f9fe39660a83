"""Every attack in tests/exploits/sandbox works unconfined and is stopped in every confinement.

A row is an attack, its arguments, and the profiles under which it is tried. `{outside}` is a folder that the program may not reach,
`{inside}` one that it may read, `{mine}` one that it may write (except under `run`).
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from grader.system.confined_run import Finished, run_confined
from grader.system.confinement import Confinement, Launcher, Limits, Unconfined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from grader.system.confinement import Profile

WORKED, STOPPED = 0, 1
ALL: tuple[Profile, ...] = ("run", "build", "gpu")
# A runner for a GPU has what the driver needs: its own /proc, unlimited shared memory, Unix sockets that reach nobody. No host code of
# a submission runs in such a runner.
BOTH: tuple[Profile, ...] = ("run", "build")


@dataclass(frozen=True)
class Row:
    attack: str
    arguments: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ALL

    def __str__(self) -> str:
        return " ".join((self.attack, *self.arguments)).replace("{", "").replace("}", "")


ROWS = (
    Row("read_file", ("{outside}/solution.cu",)),
    Row("read_file", ("{inside}/link to the solution",)),
    Row("read_file", ("{inside}/../outside/solution.cu",)),
    Row("read_file", ("/etc/passwd",)),
    Row("read_file", ("/proc/self/environ",), BOTH),
    Row("list_folder", ("{outside}",)),
    Row("list_folder", ("/etc",)),
    Row("list_folder", ("/home",)),
    Row("list_folder", ("/proc/self/fd",), BOTH),
    Row("write_file", ("{outside}/solution.cu",)),
    Row("write_file", ("{outside}/new",)),
    Row("write_file", ("{inside}/new",)),
    Row("write_file", ("{inside}/input.txt",)),
    Row("write_file", ("/var/tmp/tilelab-was-here",)),  # noqa: S108  not ours to write
    Row("write_file", ("/usr/lib/tilelab-was-here",)),
    Row("remove_file", ("{outside}/solution.cu",)),
    Row("remove_file", ("{inside}/input.txt",)),
    Row("connect_tcp", ("{port}",)),
    Row("connect_unix", ("{socket}",)),
    Row("connect_unix", ("@{abstract}",)),
    Row("fork_bomb", ("2500",)),
    Row("memory_bomb", ("private", "134217728")),
    Row("memory_bomb", ("shared", "8589934592"), BOTH),
    Row("memory_file_bomb", ("68719476736",)),
    Row("file_bomb", ("{mine}/big", "16777216"), ("build",)),
    Row("make_setuid", ("{mine}/door",), ("build",)),
    Row("trace_process", ("{victim}",)),
    Row("kill_process", ("{victim}",)),
    Row("signal_everybody"),
    Row("new_namespace"),
    Row("forbidden_calls", profiles=BOTH),
    Row("execute_program", ("/bin/true",), ("run",)),
    Row("raise_limits", profiles=BOTH),
)


@dataclass(frozen=True)
class Surroundings:
    """What can be attacked, and how an attack is run."""

    inside: Path
    mine: Path
    values: dict[str, str]
    attack: Callable[[str], Path]
    limits: Limits

    def run(self, row: Row, confinement: Confinement, profile: Profile) -> Finished:
        program = self.attack(row.attack)
        return run_confined(
            confinement,
            [str(program), *(argument.format(**self.values) for argument in row.arguments)],
            readable=[self.inside, program.parent],
            writable=[self.mine] if profile == "build" else [],
            limits=replace(self.limits, profile=profile),
            cwd=self.inside,
        )


@pytest.fixture
def surroundings(tmp_path: Path, attack: Callable[[str], Path], limits: Limits) -> Iterator[Surroundings]:
    outside, inside, mine = (tmp_path / name for name in ("outside", "inside", "mine"))
    for folder in (outside, inside, mine):
        folder.mkdir()
    (outside / "solution.cu").write_text("// the solution\n")
    (inside / "input.txt").write_text("input\n")
    (inside / "link to the solution").symlink_to(outside / "solution.cu")
    abstract = f"tilelab-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for name in (str(tmp_path / "socket"), f"\0{abstract}"):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(name)
            listener.listen()
        victim = stack.enter_context(subprocess.Popen(["sleep", "600"]))
        stack.callback(victim.kill)
        values = {
            "outside": str(outside),
            "inside": str(inside),
            "mine": str(mine),
            "port": str(tcp.getsockname()[1]),
            "socket": str(tmp_path / "socket"),
            "abstract": abstract,
            "victim": str(victim.pid),
        }
        yield Surroundings(inside, mine, values, attack, limits)
        for trace in ("/var/tmp/tilelab-was-here", "/usr/lib/tilelab-was-here"):  # noqa: S108  where an attack writes
            with contextlib.suppress(FileNotFoundError, PermissionError):
                os.unlink(trace)  # noqa: PTH108


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_works_without_a_sandbox(row: Row, surroundings: Surroundings) -> None:
    finished = surroundings.run(row, Unconfined(), row.profiles[0])
    if finished.returncode == STOPPED and os.geteuid() != 0:
        pytest.skip("an ordinary user of this machine cannot do this even unconfined")
    if finished.returncode == STOPPED and row.attack in {"new_namespace", "trace_process", "fork_bomb"}:
        pytest.skip("this machine, a container perhaps, stops it unconfined too")
    assert finished.returncode == WORKED, finished


@pytest.mark.parametrize(("row", "profile"), [(row, profile) for row in ROWS for profile in row.profiles], ids=str)
def test_is_stopped_by(confinement: Confinement, row: Row, profile: Profile, surroundings: Surroundings) -> None:
    if row.attack == "fork_bomb" and getattr(confinement, "keep_root", False):
        pytest.skip("root may start any number of processes, and may not become anybody else here")
    if row.attack == "kill_process" and _signals_reach_outside(confinement):
        pytest.skip("Landlock bounds signals from Linux 6.12 on; until then an ordinary user's launcher does not")
    finished = surroundings.run(row, confinement, profile)
    assert finished.returncode == STOPPED, finished
    assert b"solution" not in finished.stdout


def _signals_reach_outside(confinement: Confinement) -> bool:
    if not isinstance(confinement, Launcher) or os.geteuid() == 0:
        return False
    probe = subprocess.run([confinement.confine, "--probe"], capture_output=True, text=True, check=True).stdout
    return not any(f'"landlock": {abi},' in probe for abi in range(6, 100))


def test_the_limit_on_processes_is_exact_where_the_sandbox_has_a_user_or_a_namespace_of_its_own(
    confinement: Confinement, surroundings: Surroundings
) -> None:
    if isinstance(confinement, Launcher) and os.geteuid() != 0:
        pytest.skip("an ordinary user's launcher shares its limit with the user's other processes")
    if getattr(confinement, "keep_root", False):
        pytest.skip("root may start any number of processes, and may not become anybody else here")
    finished = surroundings.run(Row("fork_bomb", ("100",)), confinement, "run")
    assert 1 <= int(finished.stdout) <= surroundings.limits.processes
