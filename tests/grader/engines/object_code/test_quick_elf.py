"""Section headers that are read fast are the ones that pyelftools reads."""

from __future__ import annotations

import io
import os
import struct
import sys
from pathlib import Path

import pytest
from elftools.common.exceptions import ELFParseError
from elftools.elf.elffile import ELFFile

from grader.engines.objects.entry_walk import QuickElf

PYTHON = Path(os.path.realpath(sys.executable))  # a 64-bit program that every machine of this course has
_SECTION_COUNT = 60  # where an ELF file's header holds it


def test_every_section_is_the_same() -> None:
    with PYTHON.open("rb") as one, PYTHON.open("rb") as other:
        quick, slow = list(QuickElf(one).iter_sections()), list(ELFFile(other).iter_sections())
    assert len(quick) > 10
    assert [(type(section), section.name, dict(section.header)) for section in quick] == [
        (type(section), section.name, dict(section.header)) for section in slow
    ]


def test_a_header_behind_the_end_of_the_file_is_an_error_as_ever() -> None:
    content = bytearray(PYTHON.read_bytes())
    struct.pack_into("<H", content, _SECTION_COUNT, 60_000)
    with pytest.raises(ELFParseError):
        list(QuickElf(io.BytesIO(bytes(content))).iter_sections())
