"""The stories of an access that cannot be right: a read of what nobody has written, and one that goes outside of an array. Pure."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from grader.explain.recording import Moment, Recording, Telling, asked, known, thread_by_formula
from grader.explain.story import Mark, Question, Story, StoryElement, StoryRun, spans, thread_number
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted
from grader.run.launches.trace_phases import ACCESSES, CHANGES, Index3, Step, StepKind, TracedArray, thread_index

# A read of what nobody has written: who writes it too late or never, and who would by the formula by which the others write.

_BEFORE, _AFTER = 10, 3  # steps of the thread
_OF_OTHERS = 6
_MOST_LINES = 8  # that write the array, in which a formula is looked for
_NOTHING = "an unwritten value: what the memory held before"


class _Writer(NamedTuple):
    """Who would write the element if the formula of those who write held for all threads of the block."""

    thread: int
    line: int
    writes: Moment | None  # its first own write in that line


class _Unset:
    """The read of what nobody has written, and what the trace knows of the element."""

    def __init__(self, read: Moment) -> None:
        self.read, self.recording = read, read.recording
        # Otherwise it adds to what nobody has set, or changes it in another way, atomically.
        self.only_reads = read.kind == StepKind.READ
        self.does = f"Thread {read.who} {'reads' if self.only_reads else 'changes'} {read.name}"
        self.writes = read.recording.find(CHANGES, array=read.step[3])  # of the array, anywhere in the trace
        # The first write of the element after the read. One more addition does not set it.
        sets = CHANGES if self.only_reads else {StepKind.WRITE}
        after = (one for one in self.writes if one > read and one.key == read.key)
        self.later = next((one for one in after if one.kind in sets), None)

    @cached_property
    def writer(self) -> _Writer | None:
        block = self.recording.block
        in_lines: dict[int, dict[Index3, Moment]] = defaultdict(dict)
        for one in self.writes:
            in_lines[one.line].setdefault(thread_index(one.thread, block), one)
        for line, of_threads in sorted(in_lines.items())[:_MOST_LINES]:
            places = {thread: one.cell for thread, one in of_threads.items()}
            found = thread_by_formula(places, self.read.cell, block) if line else None
            if found is not None and all(0 <= at < extent for at, extent in zip(found, block, strict=True)):
                return _Writer(thread_number(found, block), line, of_threads.get(found))
        return None


def unset_story(recording: Recording, finding: Finding) -> Story | None:
    if finding.thread is None or finding.array is None or finding.line is None:
        return None
    read = next(_reads(recording, finding), None)
    if read is None:
        return None
    unset = _Unset(read)
    chosen, who = _chosen(unset), _who(unset)
    story = Telling(
        recording,
        title=f"who should have written {read.name}",
        summary=f"{unset.does} in line {read.line} and finds {_NOTHING}. {who}",
        steps=chosen,
        schedule="The steps of the thread that reads, and of those that write the array, as they ran.",
        marks=_unset_marks(unset),
        questions=_unset_questions(unset, chosen[-1], who),
        before=2,
    ).story
    element = StoryElement(*read.key)
    return replace(story, runs=(_as_unset(story.runs[0], chosen.index(read), element),)) if story else None


def _unset_marks(unset: _Unset) -> Iterator[Mark]:
    writes, later = unset.writer.writes if unset.writer else None, unset.later
    done = "written" if unset.only_reads else "set"
    yield unset.read.remark(f"{unset.does}, which no thread has {done}: it finds {_NOTHING}.")
    if writes is not None:
        yield Mark(writes, f"Thread {writes.who} writes {writes.name} here.", "note", (writes.thread,))
    if later is not None:
        yield later.remark(f"Only now {unset.read.name} is written.", "note")


def _reads(recording: Recording, finding: Finding) -> Iterator[Moment]:
    """Of its thread in its line: of the element that the finding names, else of one that nobody has written before."""
    thread = thread_number(finding.thread, recording.block) if finding.thread else None
    kinds = {StepKind.READ, StepKind.ATOMIC}
    own = recording.find(kinds, array=finding.array, line=finding.line, thread=thread)
    unset = [one for one in own if one.writer is None]
    yield from (one for one in unset if one.is_called(finding.element))
    yield from (one for one in unset[:1] if one.is_shared)


def _chosen(unset: _Unset) -> list[int]:
    own = unset.recording.of_thread(unset.read.thread)
    place = own.index(unset.read)
    others = [one for one in unset.writes if one < unset.read]
    chosen = {*own[max(0, place - _BEFORE) : place + _AFTER + 1], *others[:_OF_OTHERS], *others[-_OF_OTHERS:]}
    writes = unset.writer.writes if unset.writer is not None else None
    return unset.recording.with_barriers(chosen | known(unset.later, writes))


def _as_unset(run: StoryRun, at: int, element: StoryElement) -> StoryRun:
    """The read brings no value, and the element holds none at first."""
    steps, arrays = list(run.steps), list(run.arrays)
    steps[at] = replace(steps[at], bits=(None,))
    array = arrays[element.array]
    initial = {offset: held for offset, held in array.initial.items() if offset != element.offset}
    arrays[element.array] = replace(array, initial=initial)
    return replace(run, steps=tuple(steps), arrays=tuple(arrays))


def _who(unset: _Unset) -> str:
    recording, writer, later = unset.recording, unset.writer, unset.later
    if later is not None:
        said = f"Thread {later.who} writes it later, in line {later.line}: too late for this read."
    else:
        said = f"No thread of this block ever {'writes' if unset.only_reads else 'sets'} {unset.read.name}."
    if writer is None:
        return said + _written(unset) if unset.only_reads and later is None else said
    if later is not None and later.thread == writer.thread:
        return said
    would = f"thread {recording.who(writer.thread)} would write it"
    said = f"{said} By the formula of the others in line {writer.line}, {would}"
    if writer.writes is not None:
        return f"{said}, but not in this pass."
    left = next((one for one in recording.of_thread(writer.thread) if one.kind == StepKind.LEAVE), None)
    if left is None:
        return f"{said}, but it never writes anything there."
    return f"{said}, but it has left the kernel{f' by line {left.line}' if left.line else ' before'}."


def _written(unset: _Unset) -> str:
    """Which elements of the array are written at all."""
    array, writes = unset.read.array.name, sorted(unset.writes, key=lambda one: one.key)
    if not writes:
        return f" No thread writes to {array}."
    return f" What its threads write of {array} lies between {writes[0].name} and {writes[-1].name}."


def _unset_questions(unset: _Unset, end: int, who: str) -> Iterator[Question | None]:
    read, later, writer, block = unset.read, unset.later, unset.writer, unset.recording.block
    memory = "Shared memory" if read.is_shared else "The memory of a result"
    beliefs = (
        "0: memory begins with zeros",
        "the value that another thread has written",
        "it waits until another thread writes it",
    )
    text = f"What does thread {read.who} find in {read.name} in line {read.line}?"
    yield asked(read, text, _NOTHING, beliefs, f"{memory} is never cleared: it holds what was there before.")
    nobody = "no thread of this block"
    right = f"thread {later.who}, but only later, in line {later.line}" if later is not None else nobody
    would = f"thread {unset.recording.who(writer.thread)}, before the read, in line {writer.line}" if writer else ""
    wrote = {one.thread for one in unset.writes}
    others = (nobody, would, f"each of {spans(wrote, block)}" if len(wrote) > 1 else f"thread {read.who}")
    if end > read:
        yield asked(end, f"Who {'writes' if unset.only_reads else 'sets'} {read.name}?", right, others, who)


# An access out of bounds: where its address lies beside the array or in it, and which threads go there.

_FEW = 4
_MOST_OTHERS = 40


def outside_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the access missed no array that the trace knows, as with a wild pointer."""
    if finding.thread is None or finding.line is None:
        return None
    recording = with_overruns(recording)
    thread = thread_number(finding.thread, recording.block)
    outside = recording.find({StepKind.OUTSIDE}, line=finding.line)
    at = next((one for one in outside if one.thread == thread), None)
    if at is None:
        return None
    own = [one for one in recording.of_thread(thread) if one < at]
    if len(own) < _FEW:  # then what others did before is shown too
        own = [one for one in recording.find(ACCESSES) if one < at][-_FEW:]
    others = [one for one in outside if one != at][:_MOST_OTHERS]
    chosen = sorted({*own[-_BEFORE:], at, *(one for one in others if one > at)})
    where = _where_it_lies(at, finding)
    line = "".join(recording.source[finding.line - 1 : finding.line])
    expression = line[slice(*finding.columns or (0, 0))].strip() or at.expression
    return Telling(
        recording,
        title=f"where {expression or at.array.name} lies",
        summary=f"Thread {at.who} goes outside in line {finding.line}. {where}",
        steps=chosen,
        schedule="The steps of the thread up to the access, then the other threads that go outside in the same line.",
        marks=[at.remark(f"Thread {at.who}: {where}")],
        questions=_outside_questions(finding, expression, at, outside, chosen[-1], where),
        before=1,
    ).story


