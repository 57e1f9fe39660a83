"""Why each flag is needed: a snippet compiled with the kit's flags and without one of them, and the difference.

The tests use g++, and clang where the fact is about both and clang is installed. If a compiler shows no difference any more, its test
fails. Then somebody has to look at the flag, or at what replaces it, again.
"""

# ruff: noqa: E501, ISC004 -- a case of a table is one line
from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.gcc_flags import INSTRUMENTATION, MACHINE
from grader.engines.toolset import Toolset

Compile = Callable[..., str]
QUAD = "struct alignas(16) Quad { float x, y, z, w; }; Quad make(float a) { return {a, a, a, a}; }\n"

# Each flag: a snippet, and a pattern in the assembly that shows whether the flag works.
SHOWN_BY: dict[str, tuple[str, str, bool]] = {  # flag: snippet, pattern, whether the pattern is there with the flag
    "-fsanitize=thread,bounds,alignment": ("void f(int* p) { *p = 1; }", r"__tsan_write4", True),
    "-fsanitize=integer-divide-by-zero": ("int f(int a, int b) { return a / b; }", r"__ubsan_handle_divrem_overflow", True),
    "-fsanitize=return": ("int f(int a) { if (a) return 1; }", r"__ubsan_handle_missing_return", True),
    "-fsanitize-coverage=trace-pc": ("void f() { for (;;); }", r"__sanitizer_cov_trace_pc", True),
    "-fno-extern-tls-init": ("extern thread_local float s[]; float f() { return s[0]; }", r"_ZTH1s", False),
    "-ftrivial-auto-var-init=pattern": ("float f() { float sum; return sum; }", r"-16843010|4278124286|0xfefefefe|-17\.0", True),
    "-fno-omit-frame-pointer": ("int f(int a) { return a; }", r"rbp|x29", True),
    "-fno-jump-tables": (
        "int f(int a) { switch (a) { case 0: return 7; case 1: return 3; case 2: return 9; case 3: return 1; case 4: return 8; "
        "case 5: return 2; case 6: return 4; default: return 0; } }",
        r"jmp\s+\*|\bbr\s+x\d", False,
    ),
    "-fstack-clash-protection": ("void g(char*); void f() { char a[100000]; g(a); }", r"(or|sub)q\s+\$(0|4096), \(?%rsp|str\s+xzr", True),
    "-fno-stack-protector": ("void g(char*); void f() { char a[64]; g(a); }", r"__stack_chk_fail", False),
    "-fno-asynchronous-unwind-tables": ("void f() {}", r"\.cfi_sections\s+\.debug_frame", True),
    "-ffunction-sections": ("void f() {}", r"\.section\s+\.text\._Z1fv", True),
    "-fdata-sections": ("int a = 1;", r"\.section\s+\.data\.a", True),
    "-fno-gnu-unique": ("template <class T> struct S { static int v; }; template <class T> int S<T>::v = 1; int f() { return S<int>::v; }", r"gnu_unique_object", False),
    "-g": ("void f() {}", r"\.debug_info", True),
    "-fno-pic": ("extern int a; int f() { return a; }", r"GOTPCREL|:got:", False),
}  # fmt: skip
# Flags for what some compilers do by default. They replace the flag where only removing it shows no difference.
OPPOSITE = {
    "-fno-stack-protector": "-fstack-protector-all",
    "-fstack-clash-protection": "-fno-stack-clash-protection",
    "-fno-pic": "-fPIC",
    "-fno-asynchronous-unwind-tables": "-fasynchronous-unwind-tables",
    "-fno-omit-frame-pointer": "-fomit-frame-pointer",
}
# Tested below, each in another way. `--param` belongs to the option after it.
BY_THEMSELVES = {
    "-O0", "--param", "tsan-distinguish-volatile=1", "-fno-elide-constructors", "-fno-optimize-sibling-calls", "-fno-pie",
    "--param=min-size-for-stack-sharing=1073741824",
}  # fmt: skip


@pytest.fixture
def assembly(toolset: Toolset, tmp_path: Path) -> Compile:
    """Assembly of a snippet under the given flags, without warnings."""

    def run(snippet: str, *flags: str, compiler: str = toolset.toolchain.compiler) -> str:
        source = tmp_path / "snippet.cpp"
        source.write_text(snippet, encoding="utf-8")
        argv = [compiler, "-std=c++20", "-w", "-fno-exceptions", *flags, "-S", str(source), "-o", "-"]
        finished = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    return run


def without(*flags: str) -> list[str]:
    return [flag for flag in INSTRUMENTATION if flag not in flags]


def test_every_flag_has_its_fact() -> None:
    assert set(SHOWN_BY) | BY_THEMSELVES == set(INSTRUMENTATION)


