"""What counts as announced on x86-64, on small functions of every kind that the proof must tell apart."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from grader.engines.objects.symbol_table import read_object
from grader.engines.proof.object_proof import Entry, ObjectReport, check_announcements, prove_object

_SNIPPETS = importlib.util.spec_from_file_location("x86_snippets", Path(__file__).with_name("x86_snippets.py"))
assert _SNIPPETS is not None
assert _SNIPPETS.loader is not None
snippets = importlib.util.module_from_spec(_SNIPPETS)
_SNIPPETS.loader.exec_module(snippets)

KERNEL = {"kernel": Entry(argument_bytes=16)}
SAVE = "movq %rdi, -8(%rbp); "  # the pointer that the function was given, as its first local
READ = SAVE + "movq -8(%rbp), %rax; movq %rax, %rdi; call __tsan_read4; movq -8(%rbp), %rax; "
WRITE = READ.replace("read4", "write4")
CHECKED = (
    "movl %esi, -12(%rbp); movl -12(%rbp), %eax; cltq; cmpq $7, %rax; jbe 1f; call __ubsan_handle_out_of_bounds; 1:; "
)

CHECKED_TARGET = "movq $other, %rax; movq %rax, %rdi; call tilelab_unseen_call; "

ANNOUNCED = {
    "a read behind its announcement": READ + "movss (%rax), %xmm0",
    "a write behind its announcement": WRITE + "movss %xmm0, (%rax)",
    "an address that is computed again in another way": (
        SAVE
        + "movslq %esi, %rdx; movq %rdx, %rbx; shlq $2, %rdx; addq -8(%rbp), %rdx; movq %rdx, %rdi; call __tsan_read4;"
        "movq -8(%rbp), %rcx; movl (%rcx,%rbx,4), %eax"
    ),
    "the parts of an announced range": (
        SAVE
        + "movl $12, %esi; movq -8(%rbp), %rdi; call __tsan_read_range; movq -8(%rbp), %rax; movq (%rax), %rdx; movl 8(%rax), %ecx"
    ),
    "locals": "movl $1, -4(%rbp); addl $2, -4(%rbp); movl -4(%rbp), %eax",
    "a local array with a checked index": CHECKED + "movl -48(%rbp,%rax,4), %ecx",
    "the same, written": CHECKED + "movl $5, -48(%rbp,%rax,4)",
    "the return address, read": "movq 8(%rbp), %rdi; call __tsan_func_entry",
    "an argument on the stack": "movl 16(%rbp), %eax",
    "a checked call through a pointer to a mathematical function of the C library": (
        "movq $cosf, %rax; movq %rax, %rdi; call tilelab_unseen_call; call *%rax"
    ),
    "a constant": "movss .LC0(%rip), %xmm0",
    "a table of constants with a checked index": CHECKED + "movss table(,%rax,4), %xmm0",
    "a variable of CUDA's": "movl _ZN11cuda_on_cpu9threadIdxE+8(%rip), %eax",
    "shared memory behind its announcement": (
        "movq %fs:0, %rax; addq $tile@tpoff, %rax; movq %rax, %rdi; call __tsan_write4; movl $1, %fs:tile@tpoff"
    ),
    "locals set by a repeated instruction": "leaq -64(%rbp), %rdi; movl $0, %eax; movl $4, %ecx; rep stosq",
    "a large frame": "leaq -8192(%rsp), %r11; 1:; subq $4096, %rsp; orq $0, (%rsp); cmpq %r11, %rsp; jne 1b; movl $1, -8000(%rbp)",
    "a call through a pointer that was checked": CHECKED_TARGET + "call *%rax",
    "a jump to another function, with the stack as it was": "leave; jmp other",
    "GCC 16's large frame": "leaq -8192(%rsp), %r11; 1:; subq $4096, %rsp; orb $0, (%rsp); cmpq %r11, %rsp; jne 1b; movl $1, -8000(%rbp)",
}
UNANNOUNCED = {
    "a read that nothing announces": (SAVE + "movq -8(%rbp), %rax; movss (%rax), %xmm0", ["read"]),
    "a write that was announced as a read": (READ + "movss %xmm0, (%rax)", ["write"]),
    "a read that was announced as a write": (WRITE + "movss (%rax), %xmm0", ["read"]),
    "more bytes than were announced": (READ + "movq (%rax), %rcx", ["read"]),
    "bytes beside the announced ones": (READ + "movl 4(%rax), %ecx", ["read"]),
    "an instruction that reads and writes": (READ + "addl $1, (%rax)", ["write"]),
    "what is announced on one path alone": (
        SAVE
        + "testl %esi, %esi; je 1f; movq -8(%rbp), %rdi; call __tsan_read4; 1:; movq -8(%rbp), %rax; movl (%rax), %eax",
        ["read"],
    ),
    "what was announced before a loop": (READ + "1:; movl (%rax), %ecx; jmp 1b", ["read"]),
    "what was announced before a barrier": (
        READ + "call _ZN11cuda_on_cpu13__syncthreadsEv; movq -8(%rbp), %rax; movl (%rax), %ecx",
        ["read"],
    ),
    "an address that changed since": (READ + "addq $4, %rax; movl (%rax), %ecx", ["read"]),
    "an address kept where a store may have reached": (
        SAVE + "movq %rsi, %rbx; movq %rbx, %rdi; call __tsan_write8; movq -8(%rbp), %rdi; call __tsan_read4;"
        "movq $0, (%rbx); movq -8(%rbp), %rax; movl (%rax), %ecx",
        ["read"],
    ),
    "a local array with an index that nobody checked": ("movslq %esi, %rax; movl -48(%rbp,%rax,4), %ecx", ["read"]),
    "a checked index in an array that is shorter": (CHECKED + "movl $1, -16(%rbp,%rax,4)", ["write"]),
    "an index checked against what has a sign": (
        "movslq %esi, %rax; cmpq $7, %rax; jle 1f; call __ubsan_handle_out_of_bounds; 1:; movl -48(%rbp,%rax,4), %ecx",
        ["read"],
    ),
    "the return address, written": ("movq $0, 8(%rbp)", ["write"]),
    "the caller's frame pointer, written": ("movl $0, -4(%rbp); movq $0, (%rbp)", ["write"]),
    "below the stack pointer": ("movl $0, -4096(%rbp)", ["write"]),
    "past a table of constants": (CHECKED + "movss table+4(,%rax,4), %xmm0", ["read"]),
    "a constant, written": ("movl $0, table(%rip)", ["write"]),
    "a variable of the submission": ("movl variable(%rip), %eax", ["read"]),
    "past a variable of CUDA's": ("movl _ZN11cuda_on_cpu9threadIdxE+12(%rip), %eax", ["read"]),
    "a variable of CUDA's, written": ("movl $0, _ZN11cuda_on_cpu9threadIdxE(%rip)", ["write"]),
    "shared memory": ("movl %fs:tile@tpoff, %eax", ["read"]),
    "memory set by a repeated instruction": ("movslq %esi, %rcx; rep stosq", ["write"]),
    "memory copied by a repeated instruction": ("movl $8, %ecx; rep movsb", ["read", "write"]),
    "an address without a register": ("movl 4096, %eax", ["read"]),
    "room for large arguments, of which no page is touched": ("subq $8200, %rsp", ["stack"]),
    "a call through a register": ("call *%rax", ["call"]),
    "a call through memory": ("call *-8(%rbp)", ["call"]),
    "a call through a variable": ("call *variable(%rip)", ["read", "call"]),
    "a call of what was checked and then changed": (CHECKED_TARGET + "addq $1, %rax; call *%rax", ["call"]),
    "a call of what was checked before another call": (
        "movq %rax, %rbx; movq %rbx, %rdi; call tilelab_unseen_call; call _ZN11cuda_on_cpu13__syncthreadsEv; call *%rbx",
        ["call"],
    ),
    "a call of what was announced as memory": (READ + "call *%rax", ["call"]),
    "a word of memory that is called, checked before it is read again": (
        "movq -8(%rbp), %rax; movq %rax, %rdi; call tilelab_unseen_call; call *-8(%rbp)",
        ["call"],
    ),
}
UNPROVED = {
    "a jump through a register": "jmp *%rax",
    "a jump through a variable": "jmp *variable(%rip)",
    "a call through a pointer of four bytes": ".byte 0x66; call *%rax",
    "a call through a pointer that may lead to a function with arguments that nobody passed": (
        "movq $taker, %rax; movq %rax, %rdi; call tilelab_unseen_call; call *%rax"
    ),
    "a call through a pointer that may lead out of the file": (
        "movq $printf, %rax; movq %rax, %rdi; call tilelab_unseen_call; call *%rax"
    ),
    "a call through a pointer that may lead to a function that nobody can follow": (
        "movq $strange, %rax; movq %rax, %rdi; call tilelab_unseen_call; call *%rax"
    ),
    "a bit picked far from its operand": "btsq %rax, -8(%rbp)",
    "an address of 32 bits": "movl (%eax), %ecx",
    "an instruction that no compiler makes here": "rdtsc",
    "an instruction of newer processors": "vmovss (%rdi), %xmm0",
    "a direction turned around": "std",
    "an access at an unknown place of the thread's own": "movq %fs:40, %rax",
    "another segment": "movq %gs:8(%rdi), %rax",
    "a stack aligned by force": "andq $-64, %rsp",
    "a stack pointer from memory": "movq -8(%rbp), %rsp",
    "a stack that differs from path to path": "testl %esi, %esi; je 1f; pushq %rax; 1:; nop",
    "a frame pointer that is used for something else": "movq %rdi, %rbp",
    "a large frame without probes": "leaq -8192(%rsp), %rsp",
    "room for arguments whose size nobody knows": "subq %rax, %rsp",
    "a jump into another function": "jmp other",
    "a call into the middle of a function": "call other+1",
    "arguments that nobody passed": "movl 32(%rbp), %eax",
    "system calls": "syscall",
}
DATA = """
	.section .rodata,"a"
