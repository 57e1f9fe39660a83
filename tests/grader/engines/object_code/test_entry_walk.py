"""Entries of debug information are read as pyelftools reads them, and what cannot be read is no entry."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from elftools.common.exceptions import DWARFError
from elftools.elf.elffile import ELFFile

from grader.engines.objects.entry_walk import Entry, units_of

SOURCE = """
#include <cstddef>
namespace kit { struct Pair { int first; static constexpr int most = -3; enum Kind : short { low = -300, high }; Kind kind; }; }
template <typename One> One twice(const One& one) { return one + one; }
template <typename T, int N> T tile(T a) { static thread_local T s[N][N + 1]; s[1][2] = a; return s[1][2]; }
struct Outer { struct Acc { float sum; float add(float a) { auto more = [&](float b) { return b + sum; }; return sum = more(a); } }; };
int sum(const kit::Pair* pairs, int count) {
  static int calls = 0;
  int total = ++calls;
  Outer::Acc acc{0};
  for (int i = 0; i < count; ++i) { const int one = pairs[i].first; total += twice(one) + int(acc.add(1) + tile<float, 3>(2)); }
  return total;
}
int main() { return sum(nullptr, 0); }
"""


@pytest.fixture(scope="module", params=["g++ -gdwarf-5", "g++ -gdwarf-4", "clang++ -gdwarf-4"])
def compiled(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("entries")
    (folder / "one.cpp").write_text(SOURCE)
    compiler, *flags = str(request.param).split()
    try:
        subprocess.run([compiler, *flags, "-std=c++20", "-g", "-O0", "one.cpp", "-o", "one"], check=True, cwd=folder)
    except FileNotFoundError:
        pytest.skip(f"{compiler} is not installed")
    return folder / "one"


def _debug_information(path: Path) -> Any:  # noqa: ANN401 -- pyelftools ships no types
    return ELFFile(io.BytesIO(path.read_bytes())).get_dwarf_info(relocate_dwarf_sections=False)


def _below(entry: Entry) -> Iterator[Entry]:
    yield entry
    for child in entry.iter_children():
        yield from _below(child)


def _plain(entry: Any) -> tuple[int, str, dict[str, tuple[str, Any]], int | None]:  # noqa: ANN401 -- the same
    said = {
        name: (one.form, bytes(one.value) if isinstance(one.value, list) else one.value)
        for name, one in entry.attributes.items()
    }
    parent = entry.get_parent()
    return entry.offset, entry.tag, said, parent.offset if parent else None


def test_every_entry_is_the_same(compiled: Path) -> None:
    (unit,), (slow,) = (
        list(units_of(_debug_information(compiled)))[-1:],
        list(_debug_information(compiled).iter_CUs())[-1:],
    )
    ours = [_plain(one) for one in _below(unit.get_top_DIE())]
    assert ours == [_plain(one) for one in slow.iter_DIEs() if one.tag]
    constants = [said["DW_AT_const_value"][1] for _, _, said, _ in ours if "DW_AT_const_value" in said]
    assert {-3, -300} <= set(constants)  # the second takes two bytes


def test_the_parents_of_an_entry_that_was_named_are_found(compiled: Path) -> None:
    unit, again = ([*units_of(_debug_information(compiled))][-1] for _ in range(2))
    for one in _below(unit.get_top_DIE()):
        parent, other = one.get_parent(), again.entry(one.offset).get_parent()
        assert (parent.offset if parent else None) == (other.offset if other else None)


def test_what_is_told_is_what_may_be_a_function_or_a_variable(compiled: Path) -> None:
    unit = [*units_of(_debug_information(compiled))][-1]
    told = {one.attributes["DW_AT_name"].value for one in unit.telling({1}) if "DW_AT_name" in one.attributes}
    assert {b"sum", b"calls", b"acc", b"main"} <= told
    assert b"first" not in told


@pytest.mark.parametrize("section", [".debug_info", ".debug_abbrev"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_what_ends_too_early_is_not_guessed(compiled: Path, section: str, share: float) -> None:
    information = _debug_information(compiled)
    part = information.debug_info_sec if section == ".debug_info" else information.debug_abbrev_sec
    part.stream.seek(0)
    content = part.stream.read()
    header = 64 if section == ".debug_info" else 0
    part.stream.seek(0)
    part.stream.truncate(header + int((len(content) - header) * share))
    with pytest.raises(DWARFError):
        _ = [list(_below(unit.get_top_DIE())) for unit in units_of(information)]


def test_an_attribute_of_an_unknown_form_is_not_guessed(compiled: Path) -> None:
    information = _debug_information(compiled)
    stream = information.debug_abbrev_sec.stream
    stream.seek(0)
    content = stream.read()
    stream.seek(0)
    stream.write(
        content.replace(bytes([0x03, 0x08]), bytes([0x03, 0x1A])).replace(bytes([0x03, 0x0E]), bytes([0x03, 0x1A]))
    )
    with pytest.raises(DWARFError):
        _ = [list(_below(unit.get_top_DIE())) for unit in units_of(information)]
