"""Confinements: what each offers, and the command line that starts a program in it. Nothing here starts a process.

The strongest is bubblewrap, with the kit's launcher as a second wall inside it. Bubblewrap makes a file system that holds only what is
listed, without a network and without other processes. The launcher inside adds limits, a system-call filter and, where the kernel has it,
Landlock. Run by root, bubblewrap makes no user namespace. In one, root would stay root, to whom the kernel does not apply the limit on
processes, and the launcher could not change to a spare user.
"""

from __future__ import annotations

import functools
import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# build: compilers and binutils, which start each other and create files. run: one program, which creates no file.
# gpu: like run, with the GPU's devices and the system files that its driver reads. program: like run, and it may create files in
# `writable`; it gets descriptor 4 as well.
# gpu-program: like gpu, and it may create files in `writable`.
Profile = Literal["build", "run", "gpu", "program", "gpu-program"]
ON_A_GPU: frozenset[Profile] = frozenset({"gpu", "gpu-program"})


class SandboxUnavailable(Exception):  # noqa: N818  a state of the machine, not a mistake
    """Nothing on this machine can confine a program. The message says what to do about it."""


@dataclass(frozen=True)
class Limits:
    """What one program may do and use. All but `wall_seconds` and `all_seconds` are per process. `processes` counts threads too."""

    profile: Profile
    cpu_seconds: int
    wall_seconds: float  # for all processes together; `run_confined` enforces it, the launcher does not
    memory_bytes: int  # private writable memory: what a program allocates; reserved address space does not count
    processes: int
    file_bytes: int
    open_files: int
    all_seconds: float = 0.0  # of processor time, for all processes together; `run_confined` enforces it; 0: no limit
    usage_to: int | None = None  # a descriptor that the launcher tells what the program used; `run_confined` sets it


class Confinement(ABC):
    """Turns an argument list into one that starts the same program confined. `name` is what a report shows.

    Inside, a program reaches only the system's programs and libraries, `readable` and `writable`. It gets descriptors 0 to 3 and a
    fixed environment. Where one path lies beneath another, each keeps its own right, with one exception: Landlock cannot make
    a part of a writable folder read-only.
    """

    name: str

    def wrap(
        self, argv: Sequence[str], *, readable: Sequence[Path] = (), writable: Sequence[Path] = (), limits: Limits
    ) -> list[str]:
        """The launcher limits all but the wall time, which `run_confined` does."""
        if not (launcher := self._launcher(readable, writable, limits.profile)):
            return list(argv)
        return [
            *launcher, f"--profile={limits.profile}", f"--cpu-seconds={limits.cpu_seconds}", f"--memory={limits.memory_bytes}",
            f"--processes={limits.processes}", f"--file-bytes={limits.file_bytes}", f"--open-files={limits.open_files}",
            *([] if limits.usage_to is None else [f"--usage-to={limits.usage_to}"]), "--", *argv,
        ]  # fmt: skip

    @abstractmethod
    def _launcher(self, readable: Sequence[Path], writable: Sequence[Path], profile: Profile) -> list[str]:
        """The kit's launcher with its options, and what starts it. Empty: nothing is limited."""


# User ids that nothing else on this machine uses. When root runs the grader, every confined program gets one of them.
#
# The kernel counts processes per user, so two programs of the same user would share one limit.

_calls = itertools.count()
_PER_GRADER = 64  # more programs than run at the same time; after these, the ids are used again
_NOBODY = 65534


def spare_user_option() -> list[str]:
    """The launcher's option where root runs us. Empty for an ordinary user, who cannot become another user."""
    if os.geteuid() != 0:
        return []
    uid_map = Path("/proc/self/uid_map").read_text(encoding="ascii")
    return [f"--user={spare_user(uid_map, os.getpid(), next(_calls))}"]


def spare_user(uid_map: str, grader: int, call: int) -> int:
    """The `call`-th id of the process `grader`. It comes from the upper half of the widest range that `uid_map` gives to this
    user namespace, because people and services get the lowest ids.
    """
    ranges = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    first, _, count = max(ranges, key=lambda widths: widths[2], default=(0, 0, 0))
    spare = count // 2 - 2  # the last two ids mean "nobody" and "no change"
    if spare <= 0:
        return _NOBODY
    return int(first + count - 3 - (grader * _PER_GRADER + call % _PER_GRADER) % spare)


