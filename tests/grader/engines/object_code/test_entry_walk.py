"""Of the entries of debug information, those are looked at that may be functions or variables."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from grader.engines.objects.debug_info import telling

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


def test_what_is_told_is_what_may_be_a_function_or_a_variable(compiled: Path) -> None:
    unit = [*_debug_information(compiled).iter_CUs()][-1]
    entries = list(telling(unit.get_top_DIE(), {1}))
    told = {one.attributes["DW_AT_name"].value for one in entries if "DW_AT_name" in one.attributes}
    assert {b"sum", b"calls", b"acc", b"main"} <= told
    assert b"first" not in told
