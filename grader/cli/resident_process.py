"""The student's commands without waiting for Python: a process that has imported the grader stays behind after the first one, and each
later one runs in a copy of it.

Theory of operation. `tilelab test` looks for a Unix socket in a private folder and hands over its arguments, environment, folder and the
terminal's three descriptors. The resident process forks; the copy runs the command as if it had been started there, and answers with its
exit status. The resident itself runs nothing, so no copy finds what an earlier one has left in memory. It ends after `_IDLE` seconds,
when a source file that it has imported changes, and when its socket is gone. Whatever goes wrong before a copy has taken a command, the
command runs as it would without all this.

A copy differs from a process of its own in what cannot be changed after the start, such as limits and control group. These, and the
variables that Python reads as it starts, are part of the socket's name: another environment gets another resident. Confined programs can
connect to nothing (kit/sandbox/syscall_filter.cpp), and the kernel says on both sides whose process the other is.

This file is imported before anything else, so it imports little. `TILELAB_RESIDENT=0` turns it off.
"""

# ruff: noqa: PLC0415 -- see above
from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import struct
import sys
import time

TYPE_CHECKING = False  # as in typing, which imports much
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

_NAME = "tilelab"
# What a command imports late or at times.
_AT_TIMES = (
    "grader.cli.cli",
    "grader.cli.practice_commands",
    "grader.course.answer_check",
    "grader.engines.dump_scan",
    "grader.engines.runner_image",
    "grader.explain.suspect_search",
    "grader.run.failure_causes",
    "grader.pages.screens.lab_screen",
    "grader.run.program_judging",
    "grader.run.scoring.lab_score",
)
_COMMANDS = frozenset({"test", "answers", "trace", "profile", "check"})  # none that waits for keys
_IDLE = 900.0  # seconds
_TICK = 30.0  # seconds; so often it looks whether its socket is still there
_HANDSHAKE = 2.0  # seconds
_TAKEN, _INTERRUPT = b"t", b"i"
_LENGTH, _PEER = struct.Struct("I"), struct.Struct("3i")  # of what is asked; process, user and group
_LONGEST_ADDRESS = 100  # Linux has 107 bytes, of which a new socket's name takes a few more
_TERMINAL = _, _, _ERRORS = 0, 1, 2
_DESCRIPTORS = len(_TERMINAL) + 1  # and the folder
_LIMITS = 16  # of a process, in Linux
_READ_AT_START = ("PYTHON", "LC_", "LANG", "TILELAB_")
_LOST = (
    "the process that ran this command was ended by something else, as by a machine without free memory; run it again"
)


def run() -> int:
    """The `tilelab` program. Returns its exit status."""
    chosen = sys.argv[1:2] and sys.argv[1] in _COMMANDS and is_wanted(os.environ)
    path = _socket_path() if chosen else ""
    if path and (status := asked(path, sys.argv)) is not None:
        return status
    try:
        return _direct()
    finally:
        if path:
            _leave_behind(path)


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Not in continuous integration, where nothing may stay behind."""
    return environment.get("TILELAB_RESIDENT", "") != "0" and "CI" not in environment


def _direct() -> int:
    from grader.system.worker_processes import collect_rarely

    collect_rarely()
    from grader.cli.cli import app

    try:
        app(prog_name=_NAME)  # not what the process was started as
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _socket_path() -> str:
    """Empty: there is no place for one here."""
    import hashlib
    import resource

    folder = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/{_NAME}-{os.getuid()}"  # noqa: S108 -- it is looked at
    with contextlib.suppress(OSError):
        os.mkdir(folder, 0o700)
    if not _is_private(folder):
        return ""
    read_at_start = [item for item in os.environ.items() if item[0].startswith(_READ_AT_START)]
    mask = os.umask(0)
    os.umask(mask)
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as groups:
            places = [groups.read(), *(os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "pid", "user"))]
    except OSError:
        return ""
    process = mask, os.nice(0), os.getuid(), os.getgid(), os.getgroups(), sorted(os.sched_getaffinity(0))
    limits = [resource.getrlimit(one) for one in range(_LIMITS)]
    told = repr((sys.prefix, os.uname().nodename, sys.version, places, process, limits, sorted(read_at_start)))
    return os.path.join(folder, f"{_NAME}-{hashlib.sha256(told.encode()).hexdigest()[:16]}")


def _is_private(folder: str) -> bool:
    """A folder of this user's, in which nobody else can do anything."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _address(path: str) -> str:
    """By a descriptor of its folder, which stays open: the name of a folder may be longer than an address."""
    if len(os.fsencode(path)) < _LONGEST_ADDRESS:
        return path
    return f"/proc/self/fd/{os.open(os.path.dirname(path), os.O_PATH)}/{os.path.basename(path)}"


def _is_ours(connection: socket.socket) -> bool:
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return bool(_PEER.unpack(told)[1] == os.getuid())


# In the process that the student has started.


def asked(path: str, arguments: list[str]) -> int | None:
    """The exit status of a command that the resident has run. None: it has not taken the command."""
    import marshal

    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_HANDSHAKE)
            connection.connect(_address(path))
            if not _is_ours(connection):
                return None
            told = marshal.dumps((arguments, dict(os.environ)))
            here = os.open(".", os.O_PATH | os.O_DIRECTORY)
            try:
                socket.send_fds(connection, [_LENGTH.pack(len(told))], [*_TERMINAL, here])
            finally:
                os.close(here)
            connection.sendall(told)
            if connection.recv(1) != _TAKEN:
                return None
            connection.settimeout(None)
            return _awaited(connection)
    except OSError:
        return None