# The parts of the system that a compiler or a linked program has to see: no home folders, no /proc, and of /etc only the linker's.
#
# Not all of /usr is shown: somebody may keep a course under /usr/src or /usr/local/share. The paths are looked up once per process,
# because a batch starts thousands of sandboxes.

# Each of them may be under /usr, /usr/local and / (there as a link to /usr where a system has merged the folders).
_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include")
_PLACES = [Path(root) / name for root in ("/", "/usr", "/usr/local") for name in _FOLDERS]
_LOADER_FILES = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/urandom"))
# What NVIDIA's driver reads: to find its devices, to place memory near them, and about its own process.
GPU_FOLDERS = (Path("/proc"), Path("/sys/bus"), Path("/sys/class"), Path("/sys/devices"), Path("/sys/module"))


@functools.cache
def system_folders() -> tuple[Path, ...]:
    """Real folders that hold programs, libraries and headers. Empty ones are left out, because each folder costs a mount."""
    # Debian keeps a cross compiler's libraries under /usr/<triplet>.
    candidates = [*_PLACES, *sorted(Path("/usr").glob("*-linux-gnu*"))]
    return tuple(path for path in candidates if path.is_dir() and not path.is_symlink() and any(path.iterdir()))


@functools.cache
def system_links() -> tuple[tuple[Path, str], ...]:
    """Those that are links, each with its target: /bin -> usr/bin where the folders are merged."""
    return tuple((path, str(path.readlink())) for path in _PLACES if path.is_symlink())


@functools.cache
def system_files() -> tuple[Path, ...]:
    """The parts of /etc that the dynamic loader and Debian's alternatives need."""
    return tuple(path for name in _LOADER_FILES if (path := Path("/etc") / name).exists())


def toolchain_path(prefix: Path | None) -> list[Path]:
    """Folders of a private prefix that come before the system's programs."""
    if prefix is None:
        return []
    return [path for path in (prefix / "toolchain", prefix / "usr" / "bin") if path.is_dir()]


def outermost_first(paths: list[Path]) -> list[Path]:
    """Each path once, and a folder before what lies beneath it, so that the inner mount covers the outer one."""
    return sorted(set(paths), key=lambda path: (len(path.parts), path))


def gpu_devices() -> list[Path]:
    """The device nodes of NVIDIA's driver. In WSL one node stands for all GPUs."""
    found = [*Path("/dev").glob("nvidia*"), *Path("/dev/nvidia-caps").glob("*"), Path("/dev/dxg")]
    return sorted(path for path in found if path.is_char_device())


# Confinement by the kit's own launcher: Landlock, seccomp and resource limits. `Unconfined` uses its limits only.
#
# The launcher needs neither namespaces nor privileges, so it works in containers and on CI machines too.


def launcher_paths(
    prefix: Path | None, readable: Sequence[Path], writable: Sequence[Path], profile: Profile
) -> list[str]:
    """The launcher's options for what may be read and written, including the system's folders."""
    reads = [*system_folders(), *system_files(), *([prefix.resolve()] if prefix else []), *readable]
    if profile in ON_A_GPU:
        reads += [path for path in GPU_FOLDERS if path.exists()]
    options = [f"--readable={path.absolute()}" for path in reads]
    devices = [path for path in DEVICES if path.exists()]
    options += [f"--writable={path.absolute()}" for path in (*devices, *writable)]
    options += [f"--device={path}" for path in gpu_devices()] if profile in ON_A_GPU else []
    return options + [f"--path={path}" for path in toolchain_path(prefix)]


@dataclass(frozen=True)
class Launcher(Confinement):
    """Landlock and seccomp. A parent process stays and kills what is left at the end: there is no process namespace that would.

    `keep_root`: for root in a container where root may not become another user. The kernel does not apply the limit on
    processes to root.
    """

    confine: Path
    prefix: Path | None = None
    keep_root: bool = False
    name: str = "Landlock and seccomp"

    def _launcher(self, readable: Sequence[Path], writable: Sequence[Path], profile: Profile) -> list[str]:
        # The machine's /tmp holds other people's files, so a program's temporary folder is its own folder.
        temporary = writable[0].absolute() if writable else Path("/nonexistent")
        identity = ["--keep-root"] if self.keep_root else spare_user_option()
        paths = launcher_paths(self.prefix, readable, writable, profile)
        return [str(self.confine), "--guard", *identity, f"--tmp={temporary}", *paths]


