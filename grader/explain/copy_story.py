"""The story of an element that is a copy from a wrong place: which value it holds, which belongs there, and where both are. Pure.

Two indices meet here: where a thread puts what it loads, and where it takes what it stores. The page shows both with their numbers.
It is told only where values say it without doubt: no two elements of the input that matter here are alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.explain.followed_sums import copied_input, element_of, flat_of
from grader.explain.recording import Recording, Telling, asked, told
from grader.explain.story import Mark, Question, Story
from grader.run.launches.trace_phases import CHANGES, StepKind

_TELLING = Telling(
    "How the value got there, how the right one got where it is, and what the thread takes.",
    before=1,
)
_READS = frozenset({StepKind.READ})


@dataclass(frozen=True)
class _Copied:
    """Steps by their places in the trace."""

    recording: Recording
    given: str  # the input
    output: str
    element: str  # "out[0][1]"
    got: str  # "in[0][1]": what it holds a copy of
    right: str  # "in[1][0]": what belongs there
    expected: float
    store: int
    read: int  # what the thread read last of that value
    held: int | None  # the write that put it there; None: the thread read it from the input itself
    right_held: int | None  # the write of the right value that is in that array at that moment
    right_load: int | None  # the first read of the right element in this block


def copy_story(recording: Recording) -> Story | None:
    copied = _copied_element(recording)
    if copied is None:
        return None
    loaded = recording.index.loaded
    chosen = {copied.read, copied.store}
    for write in (copied.held, copied.right_held):
        chosen |= {write, loaded[write]} if write is not None else set()
    chosen |= {copied.right_load} if copied.right_load is not None else set()
    return told(
        recording,
        _TELLING,
        recording.with_barriers(chosen),
        title=f"the value in {copied.element}",
        summary=f"{_stores(copied)} {_took(copied)} {_where(copied)}",
        marks=_marks(copied),
        questions=_questions(copied, is_first=copied.read == min(chosen)),
    )


def _copied_element(recording: Recording) -> _Copied | None:
    """Of the first wrong element that this block has stored."""
    wrong = recording.launch.mismatch
    if wrong is None or (copied := copied_input(recording.report.inputs, wrong)) is None:
        return None
    given, belongs = copied
    times = Counter(given.values)
    places = {value: at for at, value in enumerate(given.values) if times[value] == 1}
    for one in wrong.first:
        flat = flat_of(one, wrong)
        if flat not in belongs or one.got not in places:
            continue
        store = _last_store(recording, wrong.output, flat)
        read = _read_of_value(recording, store) if store is not None else None
        if store is None or read is None or recording.value(store) != one.got:
            continue
        held = recording.index.writer.get(read) if recording.is_shared(read) else None
        source = (
            read if not recording.is_shared(read) else recording.index.loaded.get(held) if held is not None else None
        )
        if source is None or (recording.array(source).name, recording.flat(source)) != (given.name, places[one.got]):
            continue
        right = belongs[flat]
        return _Copied(
            recording=recording,
            given=given.name,
            output=wrong.output,
            element=f"{wrong.output}[{one.row}][{one.column}]" if wrong.rows > 1 else f"{wrong.output}[{one.column}]",
            got=element_of(given, places[one.got]),
            right=element_of(given, right),
            expected=one.expected or 0.0,
            store=store,
            read=read,
            held=held,
            right_held=_holding(recording, read, given.name, right) if held is not None else None,
            right_load=_first_load(recording, given.name, right),
        )
    return None


def _last_store(recording: Recording, output: str, flat: int) -> int | None:
    """None where several threads of the block store it: then who wins is another question."""
    found = [at for at in recording.find(CHANGES, name=output) if recording.flat(at) == flat]
    alone = len({recording.steps[at][1] for at in found}) == 1
    return found[-1] if alone and recording.steps[found[-1]][0] == StepKind.WRITE else None


def _read_of_value(recording: Recording, store: int) -> int | None:
    thread, size, bits = recording.steps[store][1], *recording.steps[store][5:7]
    own = [at for at in recording.of_thread[thread] if at < store and recording.steps[at][0] == StepKind.READ]
    return next((at for at in reversed(own) if recording.steps[at][5:7] == (size, bits)), None)


def _holding(recording: Recording, read: int, given: str, flat: int) -> int | None:
    """Which write has put this element of the input where it is in the array that is read, at that moment."""
    held = {recording.key(at): at for at in recording.find(CHANGES, array=recording.steps[read][3]) if at < read}
    for write in held.values():
        load = recording.index.loaded.get(write)
        if load is not None and (recording.array(load).name, recording.flat(load)) == (given, flat):
            return write
    return None


def _first_load(recording: Recording, given: str, flat: int) -> int | None:
    reads = recording.find(_READS, array=recording.number_of(given)) if recording.number_of(given) is not None else []
    return next((at for at in reads if recording.flat(at) == flat), None)


def _stores(copied: _Copied) -> str:
    recording, store = copied.recording, copied.store
    return (
        f"Thread {recording.thread(store)} stores {recording.value(store):.6g} in {copied.element} in line {recording.line(store)}. "
        f"This is {copied.got}, and {copied.right} = {copied.expected:.6g} belongs there."
    )


def _took(copied: _Copied) -> str:
    """Where the thread takes what it stores, and how it got there."""
    recording, read = copied.recording, copied.read
    expression, name = recording.expression(read), recording.name(read)
    said = (
        f"`{expression}` in line {recording.line(read)} is {name} for this thread" if expression else f"It reads {name}"
    )
    if copied.held is None:
        return f"{said}."
    by, line = recording.thread(copied.held), recording.line(copied.held)
    return f"{said}, where thread {by} had put {copied.got} in line {line}."


def _where(copied: _Copied) -> str:
    recording, write, load = copied.recording, copied.right_held, copied.right_load
    if write is not None:
        return (
            f"{copied.right} is in {recording.name(write)} at that moment: thread {recording.thread(write)} has put it there. Either the"
            " store takes the wrong element, or it goes to the wrong place."
        )
    if load is None:
        return f"No thread of this block ever reads {copied.right}.{_part(copied)}"
    if copied.held is None:
        return f"Thread {recording.thread(load)} reads {copied.right}, in line {recording.line(load)}."
    later = "only later" if load > copied.read else "before"
    there = recording.array(copied.read).name
    return f"Thread {recording.thread(load)} reads {copied.right} {later}, and it is not in {there} at that moment."


def _part(copied: _Copied) -> str:
    """Which part of the input this block reads, and which of the result it writes."""
    reads = _box(copied.recording, copied.given, _READS)
    writes = _box(copied.recording, copied.output, CHANGES)
    return f" It reads {reads}, and writes {writes}." if reads and writes else ""


def _box(recording: Recording, name: str, kinds: Collection[int]) -> str:
    cells = [recording.cell(at) for at in recording.find(kinds, name=name)]
    if not cells or any(len(one) != len(cells[0]) for one in cells):
        return ""
    axes = [sorted({one[axis] for one in cells}) for axis in range(len(cells[0]))]
    if math.prod(map(len, axes)) != len(set(cells)) or any(one[-1] - one[0] + 1 != len(one) for one in axes):
        return ""  # no box
    return f"{name}[{']['.join(str(one[0]) for one in axes)}] to {name}[{']['.join(str(one[-1]) for one in axes)}]"


def _marks(copied: _Copied) -> Iterator[Mark]:
    recording, read = copied.recording, copied.read
    for write, what in ((copied.held, copied.got), (copied.right_held, copied.right)):
        if write is not None:
            text = f"Thread {recording.thread(write)} puts {what} in {recording.name(write)}."
            yield recording.remark(write, text, "note")
    text = f"Thread {recording.thread(read)} takes {recording.name(read)}"
    text += f", which holds {copied.got}. " if copied.held is not None else ". "
    elements = [recording.element(read)]
    if copied.right_held is not None:
        text += f"{copied.right}, which belongs in {copied.element}, is in {recording.name(copied.right_held)}."
        elements.append(recording.element(copied.right_held))
    else:
        text += f"{copied.right} belongs in {copied.element}."
    yield Mark(read, text, "bad", (recording.steps[read][1],), tuple(elements))
    yield recording.remark(copied.store, f"{copied.element} holds {copied.got} now, and {copied.right} belongs there.")


def _questions(copied: _Copied, *, is_first: bool) -> Iterator[Question | None]:
    recording, read = copied.recording, copied.read
    expression, name = recording.expression(read), recording.name(read)
    at = f"`{expression}`" if expression else f"this read of {recording.array(read).name}"
    if not is_first:
        right_place = recording.name(copied.right_held) if copied.right_held is not None else ""
        yield asked(
            read,
            f"Which element is {at} for thread {recording.thread(read)} in line {recording.line(read)}?",
            name,
            (right_place or copied.right, _neighbour(recording, read)),
            _took(copied),
        )
    what = f"{name} in {copied.element}" if copied.held is not None else f"a value in {copied.element}"
    yield asked(
        copied.store,
        f"The thread stores {what}. Which element of {copied.given} is that?",
        copied.got,
        (copied.right, "none: it is a sum"),
        f"It is {copied.got}, and {copied.right} belongs there. {_where(copied)}",
    )


def _neighbour(recording: Recording, read: int) -> str:
    """Another element of the array that the block reads in that line."""
    array, offset, place = recording.steps[read][3], recording.steps[read][4], recording.steps[read][7]
    others = (at for at in recording.find(_READS, array=array) if recording.steps[at][7] == place)
    return next((recording.name(at) for at in others if recording.steps[at][4] != offset), "")
