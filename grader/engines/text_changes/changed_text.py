"""A submission's text on its way to the compiler: what our steps have made of it so far, and what they learned from it.

Not here: which steps there are (`text_steps.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.engines.refusal import Refusal


@dataclass(frozen=True)
class TextOrigin:
    """Where the text comes from, and what is asked of it."""

    file: str  # the name of the submission's file
    folder: str  # where it was preprocessed: nothing in it is a system header
    kernel: str  # as `EntrySignatures` has it
    functions: tuple[str, ...] = ()  # names of functions that the caller passes to the kernel
    beside: tuple[str, ...] = ()  # other kernels of the same program
    by_name: bool = False  # the kernel is one of any file, and not a lab's
    is_clang: bool = False
    scanned: bool = True  # false for a file of ours that shows what the checks behind the scan refuse


@dataclass(frozen=True)
class ChangedText:
    expanded: str  # as the preprocessor wrote it, and as its author is to hear of it
    text: str  # with the changes so far
    behind: str = ""  # lines of ours behind the text, which are compiled with it and belong to nobody
    assembly: Mapping[int, Refusal | None] = field(default_factory=dict)  # by places in `expanded`: as `scan` wants it
    launched: tuple[str, ...] = ()  # kernels that kernels of the text launch
    mended: bool = False  # what a compiler says of `expanded` is not about this text
    refusal: Refusal | None = None  # why the text is not compiled

    @property
    def whole(self) -> str:
        """What the compiler gets."""
        return self.text + self.behind
