"""What becomes of `asm` statements: which are understood, and by what name the others are refused."""

from __future__ import annotations

import re

import pytest

from grader.engines.ptx.asm_statements import rewrite_assembly
from grader.engines.refusal import Refusal
from grader.engines.token_scan import scan
from grader.model.verdicts import Verdict

FILE = "kernel.cu"


def rewritten(code: str) -> tuple[str, dict[int, Refusal | None]]:
    return rewrite_assembly(f'# 1 "{FILE}"\n{code}\n', FILE)


def refused(code: str) -> str:
    """What is said of the first statement in the code."""
    text, assembly = rewritten(code)
    refusal = assembly[min(assembly)]
    assert refusal is not None
    assert refusal.verdict is Verdict.NEEDS_GPU
    assert "asm" in text  # left as it is: the scan refuses it
    assert scan(text, FILE, "", {at: one for at, one in assembly.items() if one}) == refusal
    return refusal.message


def understood(code: str) -> str:
    text, assembly = rewritten(code)
    assert not any(assembly.values()), [one.message for one in assembly.values() if one]
    assert not re.search(r"\basm\b|__asm__", text)
    return text


def test_a_text_without_assembly_is_left_as_it_is() -> None:
    code = "int asmuch = 1; // no assembly\n"
    assert rewrite_assembly(code, FILE)[0] == code


def test_every_form_of_the_statement_is_read() -> None:
    for code in (
        'asm("membar.gl;");',
        'asm volatile("membar.gl;" ::: "memory");',
        '__asm__ __volatile__("membar.gl;" : : : "memory");',
        'asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));',
        'asm("mov.u32 %[to], %[from];" : [to] "=r"(x) : [from] "r"(y));',
        'asm("add" ".u32 %0, " "%1, %2;" : "=r"(x) : "r"(f(a, b)), "n"(4));',
        'asm(R"(add.u32 %0, %0, 1;)" : "+r"(a[i++]));',
        'asm("// a comment\\n mov.u32 %0, /* one */ 1;" : "=r"(x));',
        'if (x) asm("bar.sync 0;"); else y();',
    ):
        understood(code)


def test_a_loop_with_a_label_is_refused() -> None:
    loop = "{ .reg .pred p; WAIT: setp.eq.u32 p, %0, 0; @!p bra WAIT; }"
    assert "the label `WAIT`" in refused(f'asm("{loop}" : "+r"(x));')


