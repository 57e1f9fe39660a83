"""Code that would escape the executor is refused with its line, in every spelling. Ordinary CUDA code is allowed."""

# ruff: noqa: E501 -- a case of a table is one line
from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.ptx.asm_statements import rewrite_assembly
from grader.engines.refusal import Refusal
from grader.engines.token_scan import scan
from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[4]
KERNELS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("tests/labs/accepted/*/*.cu", "solutions/*/*.cu", "solutions/*/rejects/*.cu", "assignments/*/*.cu")
    for path in ROOT.glob(pattern)
    if "verdict: rejected" not in path.read_text(encoding="utf-8")
    and "verdict: needs-gpu" not in path.read_text(encoding="utf-8")
)
Scan = Callable[[str], Refusal | None]

REFUSED = {
    "an optimize attribute": '__attribute__((optimize("O3"))) void f();',
    "without instrumentation": '__attribute__((no_sanitize("thread"))) void f();',
    "the other spelling": "__attribute((no_sanitize_thread)) void f();",
    "with underscores": "__attribute__((__no_sanitize_thread__)) void f();",
    "behind a harmless one": "__attribute__((unused, aligned(16), constructor)) void f();",
    "behind nested arguments": '__attribute__((aligned(sizeof(int[2]) * (1 + 1)), section("x"))) int a;',
    "in brackets": "[[gnu::constructor]] void f();",
    "with using": "[[using gnu: unused, noipa]] void f();",
    "in a list of brackets": "[[maybe_unused, gnu::optimize(3)]] void f();",
    "brackets apart": "[ [gnu::optimize(3)] ] void f();",
    "brackets on two lines": "[\n[gnu::optimize(3)]\n] void f();",
    "digraphs": "<:<:gnu::optimize(3):>:> void f();",
    "a digraph and a bracket": "<:[gnu::optimize(3)]:> void f();",
    "in an unknown namespace": '[[clang::no_sanitize("thread")]] void f();',
    "a macro's attribute": "#define A __attribute__((A2))\n#define A2 constructor\nA void f();",
    "pasted": "#define P(a, b) a##b\nP(__attri, bute__)((constructor)) void f();",
    "a pragma": '#pragma GCC optimize("O3")\nvoid f();',
    "a spliced pragma": '#pra\\\ngma GCC optimize("O3")\nvoid f();',
    "a digraph's pragma": "%:pragma GCC push_options\nvoid f();",
    "the operator": '_Pragma("GCC optimize(\\"O3\\")") void f();',
    "the operator in a macro": '#define O _Pragma("GCC target(\\"avx\\")")\nO void f();',
    "a weak symbol": "#pragma weak f\nvoid f();",
    "a renamed one": "#pragma redefine_extname f g\nvoid f();",
    "another precompiled header": '#pragma GCC pch_preprocess "evil.gch"\nvoid f();',
    "OpenMP": "#pragma omp parallel\nvoid f();",
    "a builtin of the machine": "int f() { return __builtin_ia32_rdtsc(); }",
    "the frame's address": "void* f() { return __builtin_frame_address(0); }",
    "a pasted builtin": "#define P(a, b) a##b\nvoid* f() { return P(__builtin_, return_address)(0); }",
    "the compiler's atomics": "int f(int* p) { return __atomic_load_n(p, 0); }",
    "the older atomics": "int f(int* p) { return __sync_fetch_and_add(p, 1); }",
    "a callback": 'extern "C" void __tsan_write4(void*);',
    "a name of the kit's": 'extern "C" void tilelab_memcpy();',
    "bounds of the kit's data": "extern char __start_tldata[];",
    "a computed goto": "void f() { void* p = &&x; goto *p; x:; }",
    "text that calls itself a system header": (
        "#if __INCLUDE_LEVEL__ == 0\n#include __FILE__\n#else\n#pragma GCC system_header\n[[gnu::constructor]] void f();\n#endif"
    ),
    "a system header's macro": "#include <sys/cdefs.h>\nvoid g(); void f() __attribute_copy__(g);",
}

ASSEMBLY = {
    "plain": 'asm("nop");',
    "with underscores": 'void f() { __asm__ volatile ("nop"); }',
    "the short one": 'void f() { __asm ("nop"); }',
    "a macro": '#define BARRIER as##m\nvoid f() { BARRIER("nop"); }',
    "pasted": '#define P(a, b) a##b\nvoid f() { P(a, sm)("nop"); }',
    "a register": 'void f() { register int a asm("eax"); }',
    "a symbol's name": 'void f() asm("exit");',
}

