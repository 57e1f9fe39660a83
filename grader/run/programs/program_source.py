"""The texts of a program: its file, other sources of it, and their author's own headers. They are read here, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.engines.objects.symbol_table import ElfFile, Symbol
from grader.run.kernels.host_code import items_of
from grader.run.kernels.kernel_source import CheckError, KernelSource, base_name, read_kernel_source, with_flat_includes
from grader.run.programs.host_text import MARK


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
        raise CheckError("two sources of one program cannot have the same file name here")
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


# Which kernels a linked host program names, by the marks in their stubs: exact for templates, overloads and namespaces. And how each of
# them is called in C++, which its device code is built by.

MOST_KERNELS = 200
_MARK = re.compile(rf"_ZZ(?P<kernel>[\w.$]+)E{len(MARK)}{MARK}(?:[_.\d]*)")
_OUR_NAMESPACE = re.compile(r"\bcuda_on_cpu::")
_UNNAMED = re.compile(r"\(anonymous namespace\)::|\{anonymous\}::")


@dataclass(frozen=True)
class KernelName:
    symbol: str  # "_Z5scaleIfEvPT_i"
    signature: str  # "scale<float>(float*, int)"

    @property
    def shown(self) -> str:
        """As people write it: without parameters."""
        return without_parameters(self.signature)


def kernel_symbols(program: Path) -> list[str]:
    """The symbols of the kernels, at most MOST_KERNELS. The program is hostile; so its names are words and nothing else."""
    symbols = ElfFile(program).symbols
    functions = {one.name for one in symbols if one.kind == "STT_FUNC"}
    found = dict.fromkeys(name for one in symbols if (name := _marked(one, functions)))
    return list(found)[:MOST_KERNELS]


def _marked(symbol: Symbol, functions: set[str]) -> str:
    match = _MARK.fullmatch(symbol.name) if symbol.kind == "STT_OBJECT" else None
    if match is None:
        return ""
    plain = re.sub(r"^\d+", "", match["kernel"])  # extern "C" has no mangled name
    return next((name for name in (f"_Z{match['kernel']}", plain) if name in functions), "")


def signature_of(demangled: str) -> str:
    """Without the kit's namespace, unnamed ones, and the return type that templates have."""
    text = _UNNAMED.sub("", _OUR_NAMESPACE.sub("", demangled)).strip()
    return text.removeprefix("void ")


def without_parameters(signature: str) -> str:
    """`scale<(Op)0>` of `scale<(Op)0>(float*)`."""
    at = _parameters_at(signature)
    return signature[:at] if at else signature


def _parameters_at(signature: str) -> int:
    """Where the parameter list begins: the last `(` outside all other brackets."""
    depth, found = 0, 0
    for at, sign in enumerate(signature):
        if sign in "<([{":
            if sign == "(" and depth == 0:
                found = at
            depth += 1
        elif sign in ">)]}" and signature[at - 1 : at + 1] != "->":
            depth -= 1
    return found


def buildable_name(kernel: KernelName, source: KernelSource) -> str:
    """The name as `engines/entry_points.py` takes it: with parameters where the file has several versions that are no templates."""
    versions = [item for item, _ in source.items() if item.kernel == base_name(kernel.shown)]
    return kernel.signature if len(versions) > 1 and "<" not in kernel.shown else kernel.shown


def unit_of(kernel: KernelName, units: Sequence[KernelSource]) -> KernelSource | None:
    """The source that defines the kernel: the one whose own file does, else the first that does in a header."""
    base = base_name(kernel.shown)
    able = [unit for unit in units if unit.name in unit.texts and any(item.kernel == base for item, _ in unit.items())]
    own = (unit for unit in able if any(item.kernel == base for item in items_of(unit.texts[unit.name])))
    return next(iter([*own, *able]), None)
