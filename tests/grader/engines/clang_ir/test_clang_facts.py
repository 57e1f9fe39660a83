"""Why each of Clang's flags is needed: a snippet compiled with the kit's flags and without one of them, and the difference.

`test_compiler_facts.py` does the same for GCC, and for flags that have the same meaning in both. Also tested here: where the two
compilers differ, and `clang_ir.py` and its neighbours make them the same.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines import clang_flags, gcc_flags
from grader.engines.clang_flags import INSTRUMENTATION
from grader.engines.clang_ir import rewritten

Compile = Callable[..., str]
# Each flag for Clang only: a snippet, and a pattern in the assembly that shows whether the flag works.
SHOWN_BY: dict[str, tuple[str, str, bool]] = {  # flag: snippet, pattern, whether the pattern is there with the flag
    "-gdwarf-4": ("void f() {}", r"\.debug_str_offsets", False),
    "-fno-sanitize=local-bounds": ("float f(int i) { float a[4] = {}; return (&a[0])[i]; }", r"\bud2\b", False),
    "-tsan-instrument-read-before-write=1": ("void f(char* p) { *p += 1; }", r"__tsan_read1", True),
    "-tsan-distinguish-volatile=1": ("int f(volatile int* flag) { return *flag; }", r"__tsan_volatile_read4", True),
    "-capture-tracking-max-uses-to-explore=0": ("char f(int i) { char a[4] = {}; return (&a[0])[i]; }", r"__tsan_read1", True),
    "-fno-addrsig": ("void g(); void f() { g(); }", r"\.addrsig", False),
}  # fmt: skip
OPPOSITE = {"-gdwarf-4": "-gdwarf-5", "-fno-sanitize=local-bounds": "-fsanitize=local-bounds"}
# Tested below. `-mllvm` and `-Xclang` belong to the option after them.
BY_THEMSELVES = {
    "-mllvm",
    "-Xclang",
    "-fno-use-ctor-homing",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
}


def without(flag: str) -> list[str]:
    """All flags without this one and the `-mllvm` before it."""
    flags = list(INSTRUMENTATION)
    at = flags.index(flag)
    del flags[at - (flags[at - 1] == "-mllvm") : at + 1]
    return flags


@pytest.fixture
def clang(tmp_path: Path) -> Compile:
    compiler = shutil.which("clang++")
    if compiler is None:
        pytest.skip("clang++ is not installed")

    def run(snippet: str, *flags: str) -> str:
        source = tmp_path / "snippet.cpp"
        source.write_text(snippet, encoding="utf-8")
        argv = [compiler, "-std=c++20", "-w", "-fno-exceptions", *flags, "-S", str(source), "-o", "-"]
        finished = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    return run


@pytest.fixture
def dump(clang: Compile) -> Compile:
    """The compiler's dump after the grader has rewritten it."""
    return lambda snippet: rewritten(clang(snippet, *INSTRUMENTATION, "-emit-llvm", "-Xclang", "-disable-llvm-passes"))


def test_every_flag_of_clangs_own_has_its_fact() -> None:
    assert set(INSTRUMENTATION) - set(gcc_flags.INSTRUMENTATION) == (set(SHOWN_BY) | BY_THEMSELVES)
    of_both = set(clang_flags.MACHINE["x86_64"]) & set(gcc_flags.MACHINE["x86_64"])
    assert set(clang_flags.MACHINE["x86_64"]) - of_both == {"-mstack-alignment=64"}
    assert set(gcc_flags.MACHINE["x86_64"]) - of_both == {"-mpreferred-stack-boundary=6"}


def test_nothing_jumps_behind_a_function_without_its_return(dump: Compile) -> None:
    text = dump("struct L { int a[5]; }; void g(); L f() { g(); }")
    assert "__ubsan_handle_missing_return(" in text
    assert "br i1 false" not in text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="about frames on x86-64")
