"""Calls and launches in sentences: those that fail, those with sizes in the wrong order, and a program that ends too early."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.programs.mistakes.crash_words import crash_words, memory_words
from grader.programs.mistakes.error_words import error_words
from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.run_record import LaunchRecord
from grader.programs.mistakes.told_mistake import Told, capital

ERROR_LABEL = "CUDA error"  # of a call that failed
_SHOWN = 60  # characters of an output
_MOST_THREADS = 1024  # of a block


def failed_call(facts: Facts) -> Told:
    words = error_words(facts.record.number("error") or 0)
    if facts.launch is not None:
        message = f"The launch of `{facts.kernel}` fails here: {words.name} ({words.said}).{_why(facts.launch)}"
        return Told(ERROR_LABEL, message, words.advice, "note")
    return Told(ERROR_LABEL, f"{facts.call} fails here: {words.name} ({words.said}).", words.advice, "note")


def unchecked_error(facts: Facts) -> Told:
    words = error_words(facts.record.number("error") or 0)
    message = f"{facts.call} fails here ({words.name}: {words.said}), and nobody looks at the value that says so."
    return Told(
        "Error that nobody looked at",
        message,
        words.advice
        or "Compare what each call returns with cudaSuccess, and stop with a message if it is something else.",
    )


def unasked_launch(facts: Facts) -> Told:
    words = error_words(facts.record.number("error") or 0)
    message = f"The launch of `{facts.kernel}` fails here ({words.name}: {words.said}), and nobody asks for its error."
    advice = f"{words.advice} A launch returns nothing: ask cudaGetLastError() after it.".strip()
    why = _why(facts.launch) if facts.launch else ""
    return Told("Launch whose error is never asked for", message + why, advice)


def swapped_sizes(facts: Facts) -> Told:
    if facts.launch is not None:
        return _swapped_launch(facts)
    value = facts.record.number("value")
    what = f"{facts.call} is asked to set 0 bytes" + (f" to {value}" if value is not None else "")
    message = f"{capital(what)}: the value and the number of bytes seem to be in the wrong order."
    return Told(
        "Sizes in the wrong order",
        message,
        "cudaMemset takes the pointer, then the value of each byte, then the number of bytes.",
    )


def not_configured(facts: Facts) -> Told:
    message = (
        f"`{facts.kernel}` is a kernel, and it is called here like a function, without <<<…>>>. nvcc refuses this."
    )
    return Told(
        "Kernel called without a launch",
        message,
        "Say how many threads run it: kernel<<<blocks, threads of a block>>>(arguments).",
    )


def host_crash(facts: Facts) -> Told:
    if (refused := facts.record.number("refused_bytes")) is not None:
        return Told("No memory left on the host", *memory_words(refused))
    message, advice = crash_words(
        facts.record.number("signal") or 0,
        facts.record.number("address") or 0,
        facts.source_line,
        writes=facts.record.flag("write"),
    )
    return Told("Crash of the host's code", message, advice)


def lost_output(facts: Facts) -> Told:
    text = facts.record.text("text")[:_SHOWN]
    message = f'A kernel prints "{text}", and the program ends before it has waited for the kernel: a GPU shows nothing of it.'
    return Told(
        "Output that is lost", message, "Call cudaDeviceSynchronize() after the launch, and look at what it returns."
    )


def no_launch(_: Facts) -> Told:
    return Told(
        "No kernel ran",
        "The program has kernels, but launched none.",
        "Look at what the program did instead: did an earlier check end it?",
        "note",
    )


def _swapped_launch(facts: Facts) -> Told:
    launch = facts.launch
    sizes = (
        f"a grid of {_extent(launch.grid)} and a block of {_extent(launch.block)}" if launch else "this grid and block"
    )
    message = f"The launch of `{facts.kernel}` asks for {sizes}; a block has at most 1024 threads. The two seem to be in the wrong order."
    return Told(
        "Sizes in the wrong order",
        message,
        "In <<<grid, block>>> the number of blocks comes first, then the threads of a block.",
    )


def _why(launch: LaunchRecord) -> str:
    """What is wrong with the sizes of a launch."""
    threads = math.prod(launch.block)
    if threads > _MOST_THREADS:
        return f" A block of {_extent(launch.block)} has {threads:,} threads, and 1024 is the most."
    if 0 in launch.grid:
        return f" The grid is {_extent(launch.grid)}: there is no block in it."
    return ""


def _extent(sides: Sequence[int]) -> str:
    """`2048`, `64 x 64`: without sides of 1 at the end."""
    shown = list(sides)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " x ".join(map(str, shown))