@pytest.mark.parametrize("flag", SHOWN_BY)
def test_a_flag_makes_the_difference_it_is_there_for(flag: str, assembly: Compile) -> None:
    snippet, pattern, found = SHOWN_BY[flag]
    other = [OPPOSITE[flag]] if flag in OPPOSITE else []
    assert bool(re.search(pattern, assembly(snippet, *INSTRUMENTATION))) is found
    assert bool(re.search(pattern, assembly(snippet, *without(flag), *other))) is not found


SQUARE = "float f(const float* a) { return a[0] * a[0]; }"
READ = re.compile(r"(?:call|bl)q?\s+__tsan_read4")


@pytest.mark.parametrize("name", ["g++", "clang++"])
def test_optimisation_would_read_a_square_once(name: str, assembly: Compile) -> None:
    compiler = shutil.which(name)
    if compiler is None:
        pytest.skip(f"{name} is not installed")
    assert len(READ.findall(assembly(SQUARE, "-O0", "-fsanitize=thread", compiler=compiler))) == 2
    assert len(READ.findall(assembly(SQUARE, "-O1", "-fsanitize=thread", compiler=compiler))) == 1


def test_a_volatile_access_is_told_from_an_ordinary_one(assembly: Compile) -> None:
    spin = "int f(volatile int* flag) { return *flag; }"
    assert "__tsan_volatile_read4" in assembly(spin, *INSTRUMENTATION)
    assert "__tsan_volatile_read4" not in assembly(spin, *without("--param", "tsan-distinguish-volatile=1"))


def test_an_aggregate_that_passes_through_a_call_would_not_be_copied(assembly: Compile) -> None:
    pair = "struct P { float x, y; P(float a) : x(a), y(a) {} P(const P& o) : x(o.x), y(o.y) {} };\n"
    passing = pair + "P make(float a) { P p(a); return p; }\nvoid g(P*); void f(float a) { P p = make(a); g(&p); }"
    copies = r"(?:call|bl)\s+_ZN1PC[12]ERKS_"
    assert re.search(copies, assembly(passing, *INSTRUMENTATION))
    assert not re.search(copies, assembly(passing, *without("-fno-elide-constructors")))


def test_a_tail_call_would_drop_its_callers_frame(assembly: Compile) -> None:
    tail = "int g(int); int f(int a) { return g(a); }"
    jump = r"\b(jmp|b)\s+_Z1gi"
    optimised = [flag for flag in without("-fno-optimize-sibling-calls") if "sanitize" not in flag]
    assert re.search(jump, assembly(tail, *optimised, "-O2"))
    assert not re.search(jump, assembly(tail, *optimised, "-O2", "-fno-optimize-sibling-calls"))


def test_arrays_of_two_blocks_would_share_one_place(assembly: Compile) -> None:
    blocks = "void g(char*); void f() { { char a[400]; g(a); } { char b[400]; g(b); } }"
    flags = without("--param=min-size-for-stack-sharing=1073741824")
    frame = re.compile(r"(?:subq\s+\$|sub\s+sp, sp, #)(\d+)")
    sizes = [sum(map(int, frame.findall(assembly(blocks, *one)))) for one in (flags, INSTRUMENTATION)]
    assert sizes[0] < 800 <= sizes[1]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="about frames on x86-64")
def test_a_frame_with_a_strictly_aligned_local_would_be_laid_out_while_it_runs(assembly: Compile) -> None:
    strict = "void g(float*); void f() { alignas(64) float line[16]; g(line); }"
    assert re.search(r"andq\s+\$-64, %rsp", assembly(strict, *INSTRUMENTATION))
    assert not re.search(r"andq\s+\$-64, %rsp", assembly(strict, *INSTRUMENTATION, *MACHINE["x86_64"]))


def test_a_shared_array_is_addressed_from_the_thread_pointer(assembly: Compile) -> None:
    shared = "extern thread_local float s[]; float f() { return s[0]; }"
    assert "__tls_get_addr" not in assembly(shared, *INSTRUMENTATION)
    assert "__tls_get_addr" in assembly(shared, *without("-fno-pic", "-fno-pie"), "-fPIC")


def test_a_copy_of_an_aggregate_is_announced_or_a_plain_memcpy(assembly: Compile) -> None:
    text = assembly(QUAD + "void f(Quad* a, const Quad* b) { *a = *b; }", *INSTRUMENTATION)
    assert re.search(r"__tsan_(read16|read_range|unaligned_read16)|call\s+memcpy", text)


def test_an_attribute_would_switch_the_instrumentation_off(assembly: Compile) -> None:
    off = '__attribute__((no_sanitize("thread"))) void f(int* p) { *p = 1; }'
    assert "__tsan_write4" not in assembly(off, *INSTRUMENTATION)


def test_printf_becomes_puts_and_putchar(assembly: Compile) -> None:
    text = assembly('#include <cstdio>\nvoid f() { printf("line\\n"); printf("x"); }', *INSTRUMENTATION)
    assert {"puts", "putchar"} <= set(re.findall(r"(?:call|bl)\s+(\w+)", text))
