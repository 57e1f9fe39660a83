"""The texts of a program: its file, other sources of it, and their author's own headers. They are read here, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.kernel_files.kernel_source import CheckError, KernelSource, read_kernel_source, with_flat_includes


@dataclass(frozen=True)
class ProgramSource:
    """Several sources that are linked to one program, the one with the user's file name first."""

    units: tuple[KernelSource, ...]

    @property
    def main(self) -> KernelSource:
        return self.units[0]

    @property
    def texts(self) -> dict[str, str]:
        """Every text by the name of its file, unchanged."""
        return {name: text for unit in reversed(self.units) for name, text in unit.texts.items()}

    def texts_in_order(self) -> dict[str, str]:
        """The same, the program's own file first."""
        return {self.main.name: self.main.texts[self.main.name], **self.texts}

    def lines(self) -> dict[str, list[str]]:
        return {name: text.split("\n") for name, text in self.texts_in_order().items()}


def read_program(file: Path, others: Sequence[Path], folders: Sequence[Path]) -> ProgramSource:
    """`folders`: -I. Raises CheckError, which names the file."""
    units = [read_kernel_source(path, folders) for path in (file, *others)]
    names = [unit.name for unit in units]
    if len(set(names)) < len(names):
        message = "two sources of one program cannot have the same file name here"
        raise CheckError(message)
    return ProgramSource(tuple(units))


def companions_of(source: ProgramSource) -> list[KernelSource]:
    """Sources beside own headers, which may define what the program lacks, each with the texts of the unit that names it."""
    known = {unit.name for unit in source.units} | set(source.texts)
    found: dict[str, KernelSource] = {}
    for unit in source.units:
        headers = {name: text for name, text in unit.texts.items() if name != unit.name}
        for name, text in unit.companions.items():
            if name not in known:
                found.setdefault(name, KernelSource(name, {name: text, **headers}))
    return list(found.values())


def flat_texts(unit: KernelSource) -> dict[str, str]:
    """The unit's texts as they lie in one folder, whatever folders they came from."""
    return {name: with_flat_includes(text, unit.texts, unit.name) for name, text in unit.texts.items()}
