"""Reads the symbol and relocation records of 64-bit little-endian ELF files in bulk.

pyelftools parses the file's structure and its debug information. It would parse symbols one by one, which takes a tenth of a second
per runner, and a student would wait for that at every `make test`.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section

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
