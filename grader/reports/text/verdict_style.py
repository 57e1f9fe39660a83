"""How each verdict looks and reads: the one table behind every badge, sentence and colour.

A glyph and a label always stand beside the colour. The advice here is the last resort, where neither the finding nor
the lab's own files have better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.model.result import Verdict

# good: earned; bad: the submission's fault; absent: nothing to judge; waiting: to be graded yet; ours: our fault.
Tone = Literal["good", "bad", "absent", "waiting", "ours"]


@dataclass(frozen=True)
class Look:
    label: str
    short: str  # for a narrow column
    glyph: str
    tone: Tone
    sentence: str  # what happened
    advice: str  # what to do next


# fmt: off -- a row of the table begins with what its badge shows
LOOKS: dict[Verdict, Look] = {
    Verdict.PASS: Look(
        "Passed",
        "passed",
        "✓",
        "good",
        "Every correctness case passed, and nothing was found wrong with how the kernel uses memory.",
        "",
    ),
    Verdict.WRONG_ANSWER: Look(
        "Wrong answer",
        "wrong",
        "≠",
        "bad",
        "The kernel ran to its end, but its result is not what the lab asks for.",
        "Start with the first wrong element: which thread writes it, and from which elements of the inputs?",
    ),
    Verdict.RACE: Look(
        "Data race",
        "race",
        "⇄",
        "bad",
        "Two threads use the same element with nothing to say which comes first, and at least one of them writes it.",
        "Ask for both lines: what makes sure that one thread is done before the other begins?",
    ),
    Verdict.OUT_OF_BOUNDS: Look(
        "Out of bounds",
        "bounds",
        "⇥",
        "bad",
        "The kernel uses memory outside one of its arrays.",
        "Work out the index by hand for the thread shown. Is every row below the number of rows there, every column below that of columns?",
    ),
    Verdict.UNINITIALIZED_READ: Look(
        "Uninitialised read",
        "unset",
        "∅",
        "bad",
        "The kernel reads an element that nothing has written yet.",
        "Find the thread that should have written this element. Does it exist, and does it write before the read?",
    ),
    Verdict.BARRIER_DIVERGENCE: Look(
        "Barrier divergence",
        "barrier",
        "‖",
        "bad",
        "Threads of one block do not all meet at the same barrier.",
        "Look at the conditions around the barrier: may any thread of the block skip it, or leave the loop early?",
    ),
    Verdict.INPUT_MODIFIED: Look(
        "Input modified",
        "input",
        "✎",
        "bad",
        "The kernel writes to an input, which has to stay as it is.",
        "Inputs are only read. Is the line shown meant to write to an output?",
    ),
    Verdict.MISALIGNED: Look(
        "Misaligned access",
        "align",
        "∦",
        "bad",
        "An address is not a multiple of the size of what is read or written there.",
        "A float4 needs an address that 16 divides. For which row lengths does yours have one?",
    ),
    Verdict.LAUNCH_ERROR: Look(
        "Launch error",
        "launch",
        "⊠",
        "bad",
        "The grid, block or shared memory that the launch function asks for is not one a GPU accepts.",
        "At most 1,024 threads in a block, at least one block in every dimension, at most 48 KiB of shared memory.",
    ),
    Verdict.TIMEOUT: Look(
        "Time-out",
        "time-out",
        "∞",
        "bad",
        "The kernel did not come to an end.",
        "Look at the loop shown: what changes in every round, and does that make its condition false one day?",
    ),
    Verdict.CRASH: Look(
        "Crash",
        "crash",
        "✸",
        "bad",
        "The kernel crashed before it came to its end.",
        "Look for a null pointer, endless recursion or a division by zero near the line shown.",
    ),
    Verdict.COMPILE_ERROR: Look(
        "Does not compile",
        "compile",
        "✗",
        "bad",
        "The compiler could not translate this file, so no case was run.",
        "Mend the first error first: those after it often vanish with it.",
    ),
    Verdict.MISSING_FILE: Look(
        "Not handed in",
        "no file",
        "\N{EN DASH}",
        "absent",
        "The file this lab asks for is not in the submission.",
        "Check the file's name, letter by letter, and hand it in again if you still may.",
    ),
    Verdict.MISSING_ENTRY_POINT: Look(
        "Entry point missing",
        "no entry",
        "?",
        "bad",
        "The file compiles, but the kernel or the launch function that the lab names is not in it.",
        "Compare names, parameter types and const with the starter; both functions have to be as they are there.",
    ),
    Verdict.REJECTED: Look(
        "Rejected",
        "rejected",
        "⊘",
        "bad",
        "The submission does something that device code cannot or may not do, so it was not run.",
        "Remove what the line shown does and hand in again; ask your instructor if you need it.",
    ),
    Verdict.NEEDS_GPU: Look(
        "Needs a GPU",
        "needs GPU",
        "◔",
        "waiting",
        "This kernel uses something that only a GPU can run. It is still to be graded where there is one: "
        "neither a pass nor a fail so far.",
        "There is nothing you have to do.",
    ),
    Verdict.INTERNAL_ERROR: Look(
        "Grader failed",
        "grader",
        "△",
        "ours",
        "Something of ours broke while this lab was graded. It is not your fault and a person will look at it.",
        "There is nothing you have to do.",
    ),
}
# fmt: on
