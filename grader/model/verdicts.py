"""The one table of verdicts: what each is called, in which order they count, how it looks and reads, and how it is scored.

Everything else follows from it. The kit's build makes `verdict_list.hpp` from the names, for the executor and the judge;
`docs/verdict_documents.py` writes README's rows and the schema of `result.json`. A kind of finding is a verdict.
Nothing here judges, scores or draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

# good: earned; partial: right, but not as asked; bad: the submission's fault; absent: nothing to judge; waiting: to be graded yet;
# ours: our fault.
Tone = Literal["good", "partial", "bad", "absent", "waiting", "ours"]
TERMINAL_STYLES: dict[Tone, str] = {
    "good": "green", "partial": "yellow", "bad": "red", "absent": "dim", "waiting": "blue", "ours": "magenta",
}  # fmt: skip


class Verdict(StrEnum):
    """In order of precedence: a lab's verdict is the first of these that occurred."""

    # CMake reads these lines, too: a name and its text in each.
    INTERNAL_ERROR = "internal-error"
    REJECTED = "rejected"
    MISSING_FILE = "missing-file"
    COMPILE_ERROR = "compile-error"
    MISSING_ENTRY_POINT = "missing-entry-point"
    NEEDS_GPU = "needs-gpu"
    LAUNCH_ERROR = "launch-error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    BARRIER_DIVERGENCE = "barrier-divergence"
    RACE = "race"
    OUT_OF_BOUNDS = "out-of-bounds"
    INPUT_MODIFIED = "input-modified"
    MISALIGNED = "misaligned"
    UNINITIALIZED_READ = "uninitialized-read"
    WRONG_ANSWER = "wrong-answer"
    PASS = "pass"  # noqa: S105 -- a verdict, not a word to enter by

    @property
    def facts(self) -> VerdictFacts:
        return _FACTS[self]


@dataclass(frozen=True, kw_only=True)
class VerdictFacts:
    """A glyph and a label always stand beside the colour of the tone."""

    label: str
    short: str  # for a narrow column
    glyph: str
    tone: Tone
    happened: str  # for instructors, in README: Markdown
    sentence: str  # for students: what happened
    next_step: str = ""  # what to do next, where neither a finding nor the lab's own files say it better
    advice: str = ""  # what to look at for a finding of this kind: in the lab's words, without the solution
    question: str = ""  # for the author of the line of such a finding, beside that advice
    redacted: str = ""  # said instead of the message of a hidden case, which is about its shapes and elements
    never_ran: bool = False  # it says why no case was run, and nothing about any one case
    earns_nothing: bool = False  # the whole lab has no points; of `needs-gpu`, until it is graded where there is a GPU
    unseen_on_gpu: bool = False  # a GPU may let it pass by luck: comparing results shows nothing


def worst(verdicts: list[Verdict]) -> Verdict:
    """The verdict that stands for all of `verdicts`; `pass` for none."""
    return min(verdicts, key=_ORDER.__getitem__, default=Verdict.PASS)


def is_wrong(verdict: Verdict, *, every_case_passed: bool) -> bool:
    """Whether the submission went wrong, and not only the grader; also where only a technique is missing."""
    return verdict.facts.tone == "bad" or (verdict is Verdict.PASS and not every_case_passed)


_ORDER = {verdict: number for number, verdict in enumerate(Verdict)}

