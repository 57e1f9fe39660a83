"""Confinement by the kit's own launcher alone: Landlock, seccomp and resource limits. `Unconfined` uses its limits only.

The launcher needs neither namespaces nor privileges, so it works in containers and on CI machines too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.sandbox.confinement import ON_A_GPU
from grader.sandbox.spare_users import spare_user_option
from grader.sandbox.system_paths import (
    DEVICES,
    GPU_FOLDERS,
    gpu_devices,
    system_files,
    system_folders,
    toolchain_path,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.sandbox.confinement import Limits, Profile


def launcher_limits(limits: Limits) -> list[str]:
    """The launcher's options for `limits`. The wall time is not among them: `run_confined` limits that."""
    return [
        f"--cpu-seconds={limits.cpu_seconds}",
        f"--memory={limits.memory_bytes}",
        f"--processes={limits.processes}",
        f"--file-bytes={limits.file_bytes}",
        f"--open-files={limits.open_files}",
        *([] if limits.usage_to is None else [f"--usage-to={limits.usage_to}"]),
    ]


def launcher_paths(
    prefix: Path | None, readable: Sequence[Path], writable: Sequence[Path], profile: Profile
) -> list[str]:
    """The launcher's options for what may be read and written, including the system's folders."""
    reads = [*system_folders(), *system_files(), *([prefix.resolve()] if prefix else []), *readable]
    if profile in ON_A_GPU:
        reads += [path for path in GPU_FOLDERS if path.exists()]
    options = [f"--readable={path.absolute()}" for path in reads]
    options += [f"--writable={path.absolute()}" for path in (*_devices(), *writable)]
    options += [f"--device={path}" for path in gpu_devices()] if profile in ON_A_GPU else []
    return options + [f"--path={path}" for path in toolchain_path(prefix)]


def _devices() -> list[Path]:
    return [path for path in DEVICES if path.exists()]


@dataclass(frozen=True)
class Launcher:
    """Landlock and seccomp. A parent process stays and kills what is left at the end: there is no process namespace that would.

    `keep_root`: for root in a container where root may not become another user. The kernel does not apply the limit on
    processes to root.
    """

    confine: Path
    prefix: Path | None = None
    keep_root: bool = False
    name: str = "Landlock and seccomp"

    def wrap(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path],
        writable: Sequence[Path],
        limits: Limits,
        profile: Profile,
    ) -> list[str]:
        # The machine's /tmp holds other people's files, so a program's temporary folder is its own folder.
        temporary = writable[0].absolute() if writable else Path("/nonexistent")
        return [
            str(self.confine),
            "--guard",
            *(["--keep-root"] if self.keep_root else spare_user_option()),
            f"--profile={profile}",
            f"--tmp={temporary}",
            *launcher_limits(limits),
            *launcher_paths(self.prefix, readable, writable, profile),
            "--",
            *argv,
        ]


@dataclass(frozen=True)
class Unconfined:
    """Limits and a clean environment, but no confinement: for one's own code on one's own machine, or where an option asks for it.

    Without a launcher (`confine` is None) there are no limits either.
    """

    confine: Path | None = None
    prefix: Path | None = None
    name: str = "none"

    def wrap(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path],  # noqa: ARG002  everything is readable
        writable: Sequence[Path],  # noqa: ARG002
        limits: Limits,
        profile: Profile,
    ) -> list[str]:
        if self.confine is None:
            return list(argv)
        return [
            str(self.confine),
            "--guard",
            "--keep-root",
            "--no-landlock",
            "--no-seccomp",
            f"--profile={profile}",
            *launcher_limits(limits),
            *(f"--path={path}" for path in toolchain_path(self.prefix)),
            "--",
            *argv,
        ]
