"""The builder on 64-bit ARM, with a cross compiler where it is installed, else only with names.

Nothing is run here. `make test-aarch64` runs programs under an emulator.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from grader.engines.cpu_toolchain import target_of
from grader.engines.dump_scan import scan_gimple
from grader.engines.gcc_flags import INSTRUMENTATION, LANGUAGE, MACHINE
from grader.engines.objects.assembly import calls_of
from grader.engines.objects.debug_info import read_debug_info, unplaced_offsets
from grader.engines.objects.symbol_table import ElfFile

HERE = Path(__file__).resolve().parents[4]
CROSS = "aarch64-linux-gnu-g++"

# Shared arrays of every kind whose symbols are named differently: the same name twice in one function, in a lambda, with C linkage,
# in a template, in a namespace with and without a name, in a file.
ARRAYS = """
thread_local int of_all[2]; static thread_local float of_file[3];
namespace named { static thread_local double inside[5]; } namespace { thread_local int hidden[7]; }
template <int N> int tile() { static thread_local int As[N]; return As[0]; }
extern "C" int plain() { { static thread_local int As[11]; As[0] = 1; } static thread_local int As[13]; return As[0]; }
int twice() {
  int sum = 0;
  { static thread_local int As[17]; sum += As[0]; } { static int As[18]; sum += As[0]; }
  static thread_local int As[19]; sum += As[0];
  auto lambda = [] { static thread_local int As[23]; return As[0]; };
  static thread_local const int fixed[41] = {};
  return sum + lambda() + fixed[sum & 1];
}
static int own() { static thread_local int As[29]; return As[0]; }
int main() {
  return of_all[0] + static_cast<int>(of_file[0] + named::inside[0]) + hidden[0] + tile<31>() + tile<37>() + plain() + twice() + own();
}
"""
SIZES = {(4, 2), (4, 3), (8, 5), (4, 7), *((4, count) for count in (11, 13, 17, 19, 23, 29, 31, 37, 41))}


def compiled(compiler: str, text: str, folder: Path, *more: str) -> Path:
    """Compiles `text` as `arrays.cu`, like a submission. Skips where there is no such compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (folder / "arrays.cu").write_text(text, encoding="utf-8")
    flags = [flag for flag in (*LANGUAGE, *INSTRUMENTATION, *MACHINE[target_of(compiler)]) if "sanitize" not in flag]
    argv = [compiler, "-x", "c++", *flags, "arrays.cu", "-o", "out", *more]
    finished = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return folder / "out"


@pytest.mark.parametrize("compiler", ["g++", CROSS])
def test_every_shared_array_is_found_with_its_place(compiler: str, tmp_path: Path) -> None:
    program = compiled(compiler, ARRAYS, tmp_path, "-no-pie")
    found = read_debug_info(program, "arrays.cu").shared
    assert {(array.element_bytes, array.bytes // array.element_bytes) for array in found} == SIZES
    places = sorted((array.offset, array.offset + array.bytes) for array in found)
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


def test_names_made_by_rule_lead_to_the_places_that_x86_debug_information_gives(tmp_path: Path) -> None:
    program = compiled("g++", ARRAYS, tmp_path, "-no-pie")
    elf = ElfFile(program)
    symbols = {one.name: one for one in elf.of_kind("STT_TLS")}
    functions = {one.value: one.name for one in elf.of_kind("STT_FUNC")}
    sizes = {one.value: one.size for one in symbols.values()}
    with program.open("rb") as stream:
        (unit,) = [
            one
            for one in ELFFile(stream).get_dwarf_info().iter_CUs()
            if one.get_top_DIE().attributes["DW_AT_name"].value.endswith(b"arrays.cu")
        ]
        placed = {}
        for die in unit.iter_DIEs():
            place = die.attributes.get("DW_AT_location") if die.tag == "DW_TAG_variable" else None
            if place is not None and bytes(place.value)[-1:] in {b"\x9b", b"\xe0"}:
                offset = int.from_bytes(bytes(place.value)[1:-1], "little")
                placed[offset] = unplaced_offsets(die, sizes[offset], symbols, functions)
    assert len(placed) == len(SIZES)
    assert all([said] == found for said, found in placed.items())


def test_arm_code_calls_no_atomic_function_and_signs_no_return_address(tmp_path: Path) -> None:
    text = "int f(int* p) { return __atomic_fetch_add(p, 1, 5); } int g() { return f(nullptr); }"
    assembly = compiled(CROSS, text, tmp_path, "-S").read_text(encoding="utf-8")
    assert not re.search(r"__aarch64_|paciasp|bti", assembly)
    assert "_Z1fPi" in calls_of(assembly, "arrays.cu").within({"_Z1gv"}).lines


def test_an_arm_frame_of_a_few_pages_touches_each(tmp_path: Path) -> None:
    text = "void g(char*); void f() { char a[20000]; g(a); }"
    assert re.search(r"str\s+xzr", compiled(CROSS, text, tmp_path, "-S").read_text(encoding="utf-8"))


def test_char_has_a_sign_on_arm_too(tmp_path: Path) -> None:
    compiled(CROSS, "static_assert(static_cast<char>(-1) < 0);", tmp_path, "-c")


@pytest.mark.parametrize("name", ["__builtin_aarch64_addpv4sf", "__builtin_neon_vaddv4sf", "__builtin_ia32_rdtsc"])
def test_an_instruction_of_the_grader_s_processor_is_refused(name: str) -> None:
    refusal = scan_gimple(f"void scale ()\n{{\n  [scale.cu:3:5] x = {name} ();\n}}\n", "scale.cu")
    assert refusal is not None
    assert (refusal.line, name in refusal.message) == (3, True)
