"""The story of an element that is a copy from a wrong place: which value it holds, which belongs there, and where both are. Pure.

Two indices meet here: where a thread puts what it loads, and where it takes what it stores. The page shows both with their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass, replace

from grader.explain.copied_element import CopiedElement, copied_element
from grader.explain.story import (
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    asked,
    element_name,
    framed,
    line_of,
    thread_name,
)
from grader.explain.trace_story import run_of_threads
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace
from grader.run.launches.tracing import TracedLaunch
from grader.source.student_code import subscripted

_SCHEDULE = "How the value got there, how the right one got where it is, and what the thread takes."


@dataclass(frozen=True)
class _Told:
    copied: CopiedElement
    trace: Trace
    block: Index3
    file: str
    source: Sequence[str]

    def thread(self, at: int) -> str:
        return thread_name(self.trace.steps[at][1], self.block)

    def line(self, at: int) -> int:
        return line_of(self.trace, self.trace.steps[at], self.file)

    def name(self, at: int) -> str:
        return element_name(self.trace, self.trace.steps[at])

    def expression(self, at: int) -> str:
        """What stands in the source for this access; the element's name where it is not found."""
        array = self.trace.arrays[self.trace.steps[at][3]].name
        return subscripted(self.source, self.line(at), array)

    def array(self, at: int) -> str:
        return self.trace.arrays[self.trace.steps[at][3]].name


def copy_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    trace, block, copied = traced.report.trace, traced.report.launch.block, copied_element(traced.report)
    if trace is None or block is None or copied is None:
        return None
    told = _Told(copied, trace, block, traced.file, source)
    chosen = _chosen(told)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_SCHEDULE)
    marks = tuple(sorted(_marks(told, chosen), key=lambda mark: mark.step))
    return framed(
        traced,
        source,
        replace(run, marks=marks),
        title=f"the value in {copied.element}",
        summary=f"{_stores(told)} {_took(told)} {_where(told)}",
        questions=list(_questions(told, chosen)),
        start=max(0, chosen.index(copied.read) - 1),
    )


def _chosen(told: _Told) -> list[int]:
    copied = told.copied
    chosen = {copied.read, copied.store}
    for held in (copied.held, copied.right_held):
        if held is not None:
            chosen |= {held.load, held.write}
    if copied.right_load is not None:
        chosen.add(copied.right_load)
    chosen.update(at for at in range(min(chosen), max(chosen)) if told.trace.steps[at][0] == StepKind.BARRIER)
    return sorted(chosen)


def _stores(told: _Told) -> str:
    copied = told.copied
    return (
        f"Thread {told.thread(copied.store)} stores {_value(told, copied.store)} in {copied.element} in line {told.line(copied.store)}. "
        f"This is {copied.got}, and {copied.right} = {copied.expected:.6g} belongs there."
    )


def _took(told: _Told) -> str:
    """Where the thread takes what it stores, and how it got there."""
    copied = told.copied
    expression, name = told.expression(copied.read), told.name(copied.read)
    said = (
        f"`{expression}` in line {told.line(copied.read)} is {name} for this thread"
        if expression
        else f"It reads {name}"
    )
    if copied.held is None:
        return f"{said}."
    write = copied.held.write
    return f"{said}, where thread {told.thread(write)} had put {copied.got} in line {told.line(write)}."


def _where(told: _Told) -> str:
    copied = told.copied
    if copied.right_held is not None:
        write = copied.right_held.write
        return (
            f"{copied.right} is in {told.name(write)} at that moment: thread {told.thread(write)} has put it there. Either the store "
            "takes the wrong element, or it goes to the wrong place."
        )
    if copied.right_load is None:
        return f"No thread of this block ever reads {copied.right}.{_part(told)}"
    load = copied.right_load
    if copied.held is None:
        return f"Thread {told.thread(load)} reads {copied.right}, in line {told.line(load)}."
    later = "only later" if load > copied.read else "before"
    return f"Thread {told.thread(load)} reads {copied.right} {later}, and it is not in {told.array(copied.read)} at that moment."


