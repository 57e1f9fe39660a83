"""Reads nvcc's output: errors in the submission become refusals, and ptxas describes each kernel. Pure.

A submission can make the compiler print any text. So the numbers are only shown to people, and decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from grader.engines.refusal import Refusal, compile_errors_of
from grader.model.outcome import KernelResources
from grader.model.verdicts import Verdict
from grader.source.compiler_message import messages
from grader.source.error_report import COMPILER_SAYS, mistakes
from grader.source.student_code import StudentCode

MAX_ERRORS = 3
# A line that tells why there is no cubin, where no error names a place: "nvcc error : 'ptxas' died due to signal 11".
_TELLING = re.compile(
    r"^(?!\s|Remark|.*\bwarning\b).*(?:\b(?:error|fatal)\b|died due to|Killed|not found).*$", re.MULTILINE
)
_HOST_FUNCTION = re.compile(
    r'calling a (?:constexpr )?__host__ function\("([^"]+)"\) from a __(?:global|device)__ function'
)
# On which side, the host's or the device's, a function or a variable is: of the code that follows such a call, nvcc makes nothing.
_SIDES = re.compile(r" is undefined in device code$|^calling a (?:constexpr )?__host__ function\b.* is not allowed")
_PTXAS = re.compile(r"^ptxas (?:error|fatal) *: *(.*)$", re.MULTILINE)
# What ptxas says of the machine, and not of the code that it was given.
_OF_THE_MACHINE = re.compile(
    r"(?i)memory allocation failure|out of memory|no space left|(?:could not|cannot|unable to) (?:open|create|write|close)|internal error"
)
_ENTRY = re.compile(r"^ptxas info *: Compiling entry function '(\w+)' for 'sm_\w+'$", re.MULTILINE)
_STACK = re.compile(r"^ +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads$", re.MULTILINE)
_USED = re.compile(r"^ptxas info *: Used (\d+) registers(.*)$", re.MULTILINE)
_SHARED = re.compile(r"(\d+) bytes smem")
_TOO_MUCH_SHARED = re.compile(r"Entry function '(\w+)' uses too much shared data")


def telling_line(log: str) -> str:
    """The line that says why nvcc failed; else the first that is no warning; empty where there is none."""
    if match := _TELLING.search(log):
        return match[0]
    lines = (line for line in log.splitlines() if line.strip() and not re.search(r"\bwarning\b|^\s|^Remark", line))
    return next(lines, "")


def kernel_resources(log: str) -> dict[str, KernelResources]:
    """The resources of each kernel, by its mangled name."""
    found = {}
    for match in _ENTRY.finditer(log):
        after = log[match.end() :]
        end = _ENTRY.search(after)
        part = after[: end.start()] if end else after
        stack, used = _STACK.search(part), _USED.search(part)
        if stack is None or used is None:
            continue
        shared = _SHARED.search(used[2])
        spills = (int(stack[1]), int(stack[2]), int(stack[3]))
        found[match[1]] = KernelResources(int(used[1]), int(shared[1]) if shared else 0, *spills)
    return found


def needs_too_much_shared(log: str) -> tuple[str, ...]:
    """The kernels that ptxas refuses for it, by their mangled names; none if it complains of anything else. The CPU executor refuses
    their launches as well, with a better message.
    """
    said = [_TOO_MUCH_SHARED.search(one) for one in _PTXAS.findall(log)]
    if not all(said) or any(one.severity == "error" for one in messages(log)):
        return ()
    return tuple(one[1] for one in said if one)


def only_sides(log: str, names: Collection[str]) -> str:
    """What nvcc says of the side on which something in these files is, where it refuses nothing else: an error or a warning. Or empty."""
    said = [one for one in messages(log) if one.severity in {"error", "warning"}]
    if _PTXAS.search(log) or any(one.severity == "error" and not _SIDES.search(one.text) for one in said):
        return ""
    return next((one.text for one in said if one.file in names and _SIDES.search(one.text)), "")


def nvcc_refusals(
    log: str, file_name: str, tail_name: str, *, kernel: str, launch: str | None, source: str = ""
) -> tuple[Refusal, ...]:
    """Why there is no cubin. Empty where the log does not mention the submission: then the fault is ours. `source`: the submission's text.

    `tail_name`: the generated file that includes the submission. Errors in it are about the two entry points.
    """
    code = StudentCode(source)
    errors = [one for one in messages(log, code.lines) if one.severity == "error"]
    if own := [one for one in errors if one.file == file_name]:
        plain = [_refusal(one.line, one.text) for one in own]
        told = mistakes(own, code, MAX_ERRORS) if source and not any(one.advice for one in plain) else []
        if told and not told[0].message.startswith(COMPILER_SAYS):
            errors_told = compile_errors_of(told)
            return tuple(replace(one, message=one.message.replace(COMPILER_SAYS, "nvcc says")) for one in errors_told)
        return tuple(dict.fromkeys(plain))[:MAX_ERRORS]
    if in_tail := [one.text for one in errors if one.file == tail_name]:
        return _of_entry_points(in_tail, kernel, launch)
    own_words = [message for message in _PTXAS.findall(log) if not _OF_THE_MACHINE.search(message)]
    unresolved = [f"The GPU's assembler says: {message}" for message in own_words]
    return tuple(Refusal(Verdict.COMPILE_ERROR, 0, message) for message in dict.fromkeys(unresolved))[:MAX_ERRORS]


def _refusal(line: int, message: str) -> Refusal:
    advice = ""
    if match := _HOST_FUNCTION.search(message):
        advice = f"`{match[1]}` runs on the CPU only. A kernel can call functions that are `__device__` or in CUDA's headers."
    return Refusal(Verdict.COMPILE_ERROR, line, f"nvcc says: {message}", advice)


def _of_entry_points(messages: list[str], kernel: str, launch: str | None) -> tuple[Refusal, ...]:
    launch_name = (launch or "").partition("(")[0]
    if launch_name and any(_HOST_FUNCTION.search(one) and launch_name in one for one in messages):
        text = f"`{launch_name}` runs on the CPU only: nvcc does not let the GPU call it."
        advice = f"Declare it `__host__ __device__ LaunchConfig {launch}`, as in the starter file."
        return (Refusal(Verdict.COMPILE_ERROR, 0, text, advice),)
    missing = launch_name if launch_name and launch_name in messages[0] else kernel.partition("(")[0]
    wanted = launch if missing == launch_name else kernel
    text = f"There is no `{missing}` with the parameters that the lab asks for: expected `{wanted}`. nvcc says: {messages[0]}"
    return (Refusal(Verdict.MISSING_ENTRY_POINT, 0, text, "Keep the name and the parameters of the starter file."),)
