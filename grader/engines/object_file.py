"""What the submission's object file defines, needs and reaches from its entry points."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection


@dataclass(frozen=True)
class Symbol:
    name: str
    section: int | str  # an index, or "SHN_UNDEF", "SHN_ABS"
    kind: str  # "STT_FUNC", "STT_TLS", …
    is_global: bool
    size: int

    @property
    def undefined(self) -> bool:
        return self.section == "SHN_UNDEF"


@dataclass(frozen=True)
class ObjectFile:
    sections: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    uses: dict[int, frozenset[int]]  # section index -> indices of the symbols its relocations name

    def reached(self, roots: list[Symbol]) -> set[int]:
        """Indices of every symbol that code or data reachable from `roots` names."""
        open_sections = [root.section for root in roots if isinstance(root.section, int)]
        seen_sections: set[int] = set()
        seen_symbols: set[int] = set()
        while open_sections:
            section = open_sections.pop()
            if section in seen_sections:
                continue
            seen_sections.add(section)
            for index in self.uses.get(section, ()):
                seen_symbols.add(index)
                target = self.symbols[index].section
                if isinstance(target, int):
                    open_sections.append(target)
        return seen_symbols


def read_object(path: Path) -> ObjectFile:
    """Raises ELFError when the file is none."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        names, uses = [], defaultdict(set)
        symbols: list[Symbol] = []
        for section in elf.iter_sections():
            names.append(section.name)
            if isinstance(section, SymbolTableSection) and section.name == ".symtab":
                symbols = [_symbol(symbol) for symbol in section.iter_symbols()]
            elif isinstance(section, RelocationSection):
                if section.name.startswith((".rela.debug", ".rel.debug", ".rela.eh_frame", ".rela.init_array")):
                    continue
                target = section["sh_info"]
                for relocation in section.iter_relocations():
                    uses[target].add(relocation["r_info_sym"])
        if not symbols:
            message = f"{path} has no symbols"
            raise ELFError(message)
        return ObjectFile(tuple(names), tuple(symbols), {section: frozenset(used) for section, used in uses.items()})


def _symbol(symbol: Any) -> Symbol:
    return Symbol(symbol.name, symbol["st_shndx"], symbol["st_info"]["type"], symbol["st_info"]["bind"] != "STB_LOCAL", symbol["st_size"])