HARMLESS = {
    "unroll": 'void f() {\n#pragma unroll 4\n#pragma unroll\n#pragma GCC unroll 8\nfor (;;) break; _Pragma("unroll") for (;;) break; }',
    "unknown pragmas": "#pragma nv_diag_suppress 177\n#pragma hd_warning_disable\n#pragma something else\n#pragma pack(push, 4)",
    "standard attributes": "[[maybe_unused]] static int a; [[nodiscard]] int f(); [[noreturn, gnu::cold]] void g();",
    "attributes of statements": "int f(int a) { switch (a) { case 0: a++; [[fallthrough]]; default:; } if (a) [[likely]] a = 1; return a; }",
    "layout": "struct __align__(16) S { alignas(8) float a; } __attribute__((packed, aligned(4)));",
    "nested subscripts": "int f(int* a, int* b, int i) { return a[b[i]] + a[b[b[a[i]]]]; }",
    "subscripts of digraphs": "int f(int* a, int* b, int i) <% return a<:b<:i:>:>; %>",
    "a template argument behind <:": "template <class T> struct V {}; struct W {}; V<::W> v;",
    "lambdas": "auto f = [&](int a) { return a; }; auto g = [=] { return 1; }; int h(int* a) { return a[[] { return 0; }()]; }",
    "a lambda inside a subscript": "int f(int* a) { return a[([&] { return 0; }())]; }",
    "words inside strings": 'const char* s = "asm goto * __builtin_trap"; const char* r = R"(asm("nop") [[gnu::x]])";',
    "words inside comments": "// asm volatile __attribute__((constructor))\n/* #pragma GCC optimize */ int a;",
    "words inside names": "int assembly, asm_, my__asm, __builtins, goto_;",
    "a plain goto": "void f(int a) { if (a) goto done; a = 2 * a; done:; }",
    "a float with everything": "float f = 0x1.8p+3f + 1'000.5e-3f + .5f;",
    "assert": '#include <cassert>\nvoid f(int a) { assert(a > 0 && "positive"); }',
    "what standard macros become": "#include <climits>\nfloat a = INFINITY, b = NAN, c = FLT_MAX; int d = INT_MAX; size_t e = offsetof(dim3, y);",
    "leftover host headers": "#include <iostream>\n#include <vector>\n#include <chrono>\n#include <random>\n#include <thread>",
}


@pytest.fixture
def preprocess_and_scan(toolset: Toolset, tmp_path: Path) -> Scan:
    def run(source: str) -> Refusal | None:
        (tmp_path / "scale.cu").write_text(source, encoding="utf-8")
        argv = toolset.toolchain.preprocess("scale.cu", "scale.ii")
        finished = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        text = (tmp_path / "scale.ii").read_text(encoding="utf-8")
        _, assembly = rewrite_assembly(text, "scale.cu", str(tmp_path))
        understood = {at: None for at, refusal in assembly.items() if refusal is None}
        return scan(text, "scale.cu", str(tmp_path), understood)

    return run


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_escape_is_rejected(case: str, preprocess_and_scan: Scan) -> None:
    refusal = preprocess_and_scan(REFUSED[case] + "\n")
    assert refusal is not None
    assert refusal.verdict is Verdict.REJECTED
    assert 1 <= refusal.line <= REFUSED[case].count("\n") + 1


@pytest.mark.parametrize("case", ASSEMBLY)
def test_assembly_waits_for_a_gpu(case: str, preprocess_and_scan: Scan) -> None:
    refusal = preprocess_and_scan(ASSEMBLY[case] + "\n")
    assert refusal is not None
    assert (refusal.verdict, refusal.line) == (Verdict.NEEDS_GPU, ASSEMBLY[case].count("\n") + 1)


@pytest.mark.parametrize("case", HARMLESS)
def test_what_cuda_code_holds_is_let_through(case: str, preprocess_and_scan: Scan) -> None:
    assert preprocess_and_scan("#include <tilelab/device.cuh>\n" + HARMLESS[case] + "\n") is None


@pytest.mark.parametrize("kernel", sample(KERNELS, 4))
def test_no_kernel_of_the_labs_is_refused(kernel: str, preprocess_and_scan: Scan) -> None:
    assert preprocess_and_scan((ROOT / kernel).read_text(encoding="utf-8")) is None


def test_a_refusal_names_the_line_below_includes_and_long_comments(preprocess_and_scan: Scan) -> None:
    source = "#include <cstdio>\n" + "// comment\n" * 40 + "#define A 1\n\n\nint a = A;\nvoid f() { goto *0; }\n"
    refusal = preprocess_and_scan(source)
    assert refusal is not None
    assert refusal.line == 46


@pytest.mark.parametrize(
    "path", ["/proc/self/cwd/x.h", "{folder}/x.h", "x.h", "/usr/include/../../proc/self/fd/3", "/dev/fd/3"]
)
def test_no_file_within_a_submissions_reach_is_a_system_header(path: str) -> None:
    path = path.replace("{folder}", "/build/here")
    text = f'# 1 "scale.cu"\n# 1 "{path}" 1 3\nasm("nop");\n# 2 "scale.cu" 2\n'
    assert scan(text, "scale.cu", "/build/here") is not None


def test_a_system_header_may_use_what_a_submission_may_not() -> None:
    text = '# 1 "scale.cu"\n# 1 "/usr/include/x.h" 1 3\nasm("nop");\n# 2 "scale.cu" 2\nint a;\n'
    assert scan(text, "scale.cu", "/build/here") is None


def test_the_line_behind_a_raw_string_over_several_lines_is_right() -> None:
    refusal = scan('# 1 "scale.cu"\nauto s = R"(\n\n)";\nasm("nop");\n', "scale.cu")
    assert refusal is not None
    assert refusal.line == 4
