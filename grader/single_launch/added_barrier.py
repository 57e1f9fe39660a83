"""Looks for places where one or two more `__syncthreads()` take a race away, by trying: each is built and run under every detector. What no
run confirms is not shown. It changes nobody's file and grades nothing.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.model.errors import RemediableError
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.single_launch.tracing import Build, Traced, TraceRequest

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
    lines: tuple[
        int, ...
    ]  # for each line of the changed file, its number in the file as it was; a barrier has that of the line before
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


@dataclass(frozen=True)
class BarrierSearch:
    """`build`: of the changed files. `seconds`: no try begins later."""

    build: Build
    request: TraceRequest
    seconds: float = 60
    clock: Callable[[], float] = time.monotonic

    def add_barrier(self, source: bytes, lines: tuple[int, int]) -> AddedBarrier | None:
        """`lines`: of the two accesses. Places in fewer loops are tried first, so that no barrier stands in a loop without need. Where one
        barrier leaves a race, a second one is tried. None where nothing makes the launch right.
        """
        text = source.decode("utf-8", "surrogateescape").split("\n")
        until = self.clock() + self.seconds
        return self._search(_Changed(tuple(enumerate(text, 1))), lines, barriers=_MOST_BARRIERS, until=until)

    def _search(self, changed: _Changed, lines: tuple[int, int], *, barriers: int, until: float) -> AddedBarrier | None:
        better: list[tuple[_Changed, tuple[int, int]]] = []
        for after in list(places_for_a_barrier(changed.text, *sorted(lines)))[:_TRIES]:
            if self.clock() >= until:
                return None
            attempt = changed.with_barrier(after)
            traced = self._traced(attempt)
            if traced is None:
                continue
            if _is_mended(traced.report.launch):
                return AddedBarrier(attempt.after, tuple(number for number, _ in attempt.lines), traced)
            if left := _race_lines(traced.report.launch):
                better.append((attempt, left))
        if barriers > 1:
            deeper = (
                self._search(attempt, left, barriers=barriers - 1, until=until)
                for attempt, left in better[:_FIRST_PLACES]
            )
            return next(filter(None, deeper), None)
        return None

    def _traced(self, attempt: _Changed) -> Traced | None:
        changed = "\n".join(attempt.text).encode("utf-8", "surrogateescape")
        try:
            return self.build(changed)(dataclasses.replace(self.request, reversed=False))
        except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # this place is none then
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
    depths = list(_depths(text))
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


def _depths(text: Sequence[str]) -> Iterator[int]:
    """After each line, how many braces are open."""
    depth = 0
    for line in text:
        code = _code(line)
        depth += code.count("{") - code.count("}")
        yield depth
