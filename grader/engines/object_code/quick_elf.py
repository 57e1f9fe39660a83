"""An ELF file whose section headers are read once, each with one call of `struct`.

pyelftools reads them field by field, and again whenever a section is asked for. An object file has hundreds of sections, because each
function has its own, and several checks go through all of them: that took a third of the time of all checks. Not here: what is in a
section.
"""

from __future__ import annotations

import struct
from typing import IO

from elftools.construct import Container
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_SH_TYPE_BASE

_HEADER = struct.Struct("<IIQQQQIIQQ")
_FIELDS = (
    *("sh_name", "sh_type", "sh_flags", "sh_addr", "sh_offset"),
    *("sh_size", "sh_link", "sh_info", "sh_addralign", "sh_entsize"),
)
_FIRST_OF_A_SYSTEM = 0x60000000  # SHT_LOOS: from here on, the same number has several names
_KINDS = {code: name for name, code in ENUM_SH_TYPE_BASE.items() if isinstance(code, int) and code < _FIRST_OF_A_SYSTEM}


class QuickElf(ELFFile):
    """As its base, and as fast as it can be where the file has 64 bits and is little-endian."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self._headers: dict[int, Container] = {}

    def _get_section_header(self, n: int) -> Container:
        """Where a version of pyelftools never calls it, reading is slower and nothing else."""
        if n not in self._headers:
            self._headers[n] = self._quickly(n) or super()._get_section_header(n)
        return self._headers[n]

    def _quickly(self, n: int) -> Container | None:
        """None where pyelftools has to say what it is, or what is wrong with it."""
        if self.elfclass != 64 or not self.little_endian or self["e_shentsize"] != _HEADER.size:  # noqa: PLR2004 - bits
            return None
        self.stream.seek(self["e_shoff"] + n * _HEADER.size)
        record = self.stream.read(_HEADER.size)
        if len(record) < _HEADER.size:
            return None
        values = dict(zip(_FIELDS, _HEADER.unpack(record), strict=True))
        kind = _KINDS.get(values["sh_type"])
        return Container(**{**values, "sh_type": kind}) if kind else None