def test_lines_stay_as_they_were() -> None:
    text = understood(
        'void f() {\n  asm volatile(\n      "membar.gl;"\n      "bar.sync 0;"\n      ::: "memory");\n  g();\n}'
    )
    line, places = 0, {}
    for one in text.splitlines():
        if marker := re.fullmatch(r'# (\d+) "kernel.cu"', one):
            line = int(marker[1]) - 1
            continue
        line += 1
        for word in ("fence", "syncthreads", "g();"):
            if word in one:
                places[word] = line
    assert places == {"fence": 3, "syncthreads": 4, "g();": 6}


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ('asm("wgmma.fence.sync.aligned;");', "`wgmma.fence.sync.aligned`"),
        ('asm("mbarrier.arrive.noComplete.b64 %0, [%1], 1;" : "=l"(x) : "l"(y));', "`mbarrier.arrive.noComplete.b64`"),
        ('asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(x) : "l"(y));', "`mbarrier.pending_count.b64`"),
        (
            'asm("cp.async.bulk.shared::cta.global [%0], [%1], 16;" :: "r"(x), "l"(y));',
            "`cp.async.bulk.shared::cta.global`",
        ),
        ('asm("rdtsc" : "=r"(x));', "`rdtsc`"),
        ('asm("@p bra done;");', "`bra`"),
        ('asm("done: membar.gl;");', "the label `done`"),
        ('asm("bar.sync 1, 64;");', "`bar.sync`"),
        ('asm("tanh.approx.f32 %0, %1;" : "=f"(x) : "f"(y));', "`tanh.approx.f32`"),
        ('asm("add.u32 %0, %1, %2;" : "=r"(x) : "r"(y));', "the operand `%2` of `add.u32`"),
        (
            'asm("add.f32 %0, %1, %1;" : "=f"(x) : "l"(y));',
            "an operand of type `.b64` where `.f32` belongs of `add.f32`",
        ),
        ('asm("add.u32 secret, %0, 1;" :: "r"(y));', "the operand `secret` of `add.u32`"),
        ('asm("mov.u32 %0, 1;" : "=a"(x));', 'the constraint "=a"'),
        ('asm("membar.gl;" ::: "rax");', "this form of `asm`"),
        ('asm goto("membar.gl;" :::: out);', "`asm goto`"),
        ('asm("mov.u32 %0, 1;" : "=r"(({ asm("nop"); x; })));', "this form of `asm`"),
        ("asm(text);", "this form of `asm`"),
        ('asm(L"membar.gl;");', "this kind of string"),
        ('asm("membar\\x2egl;");', "this kind of string"),
        ('asm("{ membar.gl;");', "a `{` without its `}`"),
        ('asm("membar.gl; }");', "`}`"),
        ('asm(".reg .b32 r<9999>;");', "`>`"),
        ('asm(".reg .b32 r; .reg .b32 r;");', "two registers named `r`"),
        ('asm(".entry main() {}");', "`.entry`"),
        ('asm("mov.u32 %0, `x`;" : "=r"(x));', "``x`;`"),
        ('asm("mov.u32 %0, 99999999999999999999999;" : "=r"(x));', "`99999999999999999999999`"),
        ('int f() asm("other_name");', "`other_name`"),
        ('asm("add.u32 %0, %1.b0, 1;" : "=r"(x) : "r"(y));', "`.b0`"),
        ('asm("mov.u32 %0, -%1;" : "=r"(x) : "r"(y));', "`-`"),
        ('asm("vadd4.u32.u32.u32 %0, %1, %1, %1;" : "=r"(x) : "r"(y));', "`vadd4.u32.u32.u32`"),
        ('asm("vabsdiff4.u32.u32.u32.sat %0, %1, %1, %1;" : "=r"(x) : "r"(y));', "`vabsdiff4.u32.u32.u32.sat`"),
        ('asm("vabsdiff4.s32.s32.s32 %0, %1, %1, %1;" : "=r"(x) : "r"(y));', "`vabsdiff4.s32.s32.s32`"),
        ('asm("vadd.u32.u32.u32 %0, %1, %1;" : "=r"(x) : "r"(y));', "`vadd.u32.u32.u32`"),
        ('asm("vmad.u32.u32.u32 %0, %1, %1, %1;" : "=r"(x) : "r"(y));', "`vmad.u32.u32.u32`"),
        ('asm("vset2.u32.u32 %0, %1, %1, %1;" : "=r"(x) : "r"(y));', "`vset2.u32.u32`"),
        ('asm("vavrg.u32.u32.u32 %0, %1, %1;" : "=r"(x) : "r"(y));', "`vavrg.u32.u32.u32`"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_name(code: str, named: str) -> None:
    assert named in refused(code)


def test_no_name_of_a_ptx_text_reaches_the_compiler() -> None:
    text = understood('asm("{ .reg .b32 system; mov.b32 system, 1; mov.b32 %0, system; }" : "=r"(x));')
    assert "system" not in text


def test_a_file_full_of_inline_ptx_is_refused_and_does_not_take_long() -> None:
    many = 'asm("' + "membar.gl;" * 2001 + '");'
    assert "so much inline PTX" in refused(many)


def test_the_scan_refuses_assembly_that_nothing_was_put_in_place_of() -> None:
    refusal = scan('asm("membar.gl;");\n', FILE)
    assert refusal is not None
    assert refusal.verdict is Verdict.NEEDS_GPU