@dataclass(frozen=True)
class Unconfined(Confinement):
    """Limits and a clean environment, but no confinement: for one's own code on one's own machine, or where an option asks for it.

    Without a launcher (`confine` is None) there are no limits either.
    """

    confine: Path | None = None
    prefix: Path | None = None
    name: str = "none"

    def _launcher(self, readable: Sequence[Path], writable: Sequence[Path], profile: Profile) -> list[str]:  # noqa: ARG002  everything is readable
        if self.confine is None:
            return []
        path = [f"--path={path}" for path in toolchain_path(self.prefix)]
        return [str(self.confine), "--guard", "--keep-root", "--no-landlock", "--no-seccomp", *path]


_SHARED_NOTHING = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
# The capabilities that the launcher needs to stop being root. It keeps only the last one, and says there why.
_TO_LEAVE_ROOT = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE")
_TEMPORARY_BYTES = 256 << 20


@dataclass(frozen=True)
class Bubblewrap(Confinement):
    """`as_root`: root runs it, and the launcher changes to another user. Otherwise it runs in a user namespace."""

    bwrap: Path
    confine: Path
    prefix: Path | None = None
    as_root: bool = False
    landlock: bool = True

    @property
    def name(self) -> str:  # type: ignore[override]  # a field of the others
        return "bubblewrap (Landlock, seccomp)" if self.landlock else "bubblewrap (seccomp)"

    def _launcher(self, readable: Sequence[Path], writable: Sequence[Path], profile: Profile) -> list[str]:
        kept = [argument for one in _TO_LEAVE_ROOT for argument in ("--cap-add", one)] if self.as_root else []
        links = [argument for path, target in system_links() for argument in ("--symlink", target, str(path))]
        return [
            str(self.bwrap), *([] if self.as_root else ["--unshare-user"]), "--cap-drop", "ALL", *kept, *_SHARED_NOTHING,
            "--die-with-parent", "--new-session", "--clearenv",
            *_bound("--ro-bind", system_folders()), *links, *_bound("--ro-bind", system_files()),
            *_bound("--dev-bind-try", DEVICES), "--size", str(_TEMPORARY_BYTES), "--tmpfs", "/tmp",  # noqa: S108  a private one
            *(_gpu() if profile in ON_A_GPU else []), *self._paths(readable, writable), "--remount-ro", "/", "--",
            str(self.confine.resolve()), *([] if self.landlock else ["--no-landlock"]),
            *(spare_user_option() if self.as_root else ["--keep-root"]),
            *launcher_paths(self.prefix, readable, [Path("/tmp"), *writable], profile),  # noqa: S108  a private one
        ]  # fmt: skip

    def _paths(self, readable: Sequence[Path], writable: Sequence[Path]) -> list[str]:
        reads = [*readable, self.confine, *([self.prefix] if self.prefix else [])]
        # Each path is mounted at its real place and at the place it was named by: a program may use either.
        writes = {place for path in writable for place in (path.absolute(), path.resolve())}
        places = writes | {place for path in reads for place in (path.absolute(), path.resolve())}
        arguments: list[str] = []
        for place in outermost_first(list(places)):
            arguments += ["--bind" if place in writes else "--ro-bind", str(place.resolve()), str(place)]
        return arguments


def _bound(option: str, paths: Iterable[Path]) -> list[str]:
    return [argument for path in paths for argument in (option, str(path), str(path))]


def _gpu() -> list[str]:
    """The GPU's devices, this namespace's own /proc, and the kernel's description of the hardware."""
    folders = (path for path in GPU_FOLDERS if path != Path("/proc") and path.is_dir())
    return [*_bound("--dev-bind", gpu_devices()), "--proc", "/proc", *_bound("--ro-bind", folders)]
