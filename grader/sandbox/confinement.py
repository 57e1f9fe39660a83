"""What every confinement offers. Plain data and one protocol: nothing here starts a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# build: compilers and binutils, which start each other and make files. run: one program, which makes none.
# gpu: as run, with the GPU's devices and what its driver reads of the system.
Profile = Literal["build", "run", "gpu"]


class SandboxUnavailable(Exception):  # noqa: N818  a state of the machine, not a mistake
    """Nothing on this machine can confine a program; the message says what to do about it."""


@dataclass(frozen=True)
class Limits:
    """What one program may use up. All but `wall_seconds` hold per process; `processes` counts threads too."""

    cpu_seconds: int
    wall_seconds: float  # for the whole tree; kept by `run_confined`, not by the wrapped program itself
    memory_bytes: int  # private writable memory: what a program really allocates, not what it reserves
    processes: int
    file_bytes: int
    open_files: int


class Confinement(Protocol):
    """Turns an argument list into one that starts the same program confined.

    Inside, only the system's programs and libraries, `readable` and `writable` can be reached; descriptors 0 to 3 are
    passed on and nothing else; the environment is a fixed one. Where one path lies beneath another, both hold, except
    that Landlock cannot make a part of a writable folder read-only.
    """

    @property
    def name(self) -> str:
        """What a report shows as having been in force."""
        ...

    def wrap(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path],
        writable: Sequence[Path],
        limits: Limits,
        profile: Profile,
    ) -> list[str]: ...
