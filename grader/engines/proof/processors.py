"""The processors whose code the proof reads, by the machine's name in an object file. What reads the code of one is imported when it is
asked for: a machine compiles for one processor, and students wait for imports.
"""

# ruff: noqa: PLC0415 -- for the reason above

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.engines.proof.arm_processor import Arm
    from grader.engines.proof.memory_rules import Unannounced
    from grader.engines.proof.x86_processor import X86


@dataclass(frozen=True)
class CallWriter:
    """The assembly of calls that announce."""

    before: Callable[[Unannounced, Any, str], list[str]]  # lines before an access that nothing announced
    in_place_of: Callable[[Any, str], str]  # the line of a call through a pointer, behind its check
    stop: str  # for control that runs out of a function


@cache
def processor_of(machine: str) -> type[X86 | Arm]:
    """Raises KeyError where the kit knows no such processor."""
    if machine == "x64":
        from grader.engines.proof.x86_processor import X86

        return X86
    if machine == "AArch64":
        from grader.engines.proof.arm_processor import Arm

        return Arm
    raise KeyError(machine)


@cache
def call_writer_of(machine: str) -> CallWriter:
    """Raises KeyError likewise."""
    if machine == "x64":
        from grader.engines.proof import x86_calls

        return CallWriter(x86_calls.call_before, x86_calls.call_in_place_of, "\tud2")
    if machine == "AArch64":
        from grader.engines.proof import arm_calls

        return CallWriter(arm_calls.call_before, arm_calls.call_in_place_of, "\tbrk\t#1000")
    raise KeyError(machine)