def test_a_frame_with_a_strictly_aligned_local_would_be_laid_out_while_it_runs(clang: Compile) -> None:
    strict = "void g(float*); void f() { alignas(64) float line[16]; g(line); }"
    assert re.search(r"andq\s+\$-64, %rsp", clang(strict, *INSTRUMENTATION))
    assert not re.search(r"andq\s+\$-64, %rsp", clang(strict, *INSTRUMENTATION, *clang_flags.MACHINE["x86_64"]))


@pytest.mark.parametrize("flag", SHOWN_BY)
def test_a_flag_makes_the_difference_it_is_there_for(flag: str, clang: Compile) -> None:
    snippet, pattern, found = SHOWN_BY[flag]
    other = [OPPOSITE[flag]] if flag in OPPOSITE else []
    assert bool(re.search(pattern, clang(snippet, *INSTRUMENTATION))) is found
    assert bool(re.search(pattern, clang(snippet, *without(flag), *other))) is not found


def test_a_class_would_only_be_named_where_none_of_its_constructors_is_compiled(clang: Compile) -> None:
    snippet = "struct Held { Held(); float member_of_held; }; float f(Held* held) { return held->member_of_held; }"
    flags = list(INSTRUMENTATION)
    at = flags.index("-fno-use-ctor-homing")
    assert "member_of_held" in clang(snippet, *flags)
    assert "member_of_held" not in clang(snippet, *flags[: at - 1], *flags[at + 1 :])


def test_a_call_of_memcpy_would_look_like_the_copy_of_an_object(clang: Compile) -> None:
    snippet = 'extern "C" void* memcpy(void*, const void*, unsigned long); void f(float* p, const float* q) { memcpy(p, q, 12); }'
    told = [*INSTRUMENTATION, "-emit-llvm", "-Xclang", "-disable-llvm-passes"]
    plain = [flag for flag in told if flag != "-fno-builtin-memcpy"]
    assert "llvm.memcpy" in clang(snippet, *plain)
    assert "llvm.memcpy" not in clang(snippet, *told)


def test_copies_of_objects_would_be_plain_calls_that_check_no_alignment(clang: Compile, dump: Compile) -> None:
    snippet = "struct alignas(16) Quad { float x, y, z, w; }; void f(Quad* a, const Quad* b) { *a = *b; }"
    assert re.search(r"call\w*\s+(__tsan_)?memcpy", clang(snippet, *INSTRUMENTATION))
    assert re.search(r"call void @tilelab_copy\(.*, i64 16, i64 16, i64 16\)", dump(snippet))


def test_shared_arrays_of_another_file_would_be_reached_through_a_function(clang: Compile, dump: Compile) -> None:
    snippet = "extern thread_local float s[]; float f() { return s[1]; }"
    assert "_ZTH1s" in clang(snippet, *INSTRUMENTATION)
    assert not re.search(r"(call|define).*_ZT[WH]1s", dump(snippet))


def test_a_forgotten_local_holds_the_bytes_that_gcc_puts_there(clang: Compile, dump: Compile) -> None:
    snippet = "struct P { float a[5]; int b; }; float f() { float sum; int n; P p; float row[40]; return sum + n + p.b + row[3]; }"
    text = dump(snippet)
    assert "store float 0xC7DFDFDFC0000000" in text
    assert "store i32 -16843010" in text
    fills = re.findall(r"llvm\.memset\S*\(.* i8 (-\d+), i64 (\d+)", text)
    assert fills == [("-2", "24"), ("-2", "160")]
    assert "-1431655766" in clang(snippet, *INSTRUMENTATION, "-emit-llvm", "-Xclang", "-disable-llvm-passes")


def test_blocks_of_the_sanitizers_checks_announce_nothing(dump: Compile) -> None:
    def blocks(snippet: str) -> int:
        return dump(snippet).count("call void @__sanitizer_cov_trace_pc()")

    assert blocks("int f(int a, int b) { return a / b; }") == 1
    assert blocks("int f(int* p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }") == 4
    assert blocks("void f() { for (;;); }") == 2
    assert blocks("int f(int n) { switch (n) { case 1: return 2; case 2: return 3; default: return 4; } }") == 5
