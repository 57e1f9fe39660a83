"""What every confinement offers: plain data and one protocol. Nothing here starts a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    """What one program may use. All limits except `wall_seconds` and `all_seconds` are per process. `processes` counts threads too."""

    cpu_seconds: int
    wall_seconds: float  # for all processes together; `run_confined` enforces it, the launcher does not
    memory_bytes: int  # private writable memory: what a program allocates; reserved address space does not count
    processes: int
    file_bytes: int
    open_files: int
    all_seconds: float = 0.0  # of processor time, for all processes together; `run_confined` enforces it; 0: no limit
    usage_to: int | None = None  # a descriptor that the launcher tells what the program used; `run_confined` sets it


class Confinement(Protocol):
    """Turns an argument list into one that starts the same program confined.

    Inside, a program reaches only the system's programs and libraries, `readable` and `writable`. It gets descriptors 0 to 3 and a
    fixed environment. Where one path lies beneath another, each keeps its own right, with one exception: Landlock cannot make
    a part of a writable folder read-only.
    """

    @property
    def name(self) -> str:
        """The name that a report shows."""
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