def _part(told: _Told) -> str:
    """Which part of the input this block reads, and which of the result it writes."""
    reads = _box(told, told.copied.given, frozenset({StepKind.READ}))
    writes = _box(told, told.copied.output, CHANGES)
    return f" It reads {reads}, and writes {writes}." if reads and writes else ""


def _box(told: _Told, name: str, kinds: Set[int]) -> str:
    cells = [
        told.trace.arrays[step[3]].index(step[4], step[5])
        for step in told.trace.steps
        if step[0] in kinds and told.trace.arrays[step[3]].name == name
    ]
    if not cells or any(len(one) != len(cells[0]) for one in cells):
        return ""
    axes = [sorted({one[axis] for one in cells}) for axis in range(len(cells[0]))]
    if math.prod(map(len, axes)) != len(set(cells)) or any(one[-1] - one[0] + 1 != len(one) for one in axes):
        return ""  # no box
    return f"{name}[{']['.join(str(one[0]) for one in axes)}] to {name}[{']['.join(str(one[-1]) for one in axes)}]"


def _value(told: _Told, at: int) -> str:
    step = told.trace.steps[at]
    return f"{told.trace.arrays[step[3]].value(step[6], step[5]):.6g}"


def _marks(told: _Told, chosen: Sequence[int]) -> Iterator[Mark]:
    copied, steps = told.copied, told.trace.steps
    for held, what in ((copied.held, copied.got), (copied.right_held, copied.right)):
        if held is not None:
            step = steps[held.write]
            text = f"Thread {told.thread(held.write)} puts {what} in {told.name(held.write)}."
            yield Mark(chosen.index(held.write), text, "note", (step[1],), (StoryElement(held.array, held.offset),))
    read, store = steps[copied.read], steps[copied.store]
    text = f"Thread {told.thread(copied.read)} takes {told.name(copied.read)}"
    text += f", which holds {copied.got}. " if copied.held else ". "
    elements = [StoryElement(read[3], read[4])]
    if copied.right_held is not None:
        text += f"{copied.right}, which belongs in {copied.element}, is in {told.name(copied.right_held.write)}."
        elements.append(StoryElement(copied.right_held.array, copied.right_held.offset))
    else:
        text += f"{copied.right} belongs in {copied.element}."
    yield Mark(chosen.index(copied.read), text, "bad", (read[1],), tuple(elements))
    text = f"{copied.element} holds {copied.got} now, and {copied.right} belongs there."
    yield Mark(chosen.index(copied.store), text, "bad", (store[1],), (StoryElement(store[3], store[4]),))


def _questions(told: _Told, chosen: Sequence[int]) -> Iterator[Question]:
    copied = told.copied
    read, store = chosen.index(copied.read), chosen.index(copied.store)
    line, expression = told.line(copied.read), told.expression(copied.read)
    at = f"`{expression}`" if expression else f"this read of {told.array(copied.read)}"
    right_place = told.name(copied.right_held.write) if copied.right_held else ""
    which = asked(
        read,
        f"Which element is {at} for thread {told.thread(copied.read)} in line {line}?",
        told.name(copied.read),
        (right_place or copied.right, _neighbour(told)),
        _took(told),
    )
    if which is not None and read > 0:
        yield which
    what = (
        f"{told.name(copied.read)} in {copied.element}" if copied.held is not None else f"a value in {copied.element}"
    )
    belongs = asked(
        store,
        f"The thread stores {what}. Which element of {copied.given} is that?",
        copied.got,
        (copied.right, "none: it is a sum"),
        f"It is {copied.got}, and {copied.right} belongs there. {_where(told)}",
    )
    if belongs is not None:
        yield belongs


def _neighbour(told: _Told) -> str:
    """Another element of the array that the block reads in that line."""
    read = told.trace.steps[told.copied.read]
    others = (
        element_name(told.trace, step)
        for step in told.trace.steps
        if step[0] == StepKind.READ and step[3] == read[3] and step[7] == read[7] and step[4] != read[4]
    )
    return next(others, "")
