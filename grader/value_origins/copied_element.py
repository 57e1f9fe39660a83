"""A wrong element that is a copy of the wrong element of an input: where its value came from, and where the right one is. Pure.

It is told only where values say it without doubt: no two elements of the input that matter here are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from grader.model.result import Mismatch
from grader.single_launch.trace_steps import ACCESSES, CHANGES, Step, StepKind, Trace, TraceReport
from grader.value_origins.wanted_inputs import copied_input, element_of, flat_of


@dataclass(frozen=True)
class Held:
    """An input's element in shared memory: who put it there, and when, by places in the trace."""

    array: int
    offset: int
    load: int
    write: int


@dataclass(frozen=True)
class CopiedElement:
    given: str  # the input
    output: str
    element: str  # "out[0][1]"
    got: str  # "in[0][1]": what it holds a copy of
    right: str  # "in[1][0]": what belongs there
    expected: float
    store: int  # all of these by their places in the trace
    read: int  # what the thread read last of that value
    held: Held | None  # None: the thread read it from the input itself
    right_held: Held | None  # where the right value is at that moment, in the array that was read
    right_load: int | None  # the first read of the right element in this block


def copied_element(report: TraceReport) -> CopiedElement | None:
    """Of the first wrong element that this block has stored."""
    trace, wrong = report.trace, report.launch.mismatch
    if trace is None or wrong is None or (copied := copied_input(report.inputs, wrong)) is None:
        return None
    given, belongs = copied
    times = Counter(given.values)
    places = {value: at for at, value in enumerate(given.values) if times[value] == 1}
    for one in wrong.first:
        flat = flat_of(one, wrong)
        if flat not in belongs or one.got not in places:
            continue
        store = _last_store(trace, wrong, flat)
        if store is None or (read := _read_of_value(trace, store)) is None:
            continue
        value = _value(trace, trace.steps[store])
        held, first_load = _held(trace, read, given.name)
        source = trace.steps[read]
        direct = trace.arrays[source[3]].space != "shared"
        if (
            value != one.got
            or (direct and _flat(source) != places[value])
            or (direct and trace.arrays[source[3]].name != given.name)
        ):
            continue
        if not direct and (
            (own := held.get((source[3], source[4]))) is None or _flat(trace.steps[own.load]) != places[value]
        ):
            continue
        right = belongs[flat]
        return CopiedElement(
            given.name,
            wrong.output,
            f"{wrong.output}[{one.row}][{one.column}]" if wrong.rows > 1 else f"{wrong.output}[{one.column}]",
            element_of(given, places[value]),
            element_of(given, right),
            one.expected or 0.0,
            store,
            read,
            None if direct else held[source[3], source[4]],
            None if direct else next(_holding(trace, held, source[3], right), None),
            first_load.get(right),
        )
    return None


def _last_store(trace: Trace, wrong: Mismatch, flat: int) -> int | None:
    """None where several threads of the block store it: then who wins is another question."""
    found = [
        at
        for at, step in enumerate(trace.steps)
        if step[0] in CHANGES and trace.arrays[step[3]].name == wrong.output and _flat(step) == flat
    ]
    alone = len({trace.steps[at][1] for at in found}) == 1
    return found[-1] if alone and trace.steps[found[-1]][0] == StepKind.WRITE else None


def _read_of_value(trace: Trace, store: int) -> int | None:
    thread, size, bits = trace.steps[store][1], *trace.steps[store][5:7]
    before = range(store - 1, -1, -1)
    return next(
        (
            at
            for at in before
            if trace.steps[at][:2] == (StepKind.READ, thread) and trace.steps[at][5:7] == (size, bits)
        ),
        None,
    )


def _held(trace: Trace, read: int, given: str) -> tuple[dict[tuple[int, int], Held], dict[int, int]]:
    """What shared memory holds of the input when that read happens; and the first read of each of its elements in the whole block."""
    held: dict[tuple[int, int], Held] = {}
    first: dict[int, int] = {}
    last: dict[tuple[int, int], int] = {}  # a thread's last read of the input that brought these bits
    for at, step in enumerate(trace.steps):
        if step[0] not in ACCESSES:
            continue
        array = trace.arrays[step[3]]
        if step[0] == StepKind.READ and array.name == given and array.space == "global":
            first.setdefault(_flat(step), at)
            last[step[1], step[6]] = at
        elif step[0] in CHANGES and array.space == "shared" and at < read:
            load = last.get((step[1], step[6]))
            if load is not None and step[0] == StepKind.WRITE:
                held[step[3], step[4]] = Held(step[3], step[4], load, at)
            else:
                held.pop((step[3], step[4]), None)
    return held, first


def _holding(trace: Trace, held: dict[tuple[int, int], Held], array: int, flat: int) -> Iterator[Held]:
    for one in held.values():
        if one.array == array and _flat(trace.steps[one.load]) == flat:
            yield one


def _value(trace: Trace, step: Step) -> float:
    return trace.arrays[step[3]].value(step[6], step[5])


def _flat(step: Step) -> int:
    return step[4] // step[5] if step[5] else -1