# A row begins with what its badge shows.
# fmt: off
_FACTS = {
    Verdict.INTERNAL_ERROR: VerdictFacts(
        label="Grader failed", short="grader", glyph="△", tone="ours",
        happened="the grader failed; it costs the student nothing, the instructor is told, and the next run tries again",
        sentence="The grader itself failed on this lab. This is not your fault, and a person will look at it.",
        next_step="There is nothing you have to do.",
        redacted="the grader failed here; this is not your fault, and your instructor has been told",
    ),
    Verdict.REJECTED: VerdictFacts(
        label="Rejected", short="rejected", glyph="⊘", tone="bad",
        happened=(
            "the upload or the file does something forbidden: it runs code before the kernel, hides from the executor,"
            " or calls host functions"
        ),
        sentence="The submission does something that device code cannot or may not do, so it was not run.",
        next_step="Remove it from the line shown and hand in again. Ask your instructor if you think you need it.",
        redacted="the program does something that this lab does not accept",
        never_ran=True, earns_nothing=True,
    ),
    Verdict.MISSING_FILE: VerdictFacts(
        label="Not handed in", short="no file", glyph="\N{EN DASH}", tone="absent",
        happened="the file was not handed in",
        sentence="The file this lab asks for is not in the submission.",
        next_step="Check the file's name, letter by letter, and hand it in again if that is still allowed.",
        never_ran=True, earns_nothing=True,
    ),
    Verdict.COMPILE_ERROR: VerdictFacts(
        label="Does not compile", short="compile", glyph="✗", tone="bad",
        happened="it does not compile",
        sentence="The compiler could not compile this file, so no case was run.",
        next_step="Correct the first error first: the errors after it often disappear with it.",
        never_ran=True, earns_nothing=True,
    ),
    Verdict.MISSING_ENTRY_POINT: VerdictFacts(
        label="Entry point missing", short="no entry", glyph="?", tone="bad",
        happened="the kernel or the launch function that the lab asks for is missing",
        sentence="The file compiles, but the kernel or the launch function that the lab names is not in it.",
        next_step=(
            "The message has the line to write: take its name, parameter types and const from there, in that order. "
            "Both functions must be declared as the lab names them."
        ),
        never_ran=True, earns_nothing=True,
    ),
    Verdict.NEEDS_GPU: VerdictFacts(
        label="Needs a GPU", short="needs GPU", glyph="◔", tone="waiting",
        happened="valid CUDA that the CPU executor cannot run; it still has to be graded",
        sentence=(
            "This kernel uses something that only a GPU can run. It must still be graded on a GPU: so far it has neither "
            "passed nor failed."
        ),
        next_step="There is nothing you have to do.",
        redacted="this can only be graded on a GPU",
        earns_nothing=True,
    ),
    Verdict.LAUNCH_ERROR: VerdictFacts(
        label="Launch error", short="launch", glyph="⊠", tone="bad",
        happened="a grid, block or shared-memory size that CUDA refuses",
        sentence="A GPU does not accept the grid, the block or the amount of shared memory that the launch function asks for.",
        next_step=(
            "A launch needs at most 1,024 threads in a block, at least one block in every dimension and at most 48 KiB of "
            "shared memory."
        ),
        advice="Check the grid and the block that your launch function returns for this shape.",
        redacted="a GPU does not accept a launch, or a CUDA call fails and its error is not checked",
    ),
    Verdict.CRASH: VerdictFacts(
        label="Crash", short="crash", glyph="✸", tone="bad",
        happened="a wild pointer, an endless recursion, a failed `assert`",
        sentence="The kernel crashed before it ended.",
        next_step="Look for a null pointer, an endless recursion or a division by zero near the line shown.",
        advice="Check the indices, pointers and divisors in this line.",
        question="Where does this pointer come from, and what does it point to?",
        redacted="it crashes",
    ),
    Verdict.TIMEOUT: VerdictFacts(
        label="Time-out", short="time-out", glyph="∞", tone="bad",
        happened="the kernel does not end",
        sentence="The kernel did not end.",
        next_step="Look at the loop shown. What changes in every pass, and does that ever make its condition false?",
        advice=(
            "Look at the condition that ends this loop. Does its variable change in every pass, and in the right direction?"
        ),
        question="Which values does the loop's variable have in the first three passes, and in the last one?",
        redacted="it does not end within its time limit",
    ),
    Verdict.BARRIER_DIVERGENCE: VerdictFacts(
        label="Barrier divergence", short="barrier", glyph="‖", tone="bad",
        happened="threads of one block wait at different barriers",
        sentence="The threads of one block do not all reach the same barrier.",
        next_step=(
            "Look at the conditions around the barrier. Can a thread of the block skip it, or leave the loop early?"
        ),
        advice=(
            "A __syncthreads() inside an if or a loop is safe only when every thread of the block takes the same branch and "
            "makes the same passes. Put the condition around the loads and stores, not around the barrier."
        ),
        question="Which threads of the block come to this line, and where are the others then?",
        redacted="the threads of one block do not all reach the same barrier",
        unseen_on_gpu=True,
    ),
    Verdict.RACE: VerdictFacts(
        label="Data race", short="race", glyph="⇄", tone="bad",
        happened="two threads use one element, one of them writes, and nothing orders them",
        sentence="Two threads use the same element, at least one of them writes it, and nothing says which comes first.",
        next_step="Look at both lines. What makes sure that one thread has finished before the other begins?",
        advice=(
            "When one thread writes an element and another thread of the block uses it, there must be a __syncthreads() between "
            "the two accesses, and every thread of the block must reach it."
        ),
        question="What makes sure that the one thread has finished with this element before the other begins?",
        redacted="two threads use the same element without a barrier between them, and at least one writes it",
        unseen_on_gpu=True,
    ),
    Verdict.OUT_OF_BOUNDS: VerdictFacts(
        label="Out of bounds", short="bounds", glyph="⇥", tone="bad",
        happened="an access outside a buffer or past a dimension of an array",
        sentence="The kernel uses memory outside one of its arrays.",
        next_step=(
            "Work out the index by hand for the thread shown. Is the row less than the number of rows, and the column less "
            "than the number of columns?"
        ),
        advice=(
            "Work out the largest index that this expression can have: take the last block of the grid, the last thread of "
            "the block and the last pass of the loop."
        ),
        question="Which element does this thread want (in a matrix: which row and which column), and how many are there?",
        redacted="a thread uses an element outside the array",
        unseen_on_gpu=True,
    ),
    Verdict.INPUT_MODIFIED: VerdictFacts(
        label="Input modified", short="input", glyph="✎", tone="bad",
        happened="the kernel wrote to an input",
        sentence="The kernel writes to an input, which must not change.",
        next_step="A kernel may only read its inputs. Should the line shown write to an output?",
        advice="Write results only to the output.",
        question="Which argument is the output, and which ones are only read?",
        redacted="an input is changed",
    ),
    Verdict.MISALIGNED: VerdictFacts(
        label="Misaligned access", short="align", glyph="∦", tone="bad",
        happened="an address that is no multiple of the type's alignment",
        sentence="The kernel uses an address that is not a multiple of the size of the type it reads or writes there.",
        next_step="A float4 needs an address that is a multiple of 16 bytes. For which row lengths has every row one?",
        advice=(
            "A float4 must start at a multiple of 16 bytes, which is every fourth element. The first element of each row is "
            "such an element only when the length of a row is a multiple of four."
        ),
        question="By how many bytes is this address away from a multiple of the size that is read or written there?",
        redacted="an address is not a multiple of the size of the type that is used there",
        unseen_on_gpu=True,
    ),
    Verdict.UNINITIALIZED_READ: VerdictFacts(
        label="Uninitialised read", short="unset", glyph="∅", tone="bad",
        happened="the kernel used a value that was never written",
        sentence="The kernel reads an element that no thread has written yet.",
        next_step=(
            "Find the thread that should have written this element. Does it exist, and does it write before the read?"
        ),
        advice=(
            "Find the thread that should write this element. Does it write the element on every path, and before this thread "
            "reads it?"
        ),
        question="Which thread should have stored this element, and in which line?",
        redacted="an element is read before anything was written to it",
        unseen_on_gpu=True,
    ),
    Verdict.WRONG_ANSWER: VerdictFacts(
        label="Wrong answer", short="wrong", glyph="≠", tone="bad",
        happened="the result is wrong",
        sentence="The kernel ran to its end, but its result is wrong.",
        next_step="Start with the first wrong element: which thread writes it, and from which elements of the inputs?",
        redacted="the result is wrong",
    ),
    Verdict.PASS: VerdictFacts(
        label="Passed", short="passed", glyph="✓", tone="good",
        happened="every correctness case passed, and nothing was found",
        sentence="Every correctness case passed, and no mistake was found in how the kernel uses memory.",
    ),
}
# No verdict, because the result is right: what a lab looks like where only its technique cases fail.
TECHNIQUE_MISSED = VerdictFacts(
    label="Passed, technique missed", short="technique missed", glyph="≈", tone="partial",
    happened="every correctness case passed, but the kernel does not use the technique that the lab asks for",
    sentence="The result is right in every case, but the technique check fails",
)
# fmt: on
# What a lab may look like, in the order of the verdicts: a pass is the last.
LOOKS = (*(one.facts for one in Verdict if one is not Verdict.PASS), TECHNIQUE_MISSED, Verdict.PASS.facts)