def _where_it_lies(at: Moment, finding: Finding) -> str:
    """A sentence or two, with the numbers of elements."""
    array, count = at.array, _count(at.array, finding)
    cell = at.step[4] // array.element_bytes
    if count is None:
        return f"The address is that of {array.name}[{cell}], which {array.name} does not have."
    if 0 <= cell < count:
        there = array.named(cell * array.element_bytes)
        other = f"The address is that of {there}, in another row of {array.name}."
        return f"The subscript is too large for its row. {other}"
    size = f"{array.name} has {' x '.join(map(str, array.dimensions)) or count} elements."
    if cell < 0:
        return f"{size} The address lies {counted(-cell, 'element')} before the first one, {array.named(0)}."
    row = ""
    if len(array.dimensions) == 2:  # noqa: PLR2004 -- rows and columns
        row = f" Counted on, it would be row {cell // array.dimensions[1]}, column {cell % array.dimensions[1]}."
    last = array.named((count - 1) * array.element_bytes)
    return f"{size} The address lies {counted(cell - count + 1, 'element')} behind the last one, {last}.{row}"


def _count(array: TracedArray, finding: Finding) -> int | None:
    """How many elements there are: where the type does not say it, as the finding says it. Of dynamic shared memory the launch decides."""
    said = re.search(r"\bhas (\d{1,12}) elements\b", finding.message)
    return math.prod(array.dimensions or (0,)) or (int(said[1]) if said else None)


