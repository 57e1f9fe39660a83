"""Unpacks a 7z archive into a folder of ours, which is then read as a folder that was handed in: by a confined child, within limits.

The reader of 7z (py7zr) is optional. Where it is not installed, the student is told which kinds are accepted. A hostile archive may take
the child over: what it leaves is as little believed as any upload.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from grader.model.errors import MachineError
from grader.roll.intake.upload import Limits, Refusal
from grader.system.bubblewrap import Unconfined
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement
from grader.system.confinement import Limits as ProcessLimits

MARK = b"7z\xbc\xaf\x27\x1c"
_CHILD = Path(__file__).with_name("seven_zip_child.py")
# The sandbox forbids a system call with which Python opens a program that it is started with.
_START = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
_MEMORY = 1 << 30
_SECONDS, _CPU_SECONDS = 120, 60
_REFUSED = 1  # the child's exit status where it says why
_NOT_CONFINED = 125  # the launcher's
_MISSING = (
    "this is a 7z archive, which cannot be opened here: hand in a zip (to open 7z too, the instructor can run "
    "`.venv/bin/pip install 'py7zr>=1,<2'`)"
)


def unpack_seven_zip(path: Path, folder: Path, limits: Limits, confinement: Confinement | None = None) -> None:
    """Raises Refusal, and MachineError where the child cannot be confined. `confinement`: none is for one's own archives alone."""
    folder.mkdir()
    argv = [sys.executable, "-I", "-c", _START, str(_CHILD), str(path.resolve()), str(folder.resolve())]
    argv += [str(limits.members), str(limits.unpacked_bytes)]
    finished = run_confined(
        confinement or Unconfined(),
        argv,
        readable=[path.resolve(), _CHILD, *_python()],
        writable=[folder.resolve()],
        limits=ProcessLimits(
            cpu_seconds=_CPU_SECONDS,
            wall_seconds=_SECONDS,
            memory_bytes=_MEMORY,
            processes=64,
            file_bytes=limits.unpacked_bytes + 1,
            open_files=256,
        ),
        profile="build",
        cwd=folder,
    )
    if finished.returncode == _NOT_CONFINED:
        reason = finished.stderr.decode("utf-8", "replace").strip()
        raise MachineError(f"a 7z archive could not be unpacked in a sandbox on this machine: {reason}")
    if finished.returncode == _REFUSED and finished.stdout:
        reason = finished.stdout.decode("utf-8", "replace")[:300]
        raise Refusal(_MISSING if reason == "missing" else reason)
    if finished.timed_out or finished.returncode != 0:
        raise Refusal("unpacking the archive takes too much time or memory")


def _python() -> list[Path]:
    """What this Python has to read to run, besides the system's own folders."""
    names = [
        sys.prefix,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        sysconfig.get_config_var("LIBDIR"),
    ]
    folders = {Path(name) for name in names if name} | {Path(sys.executable).resolve().parent}
    return sorted(one for one in folders if one.is_dir() and not one.is_relative_to("/usr"))
