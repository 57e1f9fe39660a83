"""Reads ELF files of 64 bits in bulk: sections, symbols, and what the linker will put into a submission's object file.

pyelftools reads debug information. It would read these records field by field, and an object file has hundreds of sections, because each
function has its own: that took a third of the time of all checks, and a student would wait for it at every `make test`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from elftools.common.exceptions import ELFError

_BEGINS = b"\x7fELF\2\1"  # 64 bits, little-endian
# Behind e_machine: e_version, e_shoff, e_flags, e_shentsize, e_shnum, e_shstrndx.
_FILE = struct.Struct("<16xHHI8x8xQI6xHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")  # st_name, st_info, st_other, st_shndx, st_value, st_size
_RELOCATION = struct.Struct("<QQq")  # r_offset, r_info, r_addend
_MACHINES = {62: "x64", 183: "AArch64"}
_SYMBOLS, _RELOCATIONS_WITH_ADDENDS, NO_BITS, _RELOCATIONS = 2, 4, 8, 9  # SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL
_KINDS = dict(enumerate(["STT_NOTYPE", "STT_OBJECT", "STT_FUNC", "STT_SECTION", "STT_FILE"]))
_KINDS |= {6: "STT_TLS", 10: "STT_GNU_IFUNC"}
_FIRST_SPECIAL_SECTION = 0xFF00
_MOST_SECTIONS = 1 << 18  # no compiler makes so many of a text that we read
_IN_FIRST_HEADER = 0xFFFF  # SHN_XINDEX: the number is too large for its field


class Symbol(NamedTuple):
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


class Header(NamedTuple):
    """Of one section, as the file has it."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_bytes: int


class ElfFile:
    """Raises ELFError, struct.error or IndexError, here and below, where the file is none or of another kind."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        if not self.content.startswith(_BEGINS):
            raise ELFError(f"{path} is no 64-bit little-endian file")
        _, machine, _, self.headers_at, _, size, count, names = _FILE.unpack_from(self.content)
        self.machine = _MACHINES.get(machine, f"machine {machine}")
        _, _, _, _, _, many, link, *_ = SECTION.unpack_from(self.content, self.headers_at)
        end = self.headers_at + (count or many) * SECTION.size
        if size != SECTION.size or end > len(self.content) or end - self.headers_at > _MOST_SECTIONS * SECTION.size:
            raise ELFError(f"{path} has section headers of an unknown kind, or ends before them")
        rows = list(SECTION.iter_unpack(self.content[self.headers_at : end]))
        texts = self.data(Header("", *rows[link if names == _IN_FIRST_HEADER else names][1:]))
        self.sections = [Header(_name(texts, name), *others) for name, *others in rows]

    def data(self, section: Header) -> bytes:
        if section.kind == NO_BITS or section.offset + section.size > len(self.content):
            raise ELFError(f"the section {section.name} is not in the file")
        return self.content[section.offset : section.offset + section.size]

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Every entry of the only symbol table, in order."""
        tables = [one for one in self.sections if one.kind == _SYMBOLS]
        if len(tables) != 1:
            raise ELFError(f"{len(tables)} symbol tables")
        names = self.data(self.sections[tables[0].link])
        return [
            Symbol(_name(names, at), section, _KINDS.get(info & 15, f"STT_{info & 15}"), info >> 4 != 0, value, size)
            for at, info, _, section, value, size in _SYMBOL.iter_unpack(self.data(tables[0]))
        ]

    def of_kind(self, kind: str) -> list[Symbol]:
        return [one for one in self.symbols if one.kind == kind]


def _name(names: bytes, begin: int) -> str:
    return names[begin : names.index(b"\0", begin)].decode("utf-8", "replace")


# What a declaration said: __global__, __device__, __host__ or __constant__, as the compiler understood it.
#
# The kit's header makes attributes of these words, and each leaves a mark on the section of its function or variable: a flag or an
# alignment. So macros, templates and earlier declarations count as the compiler counts them. kit/executor/device/cuda_on_cpu.hpp holds the
# other half. An author who writes the attributes himself makes his file wrong for nvcc, and gains nothing here.

