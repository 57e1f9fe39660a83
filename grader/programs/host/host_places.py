"""Which line of the user's own files made a call: from return addresses and the program's debug information. binutils read the program,
confined, because a program may be hostile to whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.programs.host.host_toolchain import HostToolchain
from grader.sandbox import Confinement, Limits, run_confined

_LIMITS = Limits(
    cpu_seconds=30, wall_seconds=60, memory_bytes=2 << 30, processes=16, file_bytes=64 << 20, open_files=64
)
_MOST = 4096  # addresses
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?: \(discriminator \d+\))?")


@dataclass(frozen=True)
class Place:
    file: str
    line: int


def places_of(
    toolchain: HostToolchain, confinement: Confinement, program: Path, addresses: Collection[int], own: Collection[str]
) -> dict[int, Place]:
    """The place of each return address whose line is known. `own`: names of the user's files; a call from a header of the kit counts for
    the line that it was inlined into.
    """
    asked = sorted(addresses)[:_MOST]
    if not asked:
        return {}
    finished = run_confined(
        confinement,
        [*toolchain.home.before, "addr2line", "-a", "-i", "-e", str(program)],
        readable=[program.parent],
        writable=[],
        limits=_LIMITS,
        profile="build",
        cwd=program.parent,
        stdin="".join(f"{address - 1:#x}\n" for address in asked).encode(),
    )
    found: dict[int, Place] = {}
    for address, lines in _answers(finished.stdout.decode("utf-8", "replace")):
        place = next((place for place in map(_place, lines) if place and place.file in own), None)
        if place is not None:
            found[address + 1] = place
    return found


def demangled(toolchain: HostToolchain, confinement: Confinement, symbols: Sequence[str], folder: Path) -> list[str]:
    """What c++filt makes of each; the symbols themselves where it fails."""
    finished = run_confined(
        confinement,
        [*toolchain.home.before, "c++filt"],
        readable=[folder],
        writable=[],
        limits=_LIMITS,
        profile="build",
        cwd=folder,
        stdin="".join(f"{one}\n" for one in symbols).encode(),
    )
    names = finished.stdout.decode("utf-8", "replace").splitlines()
    return names if finished.returncode == 0 and len(names) == len(symbols) else list(symbols)


def _answers(output: str) -> Iterator[tuple[int, list[str]]]:
    """For each address the lines of its inlined calls, the innermost first."""
    lines = output.splitlines()
    starts = [number for number, line in enumerate(lines) if _ADDRESS.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        yield int(lines[start], 16), lines[start + 1 : end]


def _place(line: str) -> Place | None:
    match = _LINE.fullmatch(line)
    return Place(match["file"].rpartition("/")[2], int(match["line"])) if match and int(match["line"]) else None


def at(places: Mapping[int, Place], address: int | None) -> Place | None:
    return places.get(address or 0)
