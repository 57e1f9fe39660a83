"""Tricks against Clang's instrumentation. Each would hide an access, or run code before the kernel. The token scan refuses most of them;
here the scan of the compiler's dump has to refuse them too.
"""

# ruff: noqa: E501 -- a case of a table is one line
from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.clang_ir import rewritten
from grader.engines.cpu_toolchain import PLAIN, CpuToolchain, prepare
from grader.engines.dump_scan import scan_ir
from grader.engines.refusal import Refusal

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
Scan = Callable[[str], Refusal | None]
KERNEL = "__global__ void scale(const float* in, float* out, int n)"

# The text before the kernel, the kernel's body, the verdict, and the reported line (0: none).
HIDING: dict[str, tuple[str, str, str, int]] = {
    "a function without the sanitizer": ('__attribute__((no_sanitize("thread"))) float f(const float* p) { return *p; }', "{ out[0] = f(in); }", "rejected", 2),
    "without any instrumentation": ("__attribute__((disable_sanitizer_instrumentation)) float f(const float* p) { return *p; }", "{ out[0] = f(in); }", "rejected", 2),
    "a pragma for all that follows": ('#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)\nfloat f(const float* p) { return *p; }\n#pragma clang attribute pop', "{ out[0] = f(in); }", "rejected", 3),
    "without debug information": ("__attribute__((nodebug)) float f(const float* p) { return *p; }", "{ out[0] = f(in); }", "rejected", 0),
    "a naked function": ('__attribute__((naked)) void f() { asm("ret"); }', "{ f(); }", "rejected", 2),
    "for another processor": ('__attribute__((target("avx2"))) float f(const float* p) { return *p; }', "{ out[0] = f(in); }", "rejected", 2),
    "for size": ("__attribute__((minsize)) float f(const float* p) { return *p; }", "{ out[0] = f(in); }", "rejected", 2),
    "inline assembly": ("", '{ asm volatile("movl $1, %0" : "=m"(out[0])); }', "needs-gpu", 3),
    "assembly of the file": ('asm(".globl f");', "{ out[0] = 1; }", "needs-gpu", 0),
    "an instruction of the processor": ("", "{ typedef float V __attribute__((vector_size(16))); V v = {in[0], in[1], in[2], in[3]}; out[0] = __builtin_ia32_rcpps(v)[0]; }", "rejected", 3),
    "a header of the processor's": ("#include <xmmintrin.h>", "{ _mm_storeu_ps(out, _mm_loadu_ps(in)); }", "rejected", 0),
    "an atomic of the host's": ("", "{ __atomic_fetch_add(reinterpret_cast<int*>(out), 1, 5); }", "rejected", 3),
    "an atomic type": ("", "{ __c11_atomic_store(reinterpret_cast<_Atomic(int)*>(out), 1, 5); }", "rejected", 3),
    "a fence of the host's": ("", "{ __atomic_thread_fence(5); out[0] = 1; }", "rejected", 3),
    "a vector of 32 bytes": ("typedef float V __attribute__((vector_size(32), aligned(4)));", "{ *reinterpret_cast<V*>(out) = *reinterpret_cast<const V*>(in); }", "needs-gpu", 3),
    "a long double": ("", "{ *reinterpret_cast<long double*>(out) = 1; }", "needs-gpu", 3),
    "a bit-field of three bytes": ("struct __attribute__((packed)) B { unsigned a : 12, b : 12; };", "{ reinterpret_cast<B*>(out)->a = 1; }", "needs-gpu", 3),
    "memory of the processor's": ("", "{ *(float __attribute__((address_space(257)))*)0 = 1; }", "rejected", 3),
    "a computed jump": ("", "{ void* p = n ? &&a : &&b; goto *p; a: out[0] = 1; return; b: out[0] = 2; }", "needs-gpu", 0),
    "a name that a profiler's counters have": ("__device__ float __llvm_gcov_x[4];", "{ __llvm_gcov_x[threadIdx.x] = 1; }", "rejected", 0),
}  # fmt: skip

HARMLESS = {
    "inlining": ("__forceinline__ __attribute__((always_inline)) float f(float a) { return a; }", "{ out[0] = f(in[0]); }"),
    "what callers may assume": ("__attribute__((pure, hot, noinline)) float f(const float* p) { return *p; }", "{ out[0] = f(in); }"),
    "copies of objects": ("struct P { float v[5]; };", "{ P p = *reinterpret_cast<const P*>(in); *reinterpret_cast<P*>(out) = p; }"),
    "an object that a function makes": ("struct P { float v[5]; }; P f(float a) { return {{a, a, a, a, a}}; }", "{ *reinterpret_cast<P*>(out) = f(in[0]); }"),
    "a bit-field among locals": ("struct B { unsigned a : 12, b : 12; };", "{ B b = {1, 2}; out[0] = b.a + b.b; }"),
    "what stays on the host": ('__attribute__((target("avx2"))) void f() { __builtin_ia32_vzeroall(); }', "{ out[0] = in[0]; }"),
    "CUDA": ("", "{ __shared__ float4 s[32]; s[threadIdx.x] = make_float4(0, 0, 0, 0); __syncthreads(); atomicAdd(out, __shfl_sync(~0u, s[0].x, 1)); }"),
}  # fmt: skip


