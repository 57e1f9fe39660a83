"""Loops are found in the compiler's text. Their addresses come from the announcements of basic blocks in the object."""

from __future__ import annotations

from grader.engines.objects.assembly import loop_addresses, loops_by_function

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
	jmp	.L5
	.size	_Z4nonev, .-_Z4nonev
"""


def test_a_jump_back_to_a_label_of_the_same_function_makes_a_loop() -> None:
    assert loops_by_function(TEXT) == {"_Z5scalev": (6, [(1, 4), (2, 3)]), "_Z4nonev": (1, [])}


def test_the_last_jump_back_ends_a_loop() -> None:
    text = TEXT.replace("jg	.L5", "jg	.L5\n	call	__sanitizer_cov_trace_pc\n	jmp	.L5")
    assert loops_by_function(text)["_Z5scalev"] == (7, [(1, 5), (2, 3)])


def test_arms_jumps_are_read_too() -> None:
    text = (
        "\t.type\tf, %function\nf:\n.L2:\n\tbl\t__sanitizer_cov_trace_pc\n\tb.le\t.L2\n.L3:\n"
        "\tbl\t__sanitizer_cov_trace_pc\n\tcbnz\tw0, .L3\n\ttbz\tx1, 3, .L3\n\t.size\tf, .-f\n"
    )
    assert loops_by_function(text) == {"f": (2, [(0, 0), (1, 1)])}


def test_loops_lie_where_the_object_says_that_blocks_announce_themselves() -> None:
    offsets = {"_Z5scalev": [10, 20, 30, 40, 50, 60]}
    assert loop_addresses(TEXT, offsets, {"_Z5scalev": 1000}) == [(1020, 1050), (1030, 1040)]


def test_a_function_whose_object_tells_another_story_has_no_loops() -> None:
    assert loop_addresses(TEXT, {"_Z5scalev": [10]}, {"_Z5scalev": 1000}) == []
    assert loop_addresses(TEXT, {"_Z5scalev": [10, 20, 30, 40, 50, 60]}, {}) == []
