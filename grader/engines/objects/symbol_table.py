"""Reads the symbol and relocation records of 64-bit little-endian ELF files in bulk.

pyelftools parses the file's structure and its debug information. It would parse symbols one by one, which takes a tenth of a second
per runner, and a student would wait for that at every `make test`.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

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


# The submission's object file: every byte of code and what will be put into it, what it defines, needs, and what its entry points reach.

_UNWINDING = ".eh_frame"  # names every function, and nothing reads it
_WRITABLE, _ALLOCATED, _EXECUTABLE, _MERGED = 1, 2, 4, 16  # SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_MERGE


@dataclass(frozen=True)
class Relocation:
    kind: int  # R_X86_64_…, R_AARCH64_…
    symbol: Symbol
    addend: int


@dataclass(frozen=True)
class Section:
    name: str
    flags: int
    alignment: int
    size: int
    code: bytes  # empty where it is none
    relocations: dict[int, Relocation]  # by offset

    @property
    def read_only(self) -> bool:
        return bool(self.flags & _ALLOCATED) and not self.flags & (_WRITABLE | _EXECUTABLE)

    @property
    def is_merged(self) -> bool:
        """The linker moves its pieces: only within one of them is what follows what."""
        return bool(self.flags & _MERGED)


@dataclass(frozen=True)
class ObjectFile:
    machine: str  # "x64", "AArch64"
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    @cached_property
    def functions(self) -> dict[int, list[Symbol]]:
        """By section."""
        found: dict[int, list[Symbol]] = {}
        for symbol in self.symbols:
            if symbol.kind == "STT_FUNC" and symbol.in_section:
                found.setdefault(symbol.section, []).append(symbol)
        return found

    def function_at(self, section: int, offset: int) -> Symbol | None:
        return next((one for one in self.functions.get(section, ()) if one.value == offset), None)

    def uses(self, section: int) -> set[Symbol]:
        return {one.symbol for one in self.sections[section].relocations.values()}

    def reached_sections(self, first: Iterable[int]) -> set[int]:
        """Indices of these sections, of every section that they name, and so on. Each function has its own section."""
        waiting, seen = list(first), set[int]()
        while waiting:
            section = waiting.pop()
            if section not in seen:
                seen.add(section)
                waiting.extend(symbol.section for symbol in self.uses(section) if symbol.in_section)
        return seen

    def reached(self, roots: Iterable[Symbol]) -> list[Symbol]:
        """All symbols that are named by code or data reachable from `roots`, in the file's order."""
        sections = self.reached_sections(root.section for root in roots if root.in_section)
        named = {symbol for section in sections for symbol in self.uses(section)}
        return [symbol for symbol in self.symbols if symbol in named]

    def space_of(self, symbol: Symbol) -> ExecutionSpace:
        """Of a symbol that is in a section."""
        section = self.sections[symbol.section]
        return ExecutionSpace(section.flags, section.alignment)

    def functions_in(self, sections: set[int]) -> set[str]:
        return {one.name for section in sections for one in self.functions.get(section, ())}

    def block_offsets(self) -> dict[str, list[int]]:
        """Of each function where its basic blocks announce themselves, from its first byte on. The relocation of a call is at its last
        four bytes, on x86-64 and on aarch64. The call returns to the address after them.
        """
        found: dict[str, list[int]] = {}
        for section, functions in self.functions.items():
            relocations = self.sections[section].relocations.items()
            returns = sorted(offset + 4 for offset, one in relocations if one.symbol.name == BLOCK_BEGINS)
            for one in functions if returns else ():
                first, end = bisect_right(returns, one.value), bisect_right(returns, one.value + one.size)
                found[one.name] = [offset - one.value for offset in returns[first:end]]
        return found


def read_object(path: Path) -> ObjectFile:
    """Raises ELFError or struct.error where the file is no ELF file, or of a kind that we do not know."""
    with path.open("rb") as stream:
        elf = QuickElf(stream)
        symbols = tuple(symbols_of(elf))
        headers = [(section, section["sh_flags"]) for section in elf.iter_sections()]
        relocations: dict[int, dict[int, Relocation]] = {
            index: {}
            for index, (section, flags) in enumerate(headers)
            if flags & _ALLOCATED and section.name != _UNWINDING
        }
        for section, _ in headers:
            if section["sh_type"] == "SHT_REL":
                message = f"{path} has relocations without addends"
                raise ELFError(message)
            if section["sh_type"] == "SHT_RELA" and section["sh_info"] in relocations:
                relocations[section["sh_info"]].update(_relocations(section.data(), symbols, path))
        sections = tuple(
            Section(
                section.name,
                flags,
                section["sh_addralign"],
                section["sh_size"],
                section.data() if flags & _EXECUTABLE else b"",
                relocations.get(index, {}),
            )
            for index, (section, flags) in enumerate(headers)
        )
        return ObjectFile(elf.get_machine_arch(), sections, symbols)


def _relocations(records: bytes, symbols: tuple[Symbol, ...], path: Path) -> dict[int, Relocation]:
    found: dict[int, Relocation] = {}
    for offset, info, addend in _RELOCATION.iter_unpack(records):
        if info >> 32 >= len(symbols) or offset in found:
            message = f"{path} relocates against symbols it does not have, or one place twice"
            raise ELFError(message)
        found[offset] = Relocation(info & 0xFFFFFFFF, symbols[info >> 32], addend)
    return found
