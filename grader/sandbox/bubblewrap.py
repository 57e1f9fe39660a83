"""Confinement by bubblewrap, with the kit's launcher as a second wall inside it.

Bubblewrap makes a file system of nothing but what is listed, without network and other processes. The launcher inside
adds limits, a system-call filter and, where the kernel has it, Landlock. As root bubblewrap makes no user namespace:
there root would stay root, whom the kernel exempts from the limit on processes, and the launcher could not become a
user of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.sandbox.launcher import launcher_limits, launcher_paths
from grader.sandbox.spare_users import as_nobody_else
from grader.sandbox.system_paths import (
    DEVICES,
    GPU_FOLDERS,
    gpu_devices,
    outermost_first,
    system_files,
    system_folders,
    system_links,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.sandbox.confinement import Limits, Profile

_SHARED_NOTHING = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
# What the launcher needs to stop being root; the last is all that it keeps, and says why.
_TO_LEAVE_ROOT = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE")
_TEMPORARY_BYTES = 256 << 20


@dataclass(frozen=True)
class Bubblewrap:
    """`as_root`: run by root, with the launcher leaving root. Otherwise in a user namespace."""

    bwrap: Path
    confine: Path
    prefix: Path | None = None
    as_root: bool = False
    landlock: bool = True
    sized_tmpfs: bool = True  # bubblewrap from 0.7 on

    @property
    def name(self) -> str:
        return "bubblewrap (Landlock, seccomp)" if self.landlock else "bubblewrap (seccomp)"

    def wrap(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path],
        writable: Sequence[Path],
        limits: Limits,
        profile: Profile,
    ) -> list[str]:
        return [
            str(self.bwrap),
            *self._walls(),
            *self._system(),
            *(_gpu() if profile == "gpu" else []),
            *self._given(readable, writable),
            "--remount-ro",
            "/",
            "--",
            str(self.confine.resolve()),
            *([] if self.landlock else ["--no-landlock"]),
            *(as_nobody_else() if self.as_root else ["--keep-root"]),
            f"--profile={profile}",
            *launcher_limits(limits),
            *launcher_paths(self.prefix, readable, [Path("/tmp"), *writable], profile),  # noqa: S108  a private one
            "--",
            *argv,
        ]

    def _walls(self) -> list[str]:
        privileges = ["--cap-drop", "ALL"]
        if self.as_root:
            privileges += [word for capability in _TO_LEAVE_ROOT for word in ("--cap-add", capability)]
        else:
            privileges.insert(0, "--unshare-user")
        return [*privileges, *_SHARED_NOTHING, "--die-with-parent", "--new-session", "--clearenv"]

    def _system(self) -> list[str]:
        words = [word for path in system_folders() for word in ("--ro-bind", str(path), str(path))]
        words += [word for path, target in system_links() for word in ("--symlink", target, str(path))]
        words += [word for path in system_files() for word in ("--ro-bind", str(path), str(path))]
        words += [word for path in DEVICES for word in ("--dev-bind-try", str(path), str(path))]
        size = ["--size", str(_TEMPORARY_BYTES)] if self.sized_tmpfs else []
        return [*words, *size, "--tmpfs", "/tmp"]  # noqa: S108  a private one

    def _given(self, readable: Sequence[Path], writable: Sequence[Path]) -> list[str]:
        reads = [*readable, self.confine, *([self.prefix] if self.prefix else [])]
        # At its real place, and at the one it was named by: a program may ask for either.
        writes = {place for path in writable for place in (path.absolute(), path.resolve())}
        places = writes | {place for path in reads for place in (path.absolute(), path.resolve())}
        words: list[str] = []
        for place in outermost_first(list(places)):
            words += ["--bind" if place in writes else "--ro-bind", str(place.resolve()), str(place)]
        return words


def _gpu() -> list[str]:
    """The GPU's devices, a /proc of this namespace's own, and the hardware as the kernel describes it."""
    words = [word for path in gpu_devices() for word in ("--dev-bind", str(path), str(path))]
    folders = [path for path in GPU_FOLDERS if path != Path("/proc") and path.is_dir()]
    return [*words, "--proc", "/proc", *(word for path in folders for word in ("--ro-bind", str(path), str(path)))]
