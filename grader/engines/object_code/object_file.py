"""The submission's object file: what it defines, what it needs, and what its entry points reach."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError

from grader.engines.object_code.code_loops import BLOCK_BEGINS
from grader.engines.object_code.execution_space import ExecutionSpace
from grader.engines.object_code.quick_elf import QuickElf
from grader.engines.object_code.symbol_table import Symbol, relocations_of, symbols_of

_UNINTERESTING = (".rela.debug", ".rela.eh_frame")


@dataclass(frozen=True)
class ObjectFile:
    sections: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    uses: dict[int, frozenset[int]]  # section index -> indices of the symbols that its relocations name
    block_offsets: dict[
        str, list[int]
    ]  # function -> where its basic blocks announce themselves, as offsets from its first byte
    spaces: tuple[ExecutionSpace, ...]  # by section

    def reached_sections(self, first: Iterable[int]) -> set[int]:
        """Indices of these sections, of every section that they name, and so on. Each function has its own section."""
        waiting, seen = list(first), set[int]()
        while waiting:
            section = waiting.pop()
            if section not in seen:
                seen.add(section)
                named = (self.symbols[index] for index in self.uses.get(section, ()))
                waiting.extend(symbol.section for symbol in named if symbol.in_section)
        return seen

    def reached(self, roots: Iterable[Symbol]) -> set[int]:
        """Indices of all symbols that are named by code or data reachable from `roots`."""
        sections = self.reached_sections(root.section for root in roots if root.in_section)
        return {index for section in sections for index in self.uses.get(section, ())}

    def space_of(self, symbol: Symbol) -> ExecutionSpace:
        """Of a symbol that is in a section."""
        return self.spaces[symbol.section]

    def functions_in(self, sections: set[int]) -> set[str]:
        return {s.name for s in self.symbols if s.kind == "STT_FUNC" and s.in_section and s.section in sections}


def read_object(path: Path) -> ObjectFile:
    """Raises ELFError where the file is no ELF file, or of a kind that we do not know."""
    with path.open("rb") as stream:
        elf = QuickElf(stream)
        names: list[str] = []
        spaces: list[ExecutionSpace] = []
        places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for section in elf.iter_sections():
            names.append(section.name)
            spaces.append(ExecutionSpace(section["sh_flags"], section["sh_addralign"]))
            if section["sh_type"] == "SHT_RELA" and not section.name.startswith(_UNINTERESTING):
                places[section["sh_info"]].extend(relocations_of(section))
        try:
            symbols = tuple(symbols_of(elf))
        except struct.error as error:
            message = f"{path} has a broken symbol table"
            raise ELFError(message) from error
        uses = {section: frozenset(symbol for _, symbol in found) for section, found in places.items()}
        if any(index >= len(symbols) for used in uses.values() for index in used):
            message = f"{path} relocates against symbols it does not have"
            raise ELFError(message)
        return ObjectFile(tuple(names), symbols, uses, _block_offsets(symbols, places), tuple(spaces))


def _block_offsets(symbols: Sequence[Symbol], places: Mapping[int, list[tuple[int, int]]]) -> dict[str, list[int]]:
    """The relocation of a call is at its last four bytes, on x86-64 and on aarch64. The call returns to the address after them."""
    announces = {index for index, symbol in enumerate(symbols) if symbol.name == BLOCK_BEGINS}
    returns = {
        section: sorted(offset + 4 for offset, symbol in found if symbol in announces)
        for section, found in places.items()
    }
    found: dict[str, list[int]] = {}
    for symbol in symbols:
        if symbol.kind == "STT_FUNC" and symbol.in_section and (all_of_section := returns.get(symbol.section)):
            first, end = (
                bisect_right(all_of_section, symbol.value),
                bisect_right(all_of_section, symbol.value + symbol.size),
            )
            found[symbol.name] = [offset - symbol.value for offset in all_of_section[first:end]]
    return found
