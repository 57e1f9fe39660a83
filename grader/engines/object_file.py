"""What the submission's object file defines, needs and reaches from its entry points."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from grader.engines.symbol_table import Symbol, relocated_symbols, symbols_of

_UNINTERESTING = (".rela.debug", ".rela.eh_frame", ".rela.init_array")


@dataclass(frozen=True)
class ObjectFile:
    sections: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    uses: dict[int, frozenset[int]]  # section index -> indices of the symbols its relocations name

    def reached(self, roots: Sequence[Symbol]) -> set[int]:
        """Indices of every symbol that code or data reachable from `roots` names."""
        open_sections = [root.section for root in roots if root.in_section]
        seen_sections: set[int] = set()
        seen_symbols: set[int] = set()
        while open_sections:
            section = open_sections.pop()
            if section in seen_sections:
                continue
            seen_sections.add(section)
            for index in self.uses.get(section, ()):
                seen_symbols.add(index)
                if self.symbols[index].in_section:
                    open_sections.append(self.symbols[index].section)
        return seen_symbols


def read_object(path: Path) -> ObjectFile:
    """Raises ELFError when the file is none, or not of a kind we know."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        names, uses = [], defaultdict(set)
        for section in elf.iter_sections():
            names.append(section.name)
            if section["sh_type"] == "SHT_RELA" and not section.name.startswith(_UNINTERESTING):
                uses[section["sh_info"]].update(relocated_symbols(section))
        try:
            symbols = tuple(symbols_of(elf))
        except struct.error as error:
            message = f"{path} has a broken symbol table"
            raise ELFError(message) from error
        if any(index >= len(symbols) for used in uses.values() for index in used):
            message = f"{path} relocates against symbols it does not have"
            raise ELFError(message)
        return ObjectFile(tuple(names), symbols, {section: frozenset(used) for section, used in uses.items()})
