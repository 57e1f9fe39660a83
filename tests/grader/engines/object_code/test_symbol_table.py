"""Sections and symbols that are read fast are the ones that pyelftools reads."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import pytest
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from grader.engines.objects.symbol_table import NO_BITS, ElfFile

ROOT = Path(__file__).resolve().parents[4]
PROGRAMS = [Path(os.path.realpath(sys.executable)), ROOT / "build" / "bin" / "confine"]  # 64-bit programs
_SECTION_COUNT = 60  # where an ELF file's header holds it


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_section_is_the_same(program: Path) -> None:
    quick = ElfFile(program)
    with program.open("rb") as stream:
        slow = list(ELFFile(stream).iter_sections())
        assert len(quick.sections) == len(slow) > 10
        for one, other in zip(quick.sections, slow, strict=True):
            assert (one.name, one.size, one.offset, one.flags) == (
                other.name,
                *(other[field] for field in ("sh_size", "sh_offset", "sh_flags")),
            )
            assert one.kind == NO_BITS or quick.data(one) == other.data() or "SHF_COMPRESSED" in str(other.header)


def test_every_symbol_is_the_same() -> None:
    program = PROGRAMS[1]
    quick = ElfFile(program)
    with program.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        slow = [
            (one.name, one["st_value"], one["st_size"], one["st_info"]["type"].replace("LOOS", "GNU_IFUNC"))
            for one in table.iter_symbols()
        ]
    assert [(one.name, one.value, one.size, one.kind) for one in quick.symbols] == slow
    assert quick.of_kind("STT_FUNC") == [one for one in quick.symbols if one.kind == "STT_FUNC"]


def test_what_is_not_in_the_file_is_an_error(tmp_path: Path) -> None:
    content = bytearray(PROGRAMS[0].read_bytes())
    struct.pack_into("<H", content, _SECTION_COUNT, 60_000)
    changed = tmp_path / "changed"
    for wrong in (bytes(content), bytes(content[:70]), b"", b"text"):
        changed.write_bytes(wrong)
        with pytest.raises((ELFError, struct.error)):
            ElfFile(changed)
