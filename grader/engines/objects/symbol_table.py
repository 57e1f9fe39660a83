"""Reads the symbol and relocation records of 64-bit little-endian ELF files in bulk.

pyelftools parses the file's structure and its debug information. It would parse symbols one by one, which takes a tenth of a second
per runner, and a student would wait for that at every `make test`.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section

from grader.engines.objects.assembly import BLOCK_BEGINS
from grader.engines.objects.entry_walk import QuickElf

_SYMBOL = struct.Struct("<IBBHQQ")  # st_name, st_info, st_other, st_shndx, st_value, st_size
_RELOCATION = struct.Struct("<QQq")  # r_offset, r_info, r_addend
_KINDS = {
    0: "STT_NOTYPE",
    1: "STT_OBJECT",
    2: "STT_FUNC",
    3: "STT_SECTION",
    4: "STT_FILE",
    6: "STT_TLS",
    10: "STT_GNU_IFUNC",
}
_CODES = {name: code for code, name in _KINDS.items()}
_Record = tuple[int, int, int, int, int, int]
_FIRST_SPECIAL_SECTION = 0xFF00


@dataclass(frozen=True)
class Symbol:
    name: str
    section: int  # its index; 0: undefined; from 0xFF00 on: absolute, common, …
    kind: str  # "STT_FUNC", "STT_TLS", …
    is_global: bool
    value: int
    size: int

    @property
    def undefined(self) -> bool:
        return self.section == 0

    @property
    def in_section(self) -> bool:
        return 0 < self.section < _FIRST_SPECIAL_SECTION


def symbols_of(elf: ELFFile) -> list[Symbol]:
    """Every entry of .symtab, in order. Raises ELFError where there is no .symtab."""
    table = elf.get_section_by_name(".symtab")
    if table is None or elf.elfclass != 64 or not elf.little_endian:  # noqa: PLR2004 - bits
        message = "no symbol table of a 64-bit little-endian file"
        raise ELFError(message)
    names = elf.get_section(table["sh_link"]).data()
    return [_symbol(record, names) for record in _SYMBOL.iter_unpack(table.data())]


def thread_local_symbols(elf: ELFFile) -> dict[str, Symbol]:
    """The thread-local symbols."""
    records, names = _records(elf, "STT_TLS")
    return {symbol.name: symbol for symbol in (_symbol(record, names) for record in records)}


def function_symbols(elf: ELFFile) -> list[tuple[str, int]]:
    """Every name of every function with the function's first address."""
    records, names = _records(elf, "STT_FUNC")
    return [(_name(names, record[0]), record[4]) for record in records]


def data_symbols(elf: ELFFile, sections: Collection[str]) -> tuple[Symbol, ...]:
    """The variables in these sections, sorted by address, one for each address."""
    records, names = _records(elf, "STT_OBJECT")
    wanted = {index for index, section in enumerate(elf.iter_sections()) if section.name in sections}
    found = (_symbol(record, names) for record in records if record[3] in wanted)
    largest_last = sorted(found, key=lambda one: (one.value, one.size, one.name))
    return tuple({symbol.value: symbol for symbol in largest_last}.values())


def relocations_of(section: Section) -> Iterator[tuple[int, int]]:
    """For every relocation in a SHT_RELA section: its offset, and the index of its symbol."""
    for offset, info, _ in _RELOCATION.iter_unpack(section.data()):
        yield offset, info >> 32


def _records(elf: ELFFile, kind: str) -> tuple[Iterator[_Record], bytes]:
    """The records of one kind, and the table of names. No objects are made for the thousands of other symbols."""
    table = elf.get_section_by_name(".symtab")
    if table is None:
        return iter(()), b""
    code = _CODES[kind]
    records = (record for record in _SYMBOL.iter_unpack(table.data()) if record[1] & 15 == code)
    return records, elf.get_section(table["sh_link"]).data()


def _symbol(record: _Record, names: bytes) -> Symbol:
    name, info, _, section, value, size = record
    return Symbol(_name(names, name), section, _KINDS.get(info & 15, f"STT_{info & 15}"), info >> 4 != 0, value, size)


def _name(names: bytes, begin: int) -> str:
    return names[begin : names.find(b"\0", begin)].decode("utf-8", "replace")


# What a declaration said: __global__, __device__, __host__ or __constant__, as the compiler understood it.
#
# The kit's header makes attributes of these words, and each leaves a mark on the section of its function or variable: a flag or an
# alignment. So macros, templates and earlier declarations count as the compiler counts them. kit/executor/device/cuda_on_cpu.hpp holds the
# other half. An author who writes the attributes himself makes his file wrong for nvcc, and gains nothing here.

RETAIN = 1 << 21  # SHF_GNU_RETAIN: the linker must not see it, or it would keep host code that nothing uses
_HOST, _KERNEL, _CONSTANT = 64, 128, 2048


@dataclass(frozen=True)
class ExecutionSpace:
    """Of one function or variable. One of the host's has no mark."""

    flags: int
    alignment: int

    @property
    def on_device(self) -> bool:
        return bool(self.flags & RETAIN)

    @property
    def on_host(self) -> bool:
        return not self.on_device or self.alignment == _HOST

    @property
    def is_kernel(self) -> bool:
        return self.on_device and self.alignment == _KERNEL

    @property
    def is_constant(self) -> bool:
        """`extern __constant__`, and the definition without the word: only the alignment is left."""
        return self.alignment == _CONSTANT


# The submission's object file: what it defines, what it needs, and what its entry points reach.

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