def _outside_questions(
    finding: Finding, expression: str, at: Moment, outside: Sequence[Moment], end: int, where: str
) -> Iterator[Question | None]:
    recording, array, count = at.recording, at.array, _count(at.array, finding)
    cell = at.step[4] // array.element_bytes
    if count:
        before = f"before {array.named(0)}, the first element"
        behind = f"behind {array.named((count - 1) * array.element_bytes)}, the last element"
        inside = f"inside {array.name}, at {array.named(cell % count * array.element_bytes)}"
        right = before if cell < 0 else behind if cell >= count else inside
        what = f"`{expression}`" if expression else f"the element of {array.name}"
        text = f"Where does {what} lie for thread {at.who} in line {finding.line}?"
        yield asked(at, text, right, (before, behind, inside), where)
    gone = {one.thread for one in outside}
    stayed = {one.thread for one in recording.find(ACCESSES, array=at.step[3], line=finding.line)} - gone
    said = spans(stayed, recording.block) if stayed else ""
    every, alone = range(recording.threads), {at.thread}
    right, *others = (spans(threads, recording.block) for threads in (gone, every, alone))
    if end > at:
        text = f"Which threads of this block go outside of {array.name} in line {finding.line}?"
        why = f"{len(gone):,} of {len(every):,} threads." + (f" {said.capitalize()} stay inside." if stayed else "")
        yield asked(end, text, right, (said, *others), why)


# Where a subscript past the end of its dimension leads. The executor stops the thread before the access, so that the trace has none; but
# the thread's access before it, in the same line, tells the other subscripts.

_SAID = re.compile(r"uses subscript (-?\d{1,9}) of (\w+), but this dimension has only the subscripts 0 to (\d{1,9})")


def with_overruns(recording: Recording) -> Recording:
    """With a step for each access that a subscript past its dimension would have been, of the threads that the findings name."""
    found: list[tuple[Moment, Step]] = []
    for finding in recording.launch.findings:
        said = _SAID.search(finding.message) if finding.kind is Verdict.OUT_OF_BOUNDS else None
        if said is not None and finding.thread is not None:
            found += _overrun(recording, finding, said[2], int(said[1]), int(said[3]) + 1)
    if not found:
        return recording
    steps = list(recording.trace.steps)
    for added, (stop, step) in enumerate(sorted(found, key=lambda one: one[0])):
        steps.insert(stop + added, step)
    return replace(recording, trace=recording.trace.model_copy(update={"steps": tuple(steps)}))


def _overrun(
    recording: Recording, finding: Finding, array: str, subscript: int, extent: int
) -> Iterator[tuple[Moment, Step]]:
    """Before which step it comes, where it is known."""
    own = recording.of_thread(thread_number(finding.thread or (0, 0, 0), recording.block))
    stop = next((one for one in reversed(own) if one.kind == StepKind.STOP), None)
    if stop is None:
        return
    accesses = [one for one in own if one < stop and one.kind in ACCESSES]
    before = [one for one in accesses if (one.array.name, one.line) == (array, finding.line)]
    there = _moved(before[-1], subscript, extent) if before else None
    if there is not None and before[-1].step[4] != there:
        _, thread, _, number, _, size, _, place, slot, _ = before[-1].step
        yield stop, (StepKind.OUTSIDE, thread, stop.interval, number, there, size, 0, place, slot, 0)


def _moved(access: Moment, subscript: int, extent: int) -> int | None:
    """The offset, if this subscript takes the place of the one that is nearest to it in a dimension of this extent."""
    array, now = access.array, access.cell
    possible = [at for at, one in enumerate(array.dimensions) if one == extent and at < len(now)]
    if len(now) != len(array.dimensions) or not possible:
        return None
    at = min(possible, key=lambda one: abs(now[one] - subscript))
    cell = 0
    for dimension, (one, size) in enumerate(zip(now, array.dimensions, strict=True)):
        cell = cell * size + (subscript if dimension == at else one)
    return cell * array.element_bytes
