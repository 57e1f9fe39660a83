"""Finds a confinement that works here. Each is tried, because a container may forbid what its kernel offers.

A confinement works if a program starts in it, can start another program, and cannot read this file. docs/threat-model.md says who is kept
from what. kit/sandbox/confine_main.cpp says how the inner wall works, and confinement.py how the outer wall works.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from grader.system.confined_run import run_confined
from grader.system.confinement import Bubblewrap, Confinement, Launcher, Limits, SandboxUnavailable, Unconfined

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
    probes: list[tuple[list[str], bool]] = [(["/bin/sh", "-c", script, "sh", __file__], True), (["/bin/true"], False)]
    for argv, builds in probes:
        try:
            finished = run_confined(
                confinement,
                argv,
                limits=replace(_PROBE_LIMITS, profile="build" if builds else "run"),
                cwd=Path("/"),
            )
        except OSError as error:
            return str(error)
        if finished.timed_out:
            return "did not start in time"
        if finished.returncode != 0:
            return next(iter(finished.said.strip().splitlines()), f"exit status {finished.returncode}")
    return None
