"""Confinement by bubblewrap, with the kit's launcher as a second wall inside it.

Bubblewrap makes a file system that holds only what is listed, without a network and without other processes. The launcher inside
adds limits, a system-call filter and, where the kernel has it, Landlock. Run by root, bubblewrap makes no user namespace. In one,
root would stay root, to whom the kernel does not apply the limit on processes, and the launcher could not change to a spare user.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.system.confinement import (
    DEVICES,
    GPU_FOLDERS,
    ON_A_GPU,
    Confinement,
    gpu_devices,
    outermost_first,
    spare_user_option,
    system_files,
    system_folders,
    system_links,
    toolchain_path,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.system.confinement import Profile


# Confinement by the kit's own launcher alone: Landlock, seccomp and resource limits. `Unconfined` uses its limits only.
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
    sized_tmpfs: bool = True  # bubblewrap from 0.7 on

    @property
    def name(self) -> str:  # type: ignore[override]  # a field of the others
        return "bubblewrap (Landlock, seccomp)" if self.landlock else "bubblewrap (seccomp)"

    def _launcher(self, readable: Sequence[Path], writable: Sequence[Path], profile: Profile) -> list[str]:
        return [
            str(self.bwrap),
            *self._isolation(),
            *self._system(),
            *(_gpu() if profile in ON_A_GPU else []),
            *self._paths(readable, writable),
            "--remount-ro",
            "/",
            "--",
            str(self.confine.resolve()),
            *([] if self.landlock else ["--no-landlock"]),
            *(spare_user_option() if self.as_root else ["--keep-root"]),
            *launcher_paths(self.prefix, readable, [Path("/tmp"), *writable], profile),  # noqa: S108  a private one
        ]

    def _isolation(self) -> list[str]:
        privileges = ["--cap-drop", "ALL"]
        if self.as_root:
            privileges += [argument for capability in _TO_LEAVE_ROOT for argument in ("--cap-add", capability)]
        else:
            privileges.insert(0, "--unshare-user")
        return [*privileges, *_SHARED_NOTHING, "--die-with-parent", "--new-session", "--clearenv"]

    def _system(self) -> list[str]:
        arguments = [argument for path in system_folders() for argument in ("--ro-bind", str(path), str(path))]
        arguments += [argument for path, target in system_links() for argument in ("--symlink", target, str(path))]
        arguments += [argument for path in system_files() for argument in ("--ro-bind", str(path), str(path))]
        arguments += [argument for path in DEVICES for argument in ("--dev-bind-try", str(path), str(path))]
        size = ["--size", str(_TEMPORARY_BYTES)] if self.sized_tmpfs else []
        return [*arguments, *size, "--tmpfs", "/tmp"]  # noqa: S108  a private one

    def _paths(self, readable: Sequence[Path], writable: Sequence[Path]) -> list[str]:
        reads = [*readable, self.confine, *([self.prefix] if self.prefix else [])]
        # Each path is mounted at its real place and at the place it was named by: a program may use either.
        writes = {place for path in writable for place in (path.absolute(), path.resolve())}
        places = writes | {place for path in reads for place in (path.absolute(), path.resolve())}
        arguments: list[str] = []
        for place in outermost_first(list(places)):
            arguments += ["--bind" if place in writes else "--ro-bind", str(place.resolve()), str(place)]
        return arguments


def _gpu() -> list[str]:
    """The GPU's devices, this namespace's own /proc, and the kernel's description of the hardware."""
    arguments = [argument for path in gpu_devices() for argument in ("--dev-bind", str(path), str(path))]
    folders = [path for path in GPU_FOLDERS if path != Path("/proc") and path.is_dir()]
    return [
        *arguments,
        "--proc",
        "/proc",
        *(argument for path in folders for argument in ("--ro-bind", str(path), str(path))),
    ]
