"""Runs one program in a confinement until it ends. It limits the wall time, and how much output is kept in memory.

It is not used for the runner: the judge starts that and talks to it. For the runner there is `Confinement.wrap`.
"""

from __future__ import annotations

import json
import math
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from grader.system.confinement import Bubblewrap, Confinement, Launcher, Limits, SandboxUnavailable, Unconfined

# The processor time that a process and all that it started have used, as the kernel counts it in /proc.

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)  # among the fields behind the name: own, and of children that were waited for


def processor_seconds(process: int) -> float:
    """Of a process that was started here. What has ended without being waited for is not in it."""
    used, children = dict[int, int](), dict[int, list[int]]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()  # the name may contain anything
            used[int(stat.parent.name)] = sum(map(int, fields[_TIMES]))
            children.setdefault(int(fields[_PARENT]), []).append(int(stat.parent.name))
    found = [process]
    for one in found:  # which grows
        found += children.pop(one, [])  # each once: numbers that were given anew meanwhile may make a circle
    return sum(used.get(one, 0) for one in found) / _TICKS


OUTPUT_BYTES = 1 << 20  # kept of each stream; the rest is read and discarded
_CHUNK_BYTES = 1 << 16
# At least, between two looks at the processor time of all processes, for which all of /proc is read.
_LOOK_SECONDS = 2.0
_KILL_GRACE_SECONDS = 5.0  # how long we wait until killed processes are gone and their pipes are closed


@dataclass(frozen=True)
class Finished:
    """`returncode`: the program's own, or 128 + the signal that killed it, or 125 where it could not be confined."""

    returncode: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool  # there was more output than is kept
    # Of it and all that it waited for; only of a `build`, and if ended from outside with `all_seconds`.
    cpu_seconds: float = 0.0
    peak_bytes: int = 0  # of the largest process among them
    overspent: bool = False  # it was ended, or failed, and all its processes together had used `all_seconds`

    @property
    def said(self) -> str:
        """Its errors come first."""
        return (self.stderr + self.stdout).decode("utf-8", "replace")


@dataclass
class _Stream:
    kept: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def take(self, chunk: bytes) -> None:
        room = OUTPUT_BYTES - len(self.kept)
        self.kept += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room


def run_confined(
    confinement: Confinement,
    argv: Sequence[str],
    *,
    readable: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    limits: Limits,
    cwd: Path,
    stdin: bytes | None = None,
) -> Finished:
    """Runs `argv` confined in `cwd`, and waits for it and everything that it started. Raises OSError where nothing started.

    `cwd` has to be readable or writable inside. Otherwise the program starts in `/`.
    """
    heard, told = os.pipe()
    watched = replace(limits, usage_to=told) if limits.profile == "build" else limits
    wrapped = confinement.wrap(argv, readable=readable, writable=writable, limits=watched)
    try:
        with tempfile.TemporaryFile() as given:
            given.write(stdin or b"")
            given.seek(0)
            process = subprocess.Popen(
                wrapped,
                cwd=cwd,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=[told] if limits.profile == "build" else [],
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
            )
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            streams, timed_out, seen_seconds = _follow(process, process.stdout, process.stderr, limits)
        finally:
            _kill_group(process)
            process.stdout.close()
            process.stderr.close()
            process.wait()
        os.set_blocking(heard, False)
        cpu_seconds, peak_bytes = 0.0, 0  # where the launcher was ended before it could say what was used
        with suppress(BlockingIOError, ValueError):
            seconds, peak = os.read(heard, 100).split()
            cpu_seconds, peak_bytes = float(seconds), int(peak)
    finally:
        os.close(heard)
        os.close(told)
    out, err = streams
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    overspent = 0 < limits.all_seconds <= max(cpu_seconds, seen_seconds) and status != 0
    timed_out, truncated = timed_out and not overspent, out.truncated or err.truncated
    used = max(cpu_seconds, seen_seconds), peak_bytes
    return Finished(status, bytes(out.kept), bytes(err.kept), timed_out, truncated, *used, overspent)


