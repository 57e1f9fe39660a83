"""A Slurm of two nodes on this machine, for tests: its own munged, slurmctld and two slurmd, in a folder of its own, with ports that are
free. Nothing of it outlives the test, and no service of the machine is touched.

Debian and Ubuntu: `apt-get install slurmctld slurmd slurm-client munge`. Where they are not installed, or do not start, tests are skipped
with the reason.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
NODES = ("node1", "node2")
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_PATIENCE_SECONDS = 240  # nothing waits so long but on a machine with much else to do
_CONFIGURATION = """ClusterName=tilelab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
KillWait=2
SlurmdTimeout=10
MinJobAge=60
GresTypes=gpu
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node1} CPUs=1 Gres=gpu:1 State=UNKNOWN
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={node2} CPUs=1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]


class DoesNotStartError(Exception):
    """A part of Slurm ends at once, or never answers."""


@dataclass
class RealSlurm:
    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def configuration(self) -> Path:
        return self.folder / "slurm.conf"

    def ask(self, *command: str) -> str:
        environment = {**os.environ, "SLURM_CONF": str(self.configuration), "PATH": _PATH}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS
        ).stdout

    def states(self, name: str) -> dict[str, list[str]]:
        """Of the tasks called `name`: in each state, the node of each."""
        found: dict[str, list[str]] = {}
        for line in self.ask(
            "squeue", f"--name={name}", "--array", "--noheader", "--states=all", "--format=%T|%N"
        ).splitlines():
            state, _, node = line.strip().partition("|")
            found.setdefault(state, []).append(node)
        return found

    def kill_node(self, node: str) -> None:
        """As when its power fails: the daemon and everything under it are gone. The controller learns of it at once.

        Everything is stopped first: a task that is killed while its slurmstepd lives is reported to the controller as a task that
        failed, and whether that or the node's death arrives first is chance.
        """
        daemon = self.daemons.pop(node)
        daemon.send_signal(signal.SIGSTOP)
        spool = self.folder / f"spool-{node}"
        _signal_all(_running_under(spool), signal.SIGSTOP)
        self.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=dead")
        daemon.kill()
        _signal_all(_running_under(spool), signal.SIGKILL)
        daemon.wait()

    def _start_node(self, node: str) -> None:
        self._start(node, "slurmd", "-D", "-f", str(self.configuration), "-N", node)

        def idle() -> bool:
            if self.daemons[node].poll() is not None:
                message = f"slurmd of {node} has ended"
                raise DoesNotStartError(message)
            return f"{node} idle" in self.ask("sinfo", "-h", "-N", "-o", "%N %T")

        wait_for(idle, f"idle {node}")

    def start(self) -> None:
        ports = _free_ports(3)
        host = socket.gethostname().split(".")[0]
        text = _CONFIGURATION.format(
            folder=self.folder, host=host, user=getpass.getuser(), ctld=ports[0], node1=ports[1], node2=ports[2]
        )
        self.configuration.write_text(text)
        (self.folder / "gres.conf").write_text("NodeName=node1 Name=gpu File=/dev/null\n")
        (self.folder / "cgroup.conf").touch()
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        at = [f"--{what}-file={self.folder}/munge.{what}" for what in ("key", "pid", "log", "seed")]
        self._start("munged", "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", *at)
        wait_for((self.folder / "munge.socket").exists, "munged")
        self._start("slurmctld", "slurmctld", "-D", "-f", str(self.configuration))
        wait_for(lambda: "node1" in self.ask("sinfo", "-h", "-N", "-o", "%N"), "slurmctld")
        for node in NODES:
            self._start_node(node)

    def end(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.ask("scancel", "--state=PENDING", f"--user={getpass.getuser()}")
            self.ask("scancel", f"--user={getpass.getuser()}")
        for name in reversed(self.daemons):
            self.daemons[name].terminate()
        for node in NODES:
            _signal_all(_running_under(self.folder / f"spool-{node}"), signal.SIGKILL)
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def _start(self, name: str, *command: str) -> None:
        environment = {**os.environ, "SLURM_CONF": str(self.configuration), "PATH": _PATH}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.daemons[name] = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )


@contextmanager
def real_slurm() -> Iterator[RealSlurm]:
    """Raises DoesNotStartError with the end of the daemons' logs."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # short: a socket's path may not be long
    slurm = RealSlurm(folder)
    try:
        try:
            slurm.start()
        except (OSError, DoesNotStartError, subprocess.TimeoutExpired) as error:
            logs = [f"{path.name}: {path.read_text(errors='replace')[-300:]}" for path in sorted(folder.glob("*.log"))]
            message = f"{error}; {' | '.join(logs)}"
            raise DoesNotStartError(message) from error
        yield slurm
    finally:
        slurm.end()
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(true: Callable[[], bool], what: str, seconds: float = _PATIENCE_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            message = f"no {what} within {seconds} seconds"
            raise DoesNotStartError(message)
        time.sleep(0.1)


def _signal_all(processes: list[int], which: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, which)


def _running_under(spool: Path) -> list[int]:
    """The processes of tasks whose scripts lie in `spool`; not the slurmstepd above each."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):
            parts = (entry / "environ").read_bytes().split(b"\0")
            node = f"SLURMD_NODENAME={spool.name.removeprefix('spool-')}".encode()
            conf = f"SLURM_CONF={spool.parent / 'slurm.conf'}".encode()
            if node in parts and conf in parts:
                found.append(int(entry.name))
    return found


def _free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
