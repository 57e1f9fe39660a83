"""Loops are found in the machine code, between the announcements of basic blocks."""

from __future__ import annotations

import platform
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from grader.engines.objects.symbol_table import ObjectFile, Relocation, Section, Symbol, read_object
from grader.engines.proof.barrier_paths import Loop, loops_in

# A loop of blocks 1 to 3 with one inside it, as GCC lays them out without optimisation: the condition comes last.
TEXT = """\
	.type	_Z5scalev, @function
_Z5scalev:
	call	__sanitizer_cov_trace_pc
	jmp	.L2
.L5:
	call	__sanitizer_cov_trace_pc
	jmp	.L3
.L4:
	call	__sanitizer_cov_trace_pc
.L3:
	call	__sanitizer_cov_trace_pc
	cmpl	$3, -4(%rbp)
	jle	.L4
.L2:
	call	__sanitizer_cov_trace_pc
	jg	.L5
	call	__sanitizer_cov_trace_pc
	.size	_Z5scalev, .-_Z5scalev
	.type	_Z4nonev, @function
_Z4nonev:
	call	__sanitizer_cov_trace_pc
	jmp	_Z5scalev
.L6:
	jmp	.L6
	.size	_Z4nonev, .-_Z4nonev
"""
CALL = 5  # bytes


def loops(text: str, folder: Path, *, addresses: dict[str, int]) -> list[Loop]:
    """With the blocks of `_Z5scalev` by their numbers."""
    if platform.machine() != "x86_64" or shutil.which("as") is None:
        pytest.skip("no assembler for x86-64")
    (folder / "loops.s").write_text(text, encoding="utf-8")
    subprocess.run(["as", "loops.s", "-o", "loops.o"], cwd=folder, check=True)
    code = read_object(folder / "loops.o")
    (symbol,) = [one for one in code.symbols if one.name == "_Z5scalev"]
    places = sorted(at + CALL - 1 for at in code.sections[symbol.section].relocations)
    number = {addresses.get("_Z5scalev", 0) + at: block for block, at in enumerate(places)}
    return [(number[first], number[last]) for first, last in loops_in(code, addresses)]


def test_a_jump_back_in_the_same_function_over_an_announcement_makes_a_loop(tmp_path: Path) -> None:
    assert loops(TEXT, tmp_path, addresses={"_Z5scalev": 1000, "_Z4nonev": 2000}) == [(1, 4), (2, 3)]


def test_the_last_jump_back_ends_a_loop(tmp_path: Path) -> None:
    text = TEXT.replace("jg	.L5", "jg	.L5\n	call	__sanitizer_cov_trace_pc\n	jmp	.L5")
    assert loops(text, tmp_path, addresses={"_Z5scalev": 1000}) == [(1, 5), (2, 3)]


def test_a_function_that_is_not_in_the_program_has_no_loops(tmp_path: Path) -> None:
    assert loops(TEXT, tmp_path, addresses={"_Z4nonev": 2000}) == []


def test_arms_jumps_are_read_too() -> None:
    # bl; b.le -4; bl; cbnz w0, -4; tbz x1, 3, -8
    code = struct.pack("<5I", 0x94000000, 0x54FFFFED, 0x94000000, 0x35FFFFE0, 0x361FFFC1)
    announcement = Relocation(283, Symbol("__sanitizer_cov_trace_pc", 0, "STT_NOTYPE", True, 0, 0), 0)
    section = Section(".text.f", 6, 4, len(code), code, {0: announcement, 8: announcement})
    function = Symbol("f", 1, "STT_FUNC", True, 0, len(code))
    read = ObjectFile("AArch64", (Section("", 0, 0, 0, b"", {}), section), (function,))
    assert loops_in(read, {"f": 1000}) == [(1004, 1004), (1012, 1012)]
