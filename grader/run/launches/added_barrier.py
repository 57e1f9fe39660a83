"""Looks for places where one or two more `__syncthreads()` take a race away, by trying: each is built and run under every detector. What no
run confirms is not shown. It changes nobody's file and grades nothing.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from grader.model.errors import RemediableError
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run.launches.lab_launch import Build, Traced, TraceRequest

_TRIES = 8
_BEHIND = 8  # lines after the later access in which the missing barrier may be, as at the end of a loop
# Also one that does not end in its line, of which its beginning is kept: no barrier belongs behind it. It takes the rest of the line, so
# that no line is searched twice.
_COMMENT = re.compile(r"//.*|/\*.*?\*/|(/\*).*")
_BARRIER = "__syncthreads();"
_MOST_BARRIERS = 2
_FIRST_PLACES = 2  # of those that leave a race, so many are tried with a second barrier


@dataclass(frozen=True)
class AddedBarrier:
    """A file with one or two barriers more, and what became of it."""

    after_lines: tuple[int, ...]  # of the file as it was
    # For each line of the changed file, its number in the file as it was. A barrier has that of the line before.
    lines: tuple[int, ...]
    traced: Traced

    def line_now(self, line: int) -> int:
        """Where a line of the file as it was stands in the changed one."""
        return self.lines.index(line) + 1


@dataclass(frozen=True)
class _Changed:
    """A text in which barriers were put; lines with their numbers in the file as it was."""

    lines: tuple[tuple[int, str], ...]
    after: tuple[int, ...] = ()

    @property
    def text(self) -> list[str]:
        return [line for _, line in self.lines]

    def with_barrier(self, after: int) -> _Changed:
        before = self.lines[after - 1][0]
        return _Changed((*self.lines[:after], (before, _BARRIER), *self.lines[after:]), (*self.after, before))


def add_barrier(
    build: Build,
    source: bytes,
    lines: tuple[int, int],
    request: TraceRequest,
    *,
    seconds: float = 60,
    clock: Callable[[], float] = time.monotonic,
) -> AddedBarrier | None:
    """`build`: of the changed files. `lines`: of the two accesses. `seconds`: no try begins later. Places in fewer loops come first, so
    that no barrier stands in a loop without need. Where one barrier leaves a race, a second one is tried. None where nothing makes the
    launch right.
    """
    until, request = clock() + seconds, dataclasses.replace(request, reversed=False)
    text = source.decode("utf-8", "surrogateescape").split("\n")
    waiting = [(_Changed(tuple(enumerate(text, 1))), lines)]
    for _ in range(_MOST_BARRIERS):
        better: list[tuple[_Changed, tuple[int, int]]] = []
        for changed, accesses in waiting[:_FIRST_PLACES]:
            for after in list(places_for_a_barrier(changed.text, *sorted(accesses)))[:_TRIES]:
                if clock() >= until:
                    return None
                attempt = changed.with_barrier(after)
                try:
                    traced = build("\n".join(attempt.text).encode("utf-8", "surrogateescape"))(request)
                except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # this place is none then
                    continue
                if _is_mended(traced.report.launch):
                    return AddedBarrier(attempt.after, tuple(number for number, _ in attempt.lines), traced)
                if left := _race_lines(traced.report.launch):
                    better.append((attempt, left))
        waiting = better
    return None


def _race_lines(launch: Launch) -> tuple[int, int] | None:
    """Lines of the first race between threads of one block, if nothing else is found beside races and a wrong result."""
    errors = [one for one in launch.findings if one.severity == "error"]
    if launch.verdict is not Verdict.RACE or any(one.kind is not Verdict.RACE for one in errors):
        return None
    pairs = [(one.line, one.other.line) for one in errors if one.other is not None and one.block == one.other.block]
    return next(((one, other) for one, other in pairs if one is not None and other is not None), None)


def _is_mended(launch: Launch) -> bool:
    return launch.verdict is Verdict.PASS and not any(one.severity == "error" for one in launch.findings)


def places_for_a_barrier(text: Sequence[str], first: int, last: int) -> Iterator[int]:
    """Lines after which a statement can stand, at the least depth of braces first; `first` and `last`: lines of the accesses."""
    if not 1 <= first <= last <= len(text):  # what the submission's process says
        return
    depths = list(accumulate(code.count("{") - code.count("}") for code in map(_code, text)))  # after each line
    floor = min(depths[first - 1], depths[last - 1])
    between, behind = range(last - 1, first - 1, -1), range(last, min(len(text), last + _BEHIND))
    possible = [
        line
        for line in (*between, *behind)
        if _code(text[line - 1]).rstrip().endswith((";", "{", "}")) and depths[line - 1] >= floor
    ]
    ended = next((line for line in possible if line >= last and depths[line - 1] < floor), len(text) + 1)
    yield from sorted((line for line in possible if line < ended), key=lambda line: depths[line - 1])


def _code(line: str) -> str:
    return _COMMENT.sub(r"\1", line)


# Tries whether an atomic function mends a race between blocks: a change that is read, computed and written in one of the race's lines
# becomes one, and the file is built and run under every detector. What no run confirms is not shown. It changes nobody's file and grades
# nothing.
#
# Not tried: atomicExch, because then the last block still wins, whichever that is; atomicCAS, which needs a loop that nobody can
# derive from the line; and a second launch, which is another program.

_PLACE = r"(?P<place>(?:\*\s*)?[A-Za-z_]\w*(?:\s*\[[^;=]*?\])?)"
_START = rf"(?<![\w.\])]){_PLACE}"
_VALUE = r"(?P<value>[^;,]+?)"
_GIVEN, _TAKEN = r"\g<value>", r"-(\g<value>)"
_ASSIGNED = rf"{_START}\s*=\s*"  # and a value that names the place again


def _extremes(name: str, function: str, greater: str, smaller: str) -> tuple[tuple[str, str, str], ...]:
    """`m = max(m, x);`, `if (x > m) m = x;` and `m = x > m ? x : m;`, in both orders."""
    forms = (
        rf"{_ASSIGNED}{name}\s*\(\s*(?P=place)\s*,\s*{_VALUE}\s*\)\s*;",
        rf"{_ASSIGNED}{name}\s*\(\s*{_VALUE}\s*,\s*(?P=place)\s*\)\s*;",
        rf"if\s*\(\s*{_PLACE}\s*{smaller}=?\s*{_VALUE}\s*\)\s*(?P=place)\s*=\s*(?P=value)\s*;",
        rf"if\s*\(\s*(?P<value>[^;()]+?)\s*{greater}=?\s*{_PLACE}\s*\)\s*(?P=place)\s*=\s*(?P=value)\s*;",
        rf"{_ASSIGNED}\(?\s*{_VALUE}\s*{greater}=?\s*(?P=place)\s*\)?\s*\?\s*(?P=value)\s*:\s*(?P=place)\s*;",
        rf"{_ASSIGNED}\(?\s*(?P=place)\s*{greater}=?\s*{_VALUE}\s*\)?\s*\?\s*(?P=place)\s*:\s*(?P=value)\s*;",
    )
    return tuple((form, function, _GIVEN) for form in forms)


# What a line is searched for, the function that does the same in one step, and what that is given.
_FORMS = (
    (rf"{_START}\s*\+=\s*(?P<value>[^;]+);", "atomicAdd", _GIVEN),
    (rf"{_START}\s*-=\s*(?P<value>[^;]+);", "atomicAdd", _TAKEN),
    (rf"{_START}\s*\+\+\s*;", "atomicAdd", "1"),
    (rf"\+\+\s*{_PLACE}\s*;", "atomicAdd", "1"),
    (rf"{_START}\s*--\s*;", "atomicAdd", "-1"),
    (rf"--\s*{_PLACE}\s*;", "atomicAdd", "-1"),
    (rf"{_ASSIGNED}(?P=place)\s*\+\s*(?P<value>[^;]+)\s*;", "atomicAdd", _GIVEN),
    (rf"{_ASSIGNED}(?P<value>[^;+*/%-]+?)\s*\+\s*(?P=place)\s*;", "atomicAdd", _GIVEN),
    (rf"{_ASSIGNED}(?P=place)\s*-\s*(?P<value>[^;+-]+)\s*;", "atomicAdd", _TAKEN),
    (rf"{_START}\s*\|=\s*(?P<value>[^;]+);", "atomicOr", _GIVEN),
    (rf"{_START}\s*&=\s*(?P<value>[^;]+);", "atomicAnd", _GIVEN),
    (rf"{_START}\s*\^=\s*(?P<value>[^;]+);", "atomicXor", _GIVEN),
    *_extremes(r"(?:std::)?f?max[fl]?", "atomicMax", ">", "<"),
    *_extremes(r"(?:std::)?f?min[fl]?", "atomicMin", "<", ">"),
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
    if not _is_mended(traced.report.launch):
        return None
    return AddedAtomic(" and ".join(dict.fromkeys(made.values())), tuple(made), traced)


def with_atomics(text: Sequence[str], lines: Iterable[int]) -> tuple[list[str], dict[int, str]]:
    """The text with a change in each of these lines made atomic, and by which function in which line."""
    changed, made = list(text), {}
    for line in sorted(set(lines)):
        if not 1 <= line <= len(text) or len(text[line - 1]) > _LONGEST:
            continue
        for form, function, argument in _FORMS:
            new, count = re.subn(form, rf"{function}(&(\g<place>), {argument});", text[line - 1], count=1)
            if count:
                changed[line - 1] = new
                made[line] = function
                break
    return changed, made