@pytest.fixture(scope="session")
def clang(tmp_path_factory: pytest.TempPathFactory) -> CpuToolchain:
    compiler = shutil.which("clang++")
    if compiler is None:
        pytest.skip("clang++ is not installed")
    includes = [ROOT / "kit" / "include", ROOT / "kit" / "executor" / "device"]
    return prepare(compiler, includes, [], tmp_path_factory.mktemp("prelude"))


@pytest.fixture
def scan(clang: CpuToolchain, tmp_path: Path) -> Scan:
    """The verdict from the dump only, without the token scan."""

    def run(text: str) -> Refusal | None:
        (tmp_path / "scale.cu").write_text(text, encoding="utf-8")
        for command in (clang.preprocess("scale.cu", "scanned.ii"), clang.compile("scanned.ii", "submission.o")[0]):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        dump = rewritten((tmp_path / clang.dump).read_text(encoding="utf-8"))  # as the builder does
        plain = clang.prelude.with_name(PLAIN).read_text(encoding="utf-8")
        return scan_ir(dump, plain, "scale.cu", [str(path) for path in clang.includes], {"_Z5scalePKfPfi"})

    return run


def file(before: str, body: str) -> str:
    return f"#include <tilelab/device.cuh>\n{before}\n{KERNEL} {body}\n"


@pytest.mark.parametrize("case", HIDING)
def test_what_the_instrumentation_would_pass_over_is_refused(case: str, scan: Scan) -> None:
    before, body, verdict, line = HIDING[case]
    refusal = scan(file(before, body))
    assert refusal is not None
    assert (refusal.verdict.value, refusal.line) == (verdict, line), refusal.message


@pytest.mark.parametrize("case", HARMLESS)
def test_what_hides_nothing_is_let_pass(case: str, scan: Scan) -> None:
    assert scan(file(*HARMLESS[case])) is None


# A dump as Clang writes one, and lines of it in forms that Clang might write tomorrow.
PLAIN_DUMP = "define dso_local void @plain() #0 {\n  ret void\n}\nattributes #0 = { noinline sanitize_thread }\n"
KNOWN_DUMP = """define dso_local void @_Z5scalePf(ptr noundef %0) #0 !dbg !4 {
  %2 = alloca ptr, align 8
  %3 = getelementptr inbounds nuw float, ptr %0, i64 3
  store float 1.000000e+00, ptr %3, align 4
  call void @llvm.memset.p0.i64(ptr align 4 %3, i8 0, i64 4, i1 false)
  ret void
}
attributes #0 = { noinline sanitize_thread }
!3 = !DIFile(filename: "scale.cu", directory: "/")
!4 = distinct !DISubprogram(name: "scale", file: !3, line: 1)
"""
FOREIGN: dict[str, tuple[str, str]] = {
    "a flag of getelementptr": ("inbounds nuw float", "inbounds brandnew float"),
    "a copy that is no call of ours": (
        "call void @llvm.memset.p0.i64(ptr align 4 %3, i8 0, i64 4, i1 false)",
        "call void @llvm.memcpy.p0.p0.i64(ptr align 4 %3, ptr align 4 %0, i64 4, i1 false, i1 true, i8 0)",
    ),
    "an instruction": ("ret void\n}\nattr", "storealot ptr %3\n  ret void\n}\nattr"),
    "an instruction in another form": ("  ret void\n}\nattr", "  <2 stores> ptr %3\n  ret void\n}\nattr"),
    "the head of a function": ("@_Z5scalePf(", "%_Z5scalePf("),
    "a variable": ("attributes #0", "@table := constant [4 x float]\nattributes #0"),
}


def test_a_dump_in_the_form_that_is_known_is_clean() -> None:
    assert scan_ir(KNOWN_DUMP, PLAIN_DUMP, "scale.cu", [], {"_Z5scalePf"}) is None


@pytest.mark.parametrize("case", FOREIGN)
def test_a_dump_in_a_form_that_is_not_known_is_not_clean(case: str) -> None:
    known, foreign = FOREIGN[case]
    assert known in KNOWN_DUMP
    refusal = scan_ir(KNOWN_DUMP.replace(known, foreign), PLAIN_DUMP, "scale.cu", [], {"_Z5scalePf"})
    assert refusal is not None
    assert refusal.verdict.value == "internal-error"


@pytest.mark.parametrize(("dump", "plain"), [("", PLAIN_DUMP), (KNOWN_DUMP, ""), ("no dump at all\n", PLAIN_DUMP)])
def test_nothing_to_read_is_not_clean(dump: str, plain: str) -> None:
    refusal = scan_ir(dump, plain, "scale.cu", [], {"_Z5scalePf"})
    assert refusal is not None
    assert refusal.verdict.value == "internal-error"
