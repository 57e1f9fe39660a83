"""Both sides of a program as they are built: the host's, and each kernel that it names. `tilelab run` and grading share it.

The text is treated as hostile: compilers and binutils run confined, and nothing of the program runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.programs.host.host_build import HostBuild, TextFrame, build_host
from grader.programs.host.host_places import demangled
from grader.programs.host.host_refusals import HostRefusal
from grader.programs.host.host_toolchain import STANDARDS, HostToolchain, host_toolchain
from grader.programs.host.kernel_symbols import MOST_KERNELS, kernel_symbols, named
from grader.programs.host.program_source import ProgramSource
from grader.programs.program_kernels import ProgramKernel, build_kernels, with_read_parameters

Progress = Callable[[str], None]  # is told what is done next
NO_FRAME = TextFrame()


@dataclass(frozen=True)
class ProgramRecipe:
    """How a program is built. `frame`: text of ours around that of the main file. `kept`: where built kernels are kept; none: nowhere."""

    source: ProgramSource
    definitions: Sequence[str] = ()
    frame: TextFrame = NO_FRAME
    kept: Path | None = None
    most_kernels: int = MOST_KERNELS


@dataclass(frozen=True)
class BuiltProgram:
    toolchain: HostToolchain
    host: HostBuild
    source: ProgramSource  # with the companions that were needed
    kernels: tuple[ProgramKernel, ...] = ()  # that the host's side names

    @property
    def names(self) -> dict[str, str]:
        """What people call each kernel, by its symbol."""
        return {one.name.symbol: one.name.shown for one in self.kernels}


def build_program(toolset: Toolset, recipe: ProgramRecipe, scratch: Path, progress: Progress) -> BuiltProgram:
    """Builds in `scratch`, which holds nothing of these names yet. Without `host.program` it could not be built."""
    progress("compiling the host's side")
    chain, host = _built_host(toolset, recipe, scratch)
    if host.program is None:
        return BuiltProgram(chain, host, recipe.source)
    source = host.source or recipe.source
    symbols = kernel_symbols(host.program)
    if len(symbols) > recipe.most_kernels:
        many = f"The program has {len(symbols)} kernels, counting each version of a template, and may have {recipe.most_kernels}."
        return BuiltProgram(chain, replace(host, program=None, refusals=(HostRefusal("", 0, many),)), source)
    names = named(symbols, demangled(chain, toolset.confinement, symbols, host.program.parent)) if symbols else []
    progress(f"compiling {len(names)} kernel{'s' if len(names) != 1 else ''}")
    made = build_kernels(toolset, source, names, scratch, recipe.definitions, recipe.kept)
    kernels = tuple(with_read_parameters(one, host.only_read) for one in made)
    return BuiltProgram(chain, host, source, kernels)


def _built_host(toolset: Toolset, recipe: ProgramRecipe, scratch: Path) -> tuple[HostToolchain, HostBuild]:
    """By the first standard of C++ that takes the program. If none does, what is told comes from the one with the fewest errors."""
    tries: list[tuple[HostToolchain, HostBuild]] = []
    for standard in STANDARDS:
        chain = host_toolchain(toolset, standard)
        folder = scratch / f"host-{standard}"
        folder.mkdir()
        host = build_host(chain, toolset.confinement, recipe.source, folder, recipe.definitions, recipe.frame)
        tries.append((chain, host))
        if host.program is not None:
            return tries[-1]
        if not _errors(host):
            break
    return min(tries, key=lambda one: _errors(one[1]))


def _errors(host: HostBuild) -> int:
    """Those of the compiler, and not a limit, the linker or a refusal of ours."""
    return host.log.count(": error: ")
