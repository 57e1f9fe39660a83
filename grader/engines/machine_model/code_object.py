"""An object file's sections, symbols and relocations as the proof needs them: every byte of code, and what will be put into it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError

from grader.engines.object_code.quick_elf import QuickElf
from grader.engines.object_code.symbol_table import Symbol, symbols_of

_RELOCATION = struct.Struct("<QQq")  # r_offset, r_info, r_addend
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
class CodeObject:
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


def read_code(path: Path) -> CodeObject:
    """Raises ELFError or struct.error where the file is none, or not of a kind we know."""
    with path.open("rb") as stream:
        elf = QuickElf(stream)
        symbols = tuple(symbols_of(elf))
        headers = [(section, section["sh_flags"]) for section in elf.iter_sections()]
        codes = {index: section.data() for index, (section, flags) in enumerate(headers) if flags & _EXECUTABLE}
        loaded = [
            index for index, (section, flags) in enumerate(headers) if flags & _ALLOCATED and section.name != _UNWINDING
        ]
        relocations: dict[int, dict[int, Relocation]] = {index: {} for index in loaded}
        for section, _ in headers:
            if section["sh_type"] == "SHT_REL":
                message = f"{path} has relocations without addends"
                raise ELFError(message)
            if section["sh_type"] == "SHT_RELA" and section["sh_info"] in relocations:
                relocations[section["sh_info"]].update(_relocations(section.data(), symbols, path))
        sections = tuple(
            Section(section.name, flags, section["sh_size"], codes.get(index, b""), relocations.get(index, {}))
            for index, (section, flags) in enumerate(headers)
        )
        return CodeObject(elf.get_machine_arch(), sections, symbols)


def _relocations(records: bytes, symbols: tuple[Symbol, ...], path: Path) -> dict[int, Relocation]:
    found: dict[int, Relocation] = {}
    for offset, info, addend in _RELOCATION.iter_unpack(records):
        if info >> 32 >= len(symbols) or offset in found:
            message = f"{path} relocates against symbols it does not have, or one place twice"
            raise ELFError(message)
        found[offset] = Relocation(info & 0xFFFFFFFF, symbols[info >> 32], addend)
    return found