.LC0:	.long 1
	.section .rodata.table,"a"
	.balign 4
table:	.zero 32
	.data
variable:	.long 1
	.section .tbss,"awT",@nobits
tile:	.zero 64
	.section .text.other,"ax"
	.type other, @function
other:
	nop
	ret
	.size other, .-other
	.section .text.taker,"ax"
	.type taker, @function
taker:
	pushq %rbp
	movq %rsp, %rbp
	movl 144(%rbp), %eax
	popq %rbp
	ret
	.size taker, .-taker
	.section .text.strange,"ax"
	.type strange, @function
strange:
	rdtsc
	ret
	.size strange, .-strange
"""


def proved(body: str, folder: Path, *, framed: bool = True) -> ObjectReport:
    return prove_object(
        read_object(snippets.assembled(snippets.assembly(body, framed=framed, behind=DATA), folder)), KERNEL
    )


@pytest.mark.parametrize("body", ANNOUNCED.values(), ids=ANNOUNCED)
def test_nothing_is_missing_where_each_access_is_announced_or_harmless(body: str, tmp_path: Path) -> None:
    report = proved(body, tmp_path)
    assert (report.unproved, report.unannounced) == (None, {})


@pytest.mark.parametrize(("body", "kinds"), UNANNOUNCED.values(), ids=UNANNOUNCED)
def test_an_access_that_may_come_unannounced_is_found(body: str, kinds: list[str], tmp_path: Path) -> None:
    report = proved(body, tmp_path)
    assert report.unproved is None
    assert [one.kind for one in report.unannounced["kernel"]] == kinds


@pytest.mark.parametrize("body", UNPROVED.values(), ids=UNPROVED)
def test_code_that_cannot_be_followed_is_not_taken_for_proved(body: str, tmp_path: Path) -> None:
    assert proved(body, tmp_path).unproved is not None


@pytest.mark.parametrize(("body", "kinds"), UNANNOUNCED.values(), ids=UNANNOUNCED)
def test_the_inserted_calls_announce_what_was_missing(body: str, kinds: list[str], tmp_path: Path) -> None:
    text = snippets.assembly(body, behind=DATA)
    code = read_object(snippets.assembled(text, tmp_path))
    checked = check_announcements(code, text, KERNEL, "kernel.cu")
    calls = [one for one in kinds if one != "stack"]  # for which a loop touches the pages
    assert checked.assembly.count("\tcall\ttilelab_unseen_") == len(calls)
    again = check_announcements(
        read_object(snippets.assembled(checked.assembly, tmp_path)), checked.assembly, KERNEL, ""
    )
    assert (again.refusal, again.assembly) == (None, "")


def test_a_call_that_may_announce_another_address_goes_and_the_access_counts_once(tmp_path: Path) -> None:
    forgotten = SAVE + "movq -8(%rbp), %rax; leaq tile@tpoff(%rax), %rdi; "
    text = snippets.assembly(
        f"{forgotten}call __tsan_read4; movl -8(%rbp), %eax; movl %fs:tile@tpoff, %eax", behind=DATA
    )
    checked = check_announcements(read_object(snippets.assembled(text, tmp_path)), text, KERNEL, "kernel.cu")
    assert checked.refusal is None
    assert (checked.assembly.count("tilelab_unseen_read"), checked.assembly.count("__tsan_read4")) == (1, 0)
    kept = snippets.assembly(f"{forgotten}call __tsan_write4; movl %fs:tile@tpoff, %eax", behind=DATA)
    checked = check_announcements(read_object(snippets.assembled(kept, tmp_path)), kept, KERNEL, "kernel.cu")
    assert (checked.assembly.count("tilelab_unseen_read"), checked.assembly.count("__tsan_write4")) == (1, 1)


def test_control_that_leaves_a_function_at_its_end_is_stopped_there(tmp_path: Path) -> None:
    text = snippets.assembly(snippets.BEGIN + "call _ZN11cuda_on_cpu13__syncthreadsEv", framed=False)
    checked = check_announcements(read_object(snippets.assembled(text, tmp_path)), text, KERNEL, "kernel.cu")
    assert "\tud2\n\t.size" in checked.assembly
    again = check_announcements(
        read_object(snippets.assembled(checked.assembly, tmp_path)), checked.assembly, KERNEL, ""
    )
    assert (again.refusal, again.assembly) == (None, "")


def test_what_a_pointer_may_lead_to_is_whatever_reached_code_or_data_names(tmp_path: Path) -> None:
    named = """
	.section .data.first,"aw"
