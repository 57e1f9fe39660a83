"""Reads a 7z archive: a confined child process unpacks it within limits, and its entries are taken from there.

The reader of 7z (py7zr) is optional. Where it is not installed, the student is told which kinds are accepted. Nothing that the child
leaves is believed: a hostile archive may have taken it over.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from grader.model.errors import MachineError
from grader.roll.intake.upload import Limits, Refusal
from grader.system.bubblewrap import Unconfined
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement
from grader.system.confinement import Limits as ProcessLimits

MARK = b"7z\xbc\xaf\x27\x1c"
_CHILD = Path(__file__).with_name("seven_zip_child.py")
_LIST = "list.json"
# The sandbox forbids a system call with which Python opens a program that it is started with.
_START = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
_MEMORY = 1 << 30
_SECONDS, _CPU_SECONDS = 120, 60
_ENTRY_BYTES = 4 << 10  # of the list, for each entry
_NOT_CONFINED = 125  # the launcher's exit status
_MISSING = (
    "this is a 7z archive, which cannot be opened here: hand in a zip (to open 7z too, the instructor can run "
    "`.venv/bin/pip install 'py7zr>=1,<2'`)"
)


def unpacked_seven_zip(
    path: Path, folder: Path, limits: Limits, confinement: Confinement | None = None
) -> Iterator[tuple[str, int, str, Path]]:
    """Of each entry its name, its size, its kind, and where its bytes are. Raises Refusal, and MachineError where the child cannot be
    confined. `confinement`: none is for one's own archives alone.
    """
    folder.mkdir()
    for name, size, kind, number in _entries(_told(path, folder, limits, confinement or Unconfined()), limits):
        yield name, size, kind, folder / str(number)


def opened_entry(path: Path) -> IO[bytes] | None:
    """The bytes of an entry. None: it was not written. Raises Refusal for what is no regular file: the child's links are not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refusal(_DAMAGED) from error
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise Refusal(_DAMAGED)
    return file


_DAMAGED = "the archive is damaged or incomplete"


def _told(path: Path, folder: Path, limits: Limits, confinement: Confinement) -> object:
    argv = [sys.executable, "-I", "-c", _START, str(_CHILD), str(path.resolve()), str(folder.resolve())]
    argv += [str(limits.members), str(limits.unpacked_bytes)]
    finished = run_confined(
        confinement,
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
    listed = opened_entry(folder / _LIST)
    if finished.timed_out or finished.returncode != 0 or listed is None:
        raise Refusal("unpacking the archive takes too much time or memory")
    with listed:
        text = listed.read(limits.members * _ENTRY_BYTES + 1)
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _entries(told: object, limits: Limits) -> Iterator[tuple[str, int, str, int]]:
    if isinstance(told, dict):
        reason = str(told.get("refused", _DAMAGED))
        raise Refusal(_MISSING if reason == "missing" else reason[:300])
    if not isinstance(told, list) or len(told) > limits.members:
        raise Refusal(_DAMAGED)
    for one in told:
        match one:
            case [str(name), int(size), str(kind), int(number)] if size >= 0:
                yield name, size, kind, number
            case _:
                raise Refusal(_DAMAGED)


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
