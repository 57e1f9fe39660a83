"""Tries whether an atomic function mends a race between blocks: a change that is read, computed and written in one of the race's lines
becomes one, and the file is built and run under every detector. What no run confirms is not shown. It changes nobody's file and grades
nothing.

Not tried: atomicExch, because then the last block still wins, whichever that is; atomicCAS, which needs a loop that nobody can derive from
the line; and a second launch, which is another program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model.verdicts import Verdict
from grader.single_launch.tracing import Build, Traced, TraceRequest

_PLACE = r"((?:\*\s*)?[A-Za-z_]\w*(?:\s*\[[^;=]*?\])?)"
_NOT_AFTER = r"(?<![\w.\])])"
_VALUE = r"([^;,]+?)"
_MOST = r"(?:std::)?f?max[fl]?"
_LEAST = r"(?:std::)?f?min[fl]?"


def _assigned(value: str, function: str, argument: str) -> tuple[re.Pattern[str], str, str]:
    """`place = value;`, where the value names the place again."""
    return re.compile(rf"{_NOT_AFTER}{_PLACE}\s*=\s*{value}\s*;"), function, argument


def _extremes(name: str, function: str, greater: str, smaller: str) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """`m = max(m, x);`, `if (x > m) m = x;` and `m = x > m ? x : m;`, in both orders."""
    return (
        _assigned(rf"{name}\s*\(\s*\1\s*,\s*{_VALUE}\s*\)", function, r"\2"),
        _assigned(rf"{name}\s*\(\s*{_VALUE}\s*,\s*\1\s*\)", function, r"\2"),
        (re.compile(rf"if\s*\(\s*{_PLACE}\s*{smaller}=?\s*{_VALUE}\s*\)\s*\1\s*=\s*\2\s*;"), function, r"\2"),
        (
            re.compile(rf"if\s*\(\s*([^;()]+?)\s*{greater}=?\s*{_PLACE}\s*\)\s*\2\s*=\s*\1\s*;"),
            f"{function} swapped",
            r"\1",
        ),
        _assigned(rf"\(?\s*{_VALUE}\s*{greater}=?\s*\1\s*\)?\s*\?\s*\2\s*:\s*\1", function, r"\2"),
        _assigned(rf"\(?\s*\1\s*{greater}=?\s*{_VALUE}\s*\)?\s*\?\s*\1\s*:\s*\2", function, r"\2"),
    )


# What a line is searched for, the function that does the same in one step, and what that is given.
_FORMS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*\+=\s*([^;]+);"), "atomicAdd", r"\2"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*-=\s*([^;]+);"), "atomicAdd", r"-(\2)"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*\+\+\s*;"), "atomicAdd", "1"),
    (re.compile(rf"\+\+\s*{_PLACE}\s*;"), "atomicAdd", "1"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*--\s*;"), "atomicAdd", "-1"),
    (re.compile(rf"--\s*{_PLACE}\s*;"), "atomicAdd", "-1"),
    _assigned(r"\1\s*\+\s*([^;]+)", "atomicAdd", r"\2"),
    _assigned(r"([^;+*/%-]+?)\s*\+\s*\1", "atomicAdd", r"\2"),
    _assigned(r"\1\s*-\s*([^;+-]+)", "atomicAdd", r"-(\2)"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*\|=\s*([^;]+);"), "atomicOr", r"\2"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*&=\s*([^;]+);"), "atomicAnd", r"\2"),
    (re.compile(rf"{_NOT_AFTER}{_PLACE}\s*\^=\s*([^;]+);"), "atomicXor", r"\2"),
    *_extremes(_MOST, "atomicMax", ">", "<"),
    *_extremes(_LEAST, "atomicMin", "<", ">"),
)
_LONGEST = 400  # characters of a line that is looked at


@dataclass(frozen=True)
class AddedAtomic:
    function: str  # "atomicAdd"; several: "atomicAdd and atomicMax"
    lines: tuple[int, ...]  # in which it stands now
    traced: Traced


def add_atomics(build: Build, source: bytes, lines: Iterable[int], request: TraceRequest) -> AddedAtomic | None:
    """None where the launch is not right with it. Raises what `build` and its runs raise: not every type has every atomic function."""
    text = source.decode("utf-8", "surrogateescape").split("\n")
    changed, made = with_atomics(text, lines)
    if not made:
        return None
    traced = build("\n".join(changed).encode("utf-8", "surrogateescape"))(request)
    launch = traced.report.launch
    if launch.verdict is not Verdict.PASS or any(one.severity == "error" for one in launch.findings):
        return None
    return AddedAtomic(" and ".join(dict.fromkeys(made.values())), tuple(made), traced)


def with_atomics(text: Sequence[str], lines: Iterable[int]) -> tuple[list[str], dict[int, str]]:
    """The text with a change in each of these lines made atomic, and by which function in which line."""
    changed, made = list(text), {}
    for line in sorted(set(lines)):
        if not 1 <= line <= len(text) or len(text[line - 1]) > _LONGEST:
            continue
        for form, named, argument in _FORMS:
            function, _, swapped = named.partition(" ")
            place = r"\2" if swapped else r"\1"
            new, count = form.subn(rf"{function}(&({place}), {argument});", text[line - 1], count=1)
            if count:
                changed[line - 1] = new
                made[line] = function
                break
    return changed, made
