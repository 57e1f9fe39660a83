"""What the builder asks of this package: is every access of these functions announced, and if not, the assembly in which it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.engines.announcements.inserted_calls import (
    Code,
    instruction_lines,
    source_lines,
    with_calls,
)
from grader.engines.announcements.object_proof import Entry, ObjectReport, Unproved, prove_object
from grader.engines.announcements.processors import processor_of
from grader.engines.machine_model.code_object import CodeObject
from grader.engines.machine_model.refusals import StrangeAssemblyError
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

_STACK_ARGUMENTS = 4096  # bytes that kit/runner/kernel_call.cpp can put on the stack: what CUDA allows a kernel
_ANSWER = 28  # bytes of a LaunchConfig, to which a launch function's first argument points
KERNEL, LAUNCH = Entry(_STACK_ARGUMENTS), Entry(0, _ANSWER)


@dataclass(frozen=True)
class Checked:
    """Everything is announced where both are empty."""

    refusal: Refusal | None = None
    assembly: str = ""  # with the calls that are missing, to be assembled and checked again
    targets: tuple[str, ...] = ()  # symbols of the functions that calls through pointers may go to
    library_targets: tuple[str, ...] = ()  # the same, outside the file
    argument_bytes: Mapping[str, int] = field(
        default_factory=dict
    )  # that the kit puts on the stack, by the symbols of what it calls


def check_announcements(
    code: CodeObject, assembly: str, entries: Mapping[str, Entry], file_name: str, passed: Sequence[str] = ()
) -> Checked:
    """`entries`: the functions that the kit calls, by their symbols; `assembly`: what `code` was made from; `passed`: functions
    whose addresses are the kernel's arguments.
    """
    report = prove_object(code, entries, passed)
    if report.unproved is not None:
        return Checked(_refused(report.unproved, code, assembly, file_name))
    if not report.unannounced:
        return Checked(
            targets=tuple(report.targets),
            library_targets=tuple(report.library_targets),
            argument_bytes=report.argument_bytes,
        )
    try:
        functions = {_label(code, name): _code_of(code, name) for name in report.unannounced}
        missing = {_label(code, name): found for name, found in report.unannounced.items()}
        return Checked(assembly=with_calls(assembly, functions, missing, code.machine))
    except StrangeAssemblyError as error:
        return Checked(_beyond(0, f"the compiler's text is not what it made of `{str(error)[:60]}`"))


def _refused(unproved: Unproved, code: CodeObject, assembly: str, file_name: str) -> Refusal:
    name = _label(code, unproved.function)
    instructions = _code_of(code, unproved.function)
    line = 0
    try:
        numbers = instruction_lines(assembly, {name: instructions})[name]
        position = next((at for at, (offset, _) in enumerate(instructions) if offset == unproved.offset), 0)
        line = source_lines(assembly, [numbers[position]], file_name)[numbers[position]]
    except (StrangeAssemblyError, IndexError):
        pass  # the refusal stands without its line
    return _beyond(line, unproved.why)


def _beyond(line: int, why: str) -> Refusal:
    what = (
        f"The CPU executor cannot follow what the compiler made of this ({why}): this file has to be graded on a GPU."
    )
    return Refusal(Verdict.NEEDS_GPU, line, what, "Write it in a simpler way, and it can be checked here as well.")


def _code_of(code: CodeObject, name: str) -> Code:
    symbol = next(one for one in code.symbols if one.name == name and one.kind == "STT_FUNC" and one.in_section)
    section = code.sections[symbol.section]
    return processor_of(code.machine).decode(section.code[symbol.value : symbol.value + symbol.size])


def _label(code: CodeObject, name: str) -> str:
    """A constructor has two names, of which the text has one as a label: `C2`."""
    symbol = next(one for one in code.symbols if one.name == name and one.kind == "STT_FUNC" and one.in_section)
    same = [one.name for one in code.functions[symbol.section] if one.value == symbol.value]
    return next((one for one in same if "C2" in one or "D2" in one), name) if len(same) > 1 else name


__all__ = ["KERNEL", "LAUNCH", "Checked", "ObjectReport", "check_announcements"]
