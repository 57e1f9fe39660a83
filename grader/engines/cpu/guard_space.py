"""Puts space that belongs to nobody behind each variable of an object file, so that an access past one does not reach the next.

Each variable has a section of its own, which is made larger; no code changes. Constants without a name stay as they are.
"""

from __future__ import annotations

import struct
from pathlib import Path

from grader.engines.object_code.execution_space import RETAIN
from grader.engines.object_code.quick_elf import QuickElf
from grader.engines.object_code.symbol_table import Symbol, symbols_of

_VARIABLES = (".bss.", ".data.", ".rodata.")
_ALLOCATED, _MERGED, _THREAD_LOCAL = 2, 16, 1024  # SHF_ALLOC, SHF_MERGE, SHF_TLS
_FLAGS, _OFFSET, _SIZE = 8, 24, 32  # where a section's header holds them
_NUMBER = struct.Struct("<Q")
LEAST, MOST = 4 << 10, 64 << 10  # bytes behind one variable
_TOGETHER = 16 << 20  # bytes behind all of them; where there are very many, each gets less
_GRAIN = 256


def spread_variables(path: Path) -> dict[str, int]:
    """Changes the object file. Returns for each variable the bytes from its first one on that nothing else is in."""
    content = bytearray(path.read_bytes())
    with path.open("rb") as stream:
        elf = QuickElf(stream)
        alone = _alone_in_a_section(symbols_of(elf))
        rooms: dict[str, int] = {}
        most = min(MOST, _TOGETHER // max(1, len(alone)))
        for index, section in enumerate(elf.iter_sections()):
            header = elf["e_shoff"] + index * elf["e_shentsize"]
            flags, size = section["sh_flags"], section["sh_size"]
            _NUMBER.pack_into(content, header + _FLAGS, flags & ~RETAIN)
            variable = alone.get(index)
            if variable is None or not _holds_a_variable(section.name, flags) or variable.size != size:
                continue
            room = -(-(size + max(_GRAIN, min(most, max(LEAST, size)))) // _GRAIN) * _GRAIN
            if section["sh_type"] != "SHT_NOBITS":
                _NUMBER.pack_into(
                    content, header + _OFFSET, _append(content, section.data(), section["sh_addralign"], room)
                )
            _NUMBER.pack_into(content, header + _SIZE, room)
            rooms[variable.name] = room
    path.write_bytes(content)
    return rooms


def _alone_in_a_section(symbols: list[Symbol]) -> dict[int, Symbol]:
    """The variables by section, where a section holds one variable and nothing else that has a name."""
    found: dict[int, list[Symbol]] = {}
    for symbol in symbols:
        if symbol.in_section and symbol.kind not in {"STT_SECTION", "STT_FILE"}:
            found.setdefault(symbol.section, []).append(symbol)
    return {
        index: one
        for index, (one, *others) in found.items()
        if not others and one.kind == "STT_OBJECT" and one.value == 0
    }


def _holds_a_variable(name: str, flags: int) -> bool:
    return name.startswith(_VARIABLES) and bool(flags & _ALLOCATED) and not flags & (_MERGED | _THREAD_LOCAL)


def _append(content: bytearray, data: bytes, alignment: int, room: int) -> int:
    """Where in the file it begins."""
    content.extend(bytes(-len(content) % max(1, alignment)))
    at = len(content)
    content.extend(data + bytes(room - len(data)))
    return at
