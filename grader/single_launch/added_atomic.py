"""Tries whether an atomic function mends a race between blocks: a plain addition in the race's lines becomes one, and the file is built and
run under every detector. What no run confirms is not shown. It changes nobody's file and grades nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.verdicts import Verdict
from grader.single_launch.tracing import Traced, TraceRequest, trace_file

_PLACE = r"((?:\*\s*)?[A-Za-z_]\w*(?:\s*\[[^;=]*\])?)"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?<![\w.\])]){_PLACE}\s*\+=\s*([^;]+);"), r"atomicAdd(&(\1), \2);"),
    (re.compile(rf"(?<![\w.\])]){_PLACE}\s*-=\s*([^;]+);"), r"atomicAdd(&(\1), -(\2));"),
    (re.compile(rf"(?<![\w.\])]){_PLACE}\s*\+\+\s*;"), r"atomicAdd(&(\1), 1);"),
    (re.compile(rf"\+\+\s*{_PLACE}\s*;"), r"atomicAdd(&(\1), 1);"),
    (re.compile(rf"(?<![\w.\])]){_PLACE}\s*=\s*\1\s*\+\s*([^;]+);"), r"atomicAdd(&(\1), \2);"),
)
_LONGEST = 400  # characters of a line that is looked at


@dataclass(frozen=True)
class AddedAtomic:
    function: str  # "atomicAdd"
    lines: tuple[int, ...]  # in which it stands now
    traced: Traced


def add_atomics(  # noqa: PLR0913, PLR0917 -- what is built, and how it is run
    toolset: Toolset, lab: Lab, source: bytes, lines: Iterable[int], request: TraceRequest, folder: Callable[[], Path]
) -> AddedAtomic | None:
    """`folder`: makes an empty folder of the caller. None where the launch is not right with it. Raises what trace_file raises."""
    text = source.decode("utf-8", "surrogateescape").split("\n")
    changed, where = with_atomics(text, lines)
    if not where:
        return None
    traced = trace_file(toolset, lab, "\n".join(changed).encode("utf-8", "surrogateescape"), request, folder())
    launch = traced.report.launch
    if launch.verdict is not Verdict.PASS or any(one.severity == "error" for one in launch.findings):
        return None
    return AddedAtomic("atomicAdd", tuple(where), traced)


def with_atomics(text: Sequence[str], lines: Iterable[int]) -> tuple[list[str], list[int]]:
    """The text with the additions of these lines made atomic, and in which lines there was one."""
    changed, where = list(text), []
    for line in sorted(set(lines)):
        if not 1 <= line <= len(text) or len(text[line - 1]) > _LONGEST:
            continue
        for form, atomic in _FORMS:
            new, count = form.subn(atomic, text[line - 1], count=1)
            if count:
                changed[line - 1] = new
                where.append(line)
                break
    return changed, where
