"""How a signal ended the program, in plain words: which mistake of the host's code it stands for. Pure."""

from __future__ import annotations

import re

SIGNALS = {
    4: "an illegal instruction",
    6: "abort(), after an assert, an exception that nobody caught, or memory that is damaged",
    7: "a bus error",
    8: "a division by zero",
    11: "segmentation fault: the host's code used an address that is no memory of its own",
}
_ABORT, _BUS, _DIVISION = 6, 7, 8
_NULL_BYTES = 1 << 16  # addresses of a null pointer and what stands shortly behind
_ASSERT = re.compile(r"\bassert\s*\(")
_FREES = re.compile(r"\bfree\s*\(|\bdelete\b")


def crash_words(signal: int, address: int, line: str, *, writes: bool) -> tuple[str, str]:
    """The sentence and the advice. `line`: the user's."""
    if signal == _DIVISION:
        return "The program crashes here: an integer is divided by 0.", "Print the divisor before this line."
    if signal == _ABORT:
        return _aborted(line)
    act = "writes to" if writes else "reads"
    if address < _NULL_BYTES:
        return (
            f"The program crashes here: host code {act} memory through a null pointer.",
            "Was this pointer ever set? Did the call that should have set it fail?",
        )
    return (
        f"The program crashes here: host code {act} an address that is no memory of the program ({address:#x}).",
        "Is this pointer set, is its memory freed already, and does the index stay inside the array?",
    )


def memory_words(refused: int) -> tuple[str, str]:
    """The sentence and the advice where `refused` bytes were asked for and not given."""
    return (
        f"The program ends here: it was refused {refused:,} bytes of the host's memory, because it may not have so much.",
        "Is the size right, and is memory freed that is no longer needed? malloc() answers with a null pointer, new with an exception.",
    )


def _aborted(line: str) -> tuple[str, str]:
    if _ASSERT.search(line):
        return "The program ends here: the condition of this assert() is false.", "Print the values that it compares."
    if _FREES.search(line):
        return (
            "The program is stopped here: what this line frees is not memory that malloc() or new gave, or it is damaged.",
            "Memory of cudaMalloc is freed with cudaFree, and each block once. Did anything write past the end of an array?",
        )
    return (
        "The program is stopped here: by an exception that nobody catches, or by abort().",
        "The program's last words on the screen say which. An exception ends the program unless a catch is around this line.",
    )
