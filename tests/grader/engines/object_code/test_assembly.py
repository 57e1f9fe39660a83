"""The compiler's assembly shows which function calls which, with lines of the submission only."""

from __future__ import annotations

from grader.engines.objects.assembly import calls_of

TEXT = """\
	.file	"scanned.ii"
	.file 1 "scale.cu"
	.file 2 "/usr/include" "/usr/include/stdio.h"
	.type	_Z5scalev, @function
_Z5scalev:
	.loc 1 7 3
	call	_Z6helperv
	.loc 2 99 1
	call	printf
	.loc 1 9 3
	call	printf
	call	*%rax
	jmp	.L3
	.size	_Z5scalev, .-_Z5scalev
	.type	main, @function
main:
	.loc 1 20 3
	call	exit@PLT
	call	*8(%rdx)
#APP
	.size	main, .-main
"""


def test_calls_have_the_first_line_that_is_the_submissions() -> None:
    calls = calls_of(TEXT, "scale.cu").within({"_Z5scalev"})
    assert (calls.lines["_Z6helperv"], calls.lines["printf"]) == (7, 9)
    assert calls.indirect == [9]


def test_only_the_functions_asked_for_count() -> None:
    assert calls_of(TEXT, "scale.cu").within({"main"}).lines == {"exit": 20}
    assert calls_of(TEXT, "scale.cu").within({"main"}).inline_assembly == [20]
    assert calls_of(TEXT, "scale.cu").within(set()).indirect == []


def test_assembly_outside_every_function_always_counts() -> None:
    assert calls_of(TEXT + "#APP\n\tnop\n", "scale.cu").within(set()).inline_assembly == [0]


IOSTREAM = "#APP\n\t.globl _ZSt21ios_base_library_initv\n#NO_APP\n"


def test_what_iostream_asks_of_the_linker_is_no_inline_assembly() -> None:
    assert calls_of(IOSTREAM + TEXT, "scale.cu").within({"_Z5scalev"}).inline_assembly == []


# What the compiler keeps in memory it may write before it closes the passage.
KEPT = (
    '\t.section\t.rodata.cst4,"aM",@progbits,4\n\t.align 4\n.LC0:\n\t.long\t1050253722\n'
    "\t.globl\ttable\n\t.data\n\t.align 16\n\t.type\ttable, @object\n\t.size\ttable, 16\ntable:\n\t.zero\t16\n"
    '\t.section\t.rodata.str1.1,"aMS",@progbits,1\n.LC1:\n\t.string\t"a;b \\"#NO_APP"\n\t.local\tx\n\t.comm\tx,1,1\n'
)


def test_constants_and_variables_after_it_are_none_either() -> None:
    text = IOSTREAM.replace("#NO_APP", KEPT + "#NO_APP")
    assert calls_of(text + TEXT, "scale.cu").within({"_Z5scalev"}).inline_assembly == []


def test_code_among_them_is() -> None:
    for other in (
        "\tnop\n",
        "\t.long 1; nop\n",
        "\t.text\n\t.long 1\n",
        '\t.section .text,"ax"\n',
        "\t.type f, @function\n",
        "x: nop\n",
    ):
        text = IOSTREAM.replace("#NO_APP", KEPT + other + "#NO_APP")
        assert calls_of(text, "scale.cu").within(set()).inline_assembly == [0], other


def test_anything_else_in_its_place_is() -> None:
    for other in ("_ZSt21ios_base_library_initv; nop", "_ZSt21ios_base_library_initv\n\tnop", "mine"):
        text = IOSTREAM.replace("_ZSt21ios_base_library_initv", other)
        assert calls_of(text, "scale.cu").within(set()).inline_assembly == [0], other


def test_arm_spellings_are_read_too() -> None:
    text = '\t.file 1 "scale.cu"\n\t.type\tf, %function\nf:\n\t.loc 1 3 1\n\tbl\tprintf\n\tblr\tx8\n\t.size f, .-f\n'
    calls = calls_of(text, "scale.cu").within({"f"})
    assert (calls.lines, calls.indirect) == ({"printf": 3}, [3])