def _follow(
    process: subprocess.Popen[bytes], stdout: IO[bytes], stderr: IO[bytes], limits: Limits
) -> tuple[tuple[_Stream, _Stream], bool, float]:
    """Reads both streams until they end. Kills the process group when a time is over, or when the first process has ended:
    a process that outlives the first one could hold the streams open for ever. The last: the processor time seen, where it is limited.
    """
    streams = (_Stream(), _Stream())
    deadline, killed, timed_out = time.monotonic() + limits.wall_seconds, False, False
    look, used = _next_look(limits, 0.0), 0.0
    exited = os.pidfd_open(process.pid)
    with selectors.DefaultSelector() as selector:
        selector.register(exited, selectors.EVENT_READ)
        selector.register(stdout, selectors.EVENT_READ, streams[0])
        selector.register(stderr, selectors.EVENT_READ, streams[1])
        while selector.get_map():
            ready = selector.select(max(0.0, min(deadline, look) - time.monotonic()))
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK_BYTES) if key.data is not None else b""
                if chunk:
                    key.data.take(chunk)
                else:
                    selector.unregister(key.fileobj)
            ended = exited not in selector.get_map()
            if not killed and not ended and time.monotonic() >= min(look, deadline) and limits.all_seconds:
                used = processor_seconds(process.pid)
                look = _next_look(limits, used)
            overspent = 0 < limits.all_seconds <= used
            if not killed and (ended or overspent or time.monotonic() >= deadline):
                timed_out, killed, look = not ended, True, math.inf
                _kill_group(process)
                deadline = time.monotonic() + _KILL_GRACE_SECONDS
            elif killed and time.monotonic() >= deadline:
                break
    os.close(exited)
    return streams, timed_out, used


def _next_look(limits: Limits, used: float) -> float:
    """When to look at processor times: not before all cores together could have come to the limit."""
    if not limits.all_seconds:
        return math.inf
    return time.monotonic() + max(_LOOK_SECONDS, (limits.all_seconds - used) / (os.cpu_count() or 1))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # Only wait() reaps the process. Before that, no other group can get this number.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


# Finds a confinement that works here. Each is tried, because a container may forbid what its kernel offers.
#
# A confinement works if a program starts in it, can start another program, and cannot read this file. docs/threat-model.md says who is kept
# from what. kit/sandbox/confine_main.cpp says how the inner wall works, and confinement.py how the outer wall works.

_PROBE_LIMITS = Limits(
    "run", cpu_seconds=5, wall_seconds=20, memory_bytes=256 << 20, processes=16, file_bytes=1 << 20, open_files=64
)
_REMEDY = """Any one of these helps:
  - install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap) where user namespaces are allowed
    (Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0; Docker: --security-opt seccomp=unconfined)
  - use a kernel with Landlock: Linux 5.13 or newer, with landlock in /sys/kernel/security/lsm
  - grade without a sandbox, only if you trust every submission: --no-sandbox"""


def detect(confine: Path, prefix: Path | None, *, allow_none: bool) -> Confinement:
    """The strongest confinement that works on this machine. Raises SandboxUnavailable, which says what was tried.

    `confine` is the kit's launcher. `prefix` is a private prefix that holds a toolchain, bubblewrap or both.
    """
    reasons: list[str] = []
    for candidate in candidates(confine, prefix):
        reason = objection(candidate)
        if reason is None:
            return candidate
        reasons.append(f"  {candidate.name}: {reason}")
    if allow_none:
        return Unconfined(confine, prefix)
    tried = "\n".join(reasons) or "  nothing: there is no bwrap, and this kernel offers no Landlock"
    raise SandboxUnavailable(f"Submissions cannot be confined on this machine. Tried:\n{tried}\n{_REMEDY}")


def _has_landlock(confine: Path) -> bool:
    try:
        answer = subprocess.run([confine, "--probe"], capture_output=True, check=True, timeout=20).stdout
        return int(json.loads(answer)["landlock"]) > 0
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        message = f"The kit's launcher does not work ({error}): run `make setup` to build it again."
        raise SandboxUnavailable(message) from error


def candidates(confine: Path, prefix: Path | None) -> list[Confinement]:
    """What may work here, the strongest first. Raises SandboxUnavailable where the launcher itself does not work."""
    landlock = _has_landlock(confine)
    own = Launcher(confine, prefix)
    launchers: list[Confinement] = [own] if landlock else []
    root = os.geteuid() == 0
    found = launchers
    if bwrap := shutil.which("bwrap") or (shutil.which("bwrap", path=str(prefix / "usr" / "bin")) if prefix else None):
        spaced = Bubblewrap(Path(bwrap), confine, prefix, landlock=landlock)
        found = [replace(spaced, as_root=True), *launchers, spaced] if root else [spaced, *launchers]
    # Root's last two candidates do not limit the number of processes: root has no limit in a user namespace, or where it may not
    # become another user. All other restrictions hold.
    return [*found, replace(own, keep_root=True)] if root and landlock else found


def objection(confinement: Confinement) -> str | None:
    """Why this confinement cannot be used here. None: it can."""
    script = 'if (: <"$1") 2>/dev/null; then echo "files outside can be read"; exit 1; fi; /bin/true'
    building = replace(_PROBE_LIMITS, profile="build")
    for argv, limits in ((["/bin/sh", "-c", script, "sh", __file__], building), (["/bin/true"], _PROBE_LIMITS)):
        try:
            finished = run_confined(confinement, argv, limits=limits, cwd=Path("/"))
        except OSError as error:
            return str(error)
        if finished.timed_out:
            return "did not start in time"
        if finished.returncode != 0:
            return next(iter(finished.said.strip().splitlines()), f"exit status {finished.returncode}")
    return None
