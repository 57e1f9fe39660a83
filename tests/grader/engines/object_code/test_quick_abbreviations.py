"""Abbreviations that are read fast are the ones that pyelftools reads."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from grader.engines.objects.entry_walk import abbreviations

SOURCE = """
namespace kit { struct Pair { int first; static constexpr int most = -3; enum Kind : short { low = -300, high }; }; }
template <typename One> One twice(const One& one) { return one + one; }
int sum(const kit::Pair* pairs, int count) {
  static int calls = 0;
  int total = ++calls;
  for (int i = 0; i < count; ++i) { const int one = pairs[i].first; total += twice(one); }
  return total;
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("abbreviations")
    (folder / "one.cpp").write_text(SOURCE)
    subprocess.run(["g++", "-std=c++20", "-g", "-O0", "-c", "one.cpp", "-o", "one.o"], check=True, cwd=folder)
    return folder / "one.o"


def _tables(path: Path) -> tuple[bytes, Any]:
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        section = elf.get_section_by_name(".debug_abbrev")
        assert section is not None
        return section.data(), next(iter(elf.get_dwarf_info().iter_CUs())).get_abbrev_table()


def test_every_abbreviation_is_the_same(compiled: Path) -> None:
    content, slow = _tables(compiled)
    quick = abbreviations(content, slow.offset)
    assert quick is not None
    assert len(quick.by_code) > 15
    for code, one in quick.by_code.items():
        other = slow.get_abbrev(code)
        assert one.has_children() == other.has_children()
        assert (one["tag"], one["children_flag"]) == (other["tag"], other["children_flag"])
        assert [(spec.name, spec.form, spec.value) for spec in one["attr_spec"]] == [
            (spec.name, spec.form, spec.value) for spec in other["attr_spec"]
        ]
    with pytest.raises(KeyError):
        slow.get_abbrev(max(quick.by_code) + 1)
    with pytest.raises(KeyError):
        quick.get_abbrev(max(quick.by_code) + 1)


@pytest.mark.parametrize("kept", [0, 1, 7, 40])
def test_a_table_that_ends_too_early_is_left_to_pyelftools(compiled: Path, kept: int) -> None:
    content, slow = _tables(compiled)
    assert abbreviations(content[slow.offset : slow.offset + kept], 0) is None


def test_a_tag_that_nobody_knows_is_left_to_pyelftools() -> None:
    assert abbreviations(bytes([1, 0xFF, 0x7F, 0, 0, 0, 0]), 0) is None


def test_a_number_below_zero_stays_one() -> None:
    found = abbreviations(bytes([1, 0x34, 0, 0x1C, 0x21, 0xD4, 0x7D, 0, 0, 0]), 0)
    assert found is not None
    assert found.get_abbrev(1)["attr_spec"][0].value == -300