RETAIN = 1 << 21  # SHF_GNU_RETAIN: the linker must not see it, or it would keep host code that nothing uses
_HOST, _KERNEL, _CONSTANT = 64, 128, 2048

# The submission's object file: every byte of code and what will be put into it, what it defines, needs, and what its entry points reach.

_Node = TypeVar("_Node", int, str)
_UNWINDING = ".eh_frame"  # names every function, and nothing reads it
_WRITABLE, _ALLOCATED, _EXECUTABLE, _MERGED = 1, 2, 4, 16  # SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_MERGE


def reachable(first: Iterable[_Node], following: Callable[[_Node], Iterable[_Node]]) -> set[_Node]:
    """These, what follows each of them, and so on."""
    seen = set(first)
    waiting = list(seen)
    while waiting:
        fresh = set(following(waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return seen


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

    @property
    def on_device(self) -> bool:
        """Here and below: of the function or variable in it. One of the host's has no mark."""
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


@dataclass(frozen=True)
class ObjectFile:
    machine: str  # "x64", "AArch64"
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    @cached_property
    def functions(self) -> dict[int, list[Symbol]]:
        """By section."""
        found: dict[int, list[Symbol]] = {}
        for symbol in self.named.values():
            found.setdefault(symbol.section, []).append(symbol)
        return found

    @cached_property
    def named(self) -> dict[str, Symbol]:
        return {one.name: one for one in self.symbols if one.kind == "STT_FUNC" and one.in_section}

    def function_at(self, section: int, offset: int) -> Symbol | None:
        return next((one for one in self.functions.get(section, ()) if one.value == offset), None)

    def uses(self, section: int) -> set[Symbol]:
        return {one.symbol for one in self.sections[section].relocations.values()}

    def reached_sections(self, first: Iterable[int]) -> set[int]:
        """Indices of these sections, of every section that they name, and so on. Each function has its own section."""
        return reachable(first, lambda section: (one.section for one in self.uses(section) if one.in_section))

    def reached(self, roots: Iterable[Symbol]) -> list[Symbol]:
        """All symbols that are named by code or data reachable from `roots`, in the file's order."""
        sections = self.reached_sections(root.section for root in roots if root.in_section)
        named = {symbol for section in sections for symbol in self.uses(section)}
        return [symbol for symbol in self.symbols if symbol in named]

    def space_of(self, symbol: Symbol) -> Section:
        """The section of a symbol that is in one: it says for which side its declaration was."""
        return self.sections[symbol.section]

    def functions_in(self, sections: set[int]) -> set[str]:
        return {one.name for section in sections for one in self.functions.get(section, ())}


def read_object(path: Path) -> ObjectFile:
    elf = ElfFile(path)
    symbols = elf.symbols
    relocations: dict[int, dict[int, Relocation]] = {
        index: {}
        for index, section in enumerate(elf.sections)
        if section.flags & _ALLOCATED and section.name != _UNWINDING
    }
    for section in elf.sections:
        if section.kind == _RELOCATIONS:
            raise ELFError(f"{path} has relocations without addends")
        if section.kind == _RELOCATIONS_WITH_ADDENDS and section.info in relocations:
            found = relocations[section.info]
            for offset, info, addend in _RELOCATION.iter_unpack(elf.data(section)):
                if info >> 32 >= len(symbols) or offset in found:
                    raise ELFError(f"{path} relocates against symbols it does not have, or one place twice")
                found[offset] = Relocation(info & 0xFFFFFFFF, symbols[info >> 32], addend)
    sections = []
    for index, one in enumerate(elf.sections):
        code = elf.data(one) if one.flags & _EXECUTABLE else b""
        sections.append(Section(one.name, one.flags, one.alignment, one.size, code, relocations.get(index, {})))
    return ObjectFile(elf.machine, tuple(sections), tuple(symbols))