def _awaited(connection: socket.socket) -> int:
    while True:
        try:
            status = connection.recv(1)
        except KeyboardInterrupt:
            with contextlib.suppress(OSError):
                connection.send(_INTERRUPT)
            continue
        except OSError:
            status = b""
        if status:
            return status[0]
        sys.stderr.write(f"{_NAME}: {_LOST}\n")
        return 3


def _leave_behind(path: str) -> None:
    """Starts a resident that has imported what this process has. It imports while the student reads."""
    import subprocess

    names = [name for name, one in sys.modules.items() if getattr(one, "__file__", None) and name != "__main__"]
    with contextlib.suppress(OSError):
        started = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.cli.resident_process", path],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert started.stdin is not None
        started.stdin.write("\n".join(names).encode())
        started.stdin.close()
        started.returncode = 0  # nobody waits for it


# In the resident process.


def stay(path: str, modules: list[str]) -> None:
    import gc
    import importlib

    began = time.time()
    for name in (*_AT_TIMES, *modules):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _complete_models()
    sources = _stamps()
    if any(changed_ns > began * 1e9 for changed_ns, _ in sources.values()):
        return
    with _listening(path) as listener:
        own = os.stat(path).st_ino
        gc.collect()
        gc.freeze()  # copies share what nobody writes to
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        last = time.monotonic()
        while time.monotonic() - last < _IDLE and _inode(path) == own:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                if _stamps() != sources:
                    break
                last = time.monotonic()
                _take(connection, listener)
        if _inode(path) == own:
            os.unlink(path)


def _complete_models() -> None:
    """Each would else be built at its first use, once more in each copy."""
    from pydantic import BaseModel

    kinds = BaseModel.__subclasses__()
    for kind in kinds:
        kind.model_rebuild(raise_errors=False)
        kinds += kind.__subclasses__()


def _stamps() -> dict[str, tuple[int, int]]:
    files = [getattr(one, "__file__", None) for one in list(sys.modules.values())]
    found = {}
    for file in [*filter(None, files), os.path.join(sys.prefix, "pyvenv.cfg")]:
        with contextlib.suppress(OSError):
            now = os.stat(file)
            found[file] = now.st_mtime_ns, now.st_size
    return found


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _listening(path: str) -> socket.socket:
    """It takes the place of an older one in one step."""
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(_TICK)
    new = f"{path}.{os.getpid()}"
    mask = os.umask(0o077)
    listener.bind(_address(new))
    os.umask(mask)
    listener.listen(8)
    os.rename(new, path)
    return listener


def _take(connection: socket.socket, listener: socket.socket) -> None:
    """Reads what is asked, and forks. What cannot be read is dropped: then the command runs where it was started."""
    import marshal

    descriptors: list[int] = []
    try:
        connection.settimeout(_HANDSHAKE)
        head, descriptors, _, _ = socket.recv_fds(connection, _LENGTH.size, _DESCRIPTORS)
        if not _is_ours(connection) or (len(head), len(descriptors)) != (_LENGTH.size, _DESCRIPTORS):
            return
        told = bytearray()
        while len(told) < _LENGTH.unpack(head)[0]:
            if not (more := connection.recv(1 << 16)):
                return
            told += more
        arguments, environment = marshal.loads(bytes(told))  # noqa: S302 -- of a process of the same user
        if os.fork() == 0:
            listener.close()
            _become(connection, arguments, environment, descriptors)
    except OSError:
        return
    finally:
        for one in descriptors:
            os.close(one)


def _become(
    connection: socket.socket, arguments: list[str], environment: dict[str, str], descriptors: list[int]
) -> None:
    """The copy runs the command, and does not return."""
    status = 3
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        *terminal, folder = descriptors
        os.fchdir(folder)
        for number, one in zip(_TERMINAL, terminal, strict=True):
            os.dup2(one, number)
        for one in descriptors:
            os.close(one)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        sys.argv = arguments
        sys.stdin, sys.stdout, sys.stderr = map(_stream, _TERMINAL, (sys.stdin, sys.stdout, sys.stderr))
        connection.settimeout(None)
        connection.send(_TAKEN)
        _listen_for_interrupts(connection)
        status = _direct()
    except BaseException:  # noqa: BLE001 -- as Python does at the end of a program
        import traceback

        traceback.print_exc()
        status = 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who has the status hangs up
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):
            connection.send(bytes([status & 0xFF]))
        os._exit(status & 0xFF)


def _stream(number: int, old: TextIO) -> TextIO:
    """As Python makes it when it starts."""
    from typing import cast

    by_lines = number == _ERRORS or os.isatty(number)
    made = open(number, "w" if number else "r", 1 if by_lines else -1, encoding=old.encoding, errors=old.errors)  # noqa: SIM115
    return cast("TextIO", made)


def _listen_for_interrupts(connection: socket.socket) -> None:
    """Ctrl-C reaches the process that the student has started; where that one is gone, nobody waits for this one."""
    import threading

    def listen() -> None:
        told = _INTERRUPT
        while told:
            told = connection.recv(1)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=listen, daemon=True).start()


if __name__ == "__main__":
    stay(sys.argv[1], sys.stdin.read().split())