first:	.quad second
	.section .data.rel.ro.second,"aw"
second:	.quad 0, other
	.section .data.unused,"aw"
	.quad taker
"""
    body = "movq $first, %rax; movq $0, -8(%rbp); call *-8(%rbp)"
    code = read_object(snippets.assembled(snippets.assembly(body, behind=DATA + named), tmp_path))
    report = prove_object(code, KERNEL)
    assert (report.unproved, report.targets) == (None, ["other"])


def test_without_a_call_through_a_pointer_nothing_is_a_target(tmp_path: Path) -> None:
    report = proved("movq $strange, %rax", tmp_path)
    assert (report.unproved, report.targets) == (None, [])


MAKER = """
	.section .text.make,"ax"
	.type make, @function
make:
	pushq %rbp
	movq %rsp, %rbp
	movq %rdi, -8(%rbp)
	movq -8(%rbp), %rax
	movl $1, (%rax)
	movq -8(%rbp), %rax
	movl $2, 4(%rax)
	popq %rbp
	ret
	.size make, .-make
"""


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("leaq -16(%rbp), %rdi; call make", []),
        ("movq %rsi, %rdi; call make", ["write"]),
        ("leaq (%rbp), %rdi; call make", ["write"]),
        ("leaq -8(%rsp), %rdi; call make", ["write"]),
    ],
    ids=["in its own frame", "anywhere", "over its own return address", "below its own frame"],
)
def test_the_caller_answers_for_where_a_silent_function_makes_its_object(
    body: str, kinds: list[str], tmp_path: Path
) -> None:
    code = read_object(snippets.assembled(snippets.assembly(body, behind=MAKER), tmp_path))
    report = prove_object(code, KERNEL)
    assert report.unproved is None
    assert [one.kind for one in report.unannounced.get("kernel", [])] == kinds
