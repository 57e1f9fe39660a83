"""The stories of an access that cannot be right: a read of what nobody has written, and one that goes outside of an array. Pure."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from grader.explain.recording import Recording, Shown, asked, thread_by_formula, told
from grader.explain.story import Mark, Question, Story, StoryElement, StoryRun, spans, thread_number
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import ACCESSES, CHANGES, Index3, Step, StepKind, Trace, TracedArray, thread_index

# A read of what nobody has written: who writes it too late or never, and who would by the formula by which the others write.

_BEFORE, _AFTER = 10, 3  # steps of the thread
_OF_OTHERS = 6
_MOST_LINES = 8  # that write the array, in which a formula is looked for
_NOTHING = "nothing that anybody wrote: what the memory happened to hold"


@dataclass(frozen=True)
class _Writer:
    """Who would write the element if the formula of those who write held for all threads of the block."""

    thread: int
    line: int
    writes: int | None  # its first own write in that line, by its place in the trace


@dataclass(frozen=True)
class _Read:
    """The read of what nobody has written, and what the trace knows of the element."""

    recording: Recording
    thread: int
    at: int  # its place in the trace

    @property
    def name(self) -> str:
        return self.recording.name(self.at)

    @property
    def only_reads(self) -> bool:
        """Otherwise it adds to what nobody has set, or changes it in another way, atomically."""
        return self.recording.steps[self.at][0] == StepKind.READ

    @property
    def does(self) -> str:
        return f"Thread {self.recording.who(self.thread)} {'reads' if self.only_reads else 'changes'} {self.name}"

    @property
    def line(self) -> int:
        return self.recording.line(self.at)

    @cached_property
    def writes(self) -> list[int]:
        """Of the array, anywhere in the trace."""
        return self.recording.find(CHANGES, array=self.recording.steps[self.at][3])

    @cached_property
    def later(self) -> int | None:
        """The first write of the element after the read. One more addition does not set it."""
        sets = CHANGES if self.only_reads else {StepKind.WRITE}
        recording, key = self.recording, self.recording.key(self.at)
        after = (at for at in self.writes if at > self.at and recording.key(at) == key)
        return next((at for at in after if recording.steps[at][0] in sets), None)

    @cached_property
    def writer(self) -> _Writer | None:
        recording = self.recording
        in_lines: dict[int, dict[Index3, int]] = defaultdict(dict)
        for at in self.writes:
            in_lines[recording.line(at)].setdefault(thread_index(recording.steps[at][1], recording.block), at)
        for line, of_threads in sorted(in_lines.items())[:_MOST_LINES]:
            places = {thread: recording.cell(at) for thread, at in of_threads.items()}
            found = thread_by_formula(places, recording.cell(self.at), recording.block) if line else None
            if found is not None and all(0 <= at < extent for at, extent in zip(found, recording.block, strict=True)):
                return _Writer(thread_number(found, recording.block), line, of_threads.get(found))
        return None


def unset_story(recording: Recording, finding: Finding) -> Story | None:
    if finding.thread is None or finding.array is None or finding.line is None:
        return None
    thread = thread_number(finding.thread, recording.block)
    at = next(_reads(recording, thread, finding), None)
    if at is None:
        return None
    read = _Read(recording, thread, at)
    chosen, who = _chosen(read), _who(read)
    story = told(
        Shown(
            recording,
            chosen,
            "The steps of the thread that reads, and of those that write the array, as they ran.",
            before=2,
        ),
        title=f"who should have written {read.name}",
        summary=f"{read.does} in line {read.line} and finds {_NOTHING}. {who}",
        marks=_unset_marks(read),
        questions=_unset_questions(read, chosen[-1], who),
    )
    return replace(story, runs=(_as_unset(story.runs[0], chosen.index(at), recording.element(at)),)) if story else None


def _unset_marks(read: _Read) -> Iterator[Mark]:
    recording, writer, done = read.recording, read.writer, "written" if read.only_reads else "set"
    yield recording.remark(read.at, f"{read.does}, which nobody has {done}: it finds {_NOTHING}.")
    if writer is not None and writer.writes is not None:
        text = f"Thread {recording.who(writer.thread)} writes {recording.name(writer.writes)} here."
        yield Mark(writer.writes, text, "note", (writer.thread,))
    if read.later is not None:
        yield recording.remark(read.later, f"Only now {read.name} is written.", "note")


def _reads(recording: Recording, thread: int, finding: Finding) -> Iterator[int]:
    """Of this thread in this line: of the element that the finding names, else of one that nobody has written before."""
    unset = [
        at
        for at in recording.find({StepKind.READ, StepKind.ATOMIC}, name=finding.array, line=finding.line, thread=thread)
        if at not in recording.index.writer
    ]
    for at in unset:
        array = recording.array(at)  # findings name an element of global memory by one subscript
        if finding.element in {recording.name(at), f"{array.name}[{recording.steps[at][4] // array.element_bytes}]"}:
            yield at
    yield from (at for at in unset[:1] if recording.is_shared(at))


def _chosen(read: _Read) -> list[int]:
    own = read.recording.of_thread[read.thread]
    place = own.index(read.at)
    others = [at for at in read.writes if at < read.at]
    chosen = {*own[max(0, place - _BEFORE) : place + _AFTER + 1], *others[:_OF_OTHERS], *others[-_OF_OTHERS:]}
    written = read.writer.writes if read.writer is not None else None
    chosen.update(one for one in (read.later, written) if one is not None)
    return read.recording.with_barriers(chosen)


def _as_unset(run: StoryRun, at: int, element: StoryElement) -> StoryRun:
    """The read brings no value, and the element holds none at first."""
    steps, arrays = list(run.steps), list(run.arrays)
    steps[at] = replace(steps[at], bits=(None,))
    array = arrays[element.array]
    initial = {offset: held for offset, held in array.initial.items() if offset != element.offset}
    arrays[element.array] = replace(array, initial=initial)
    return replace(run, steps=tuple(steps), arrays=tuple(arrays))


def _who(read: _Read) -> str:
    recording, writer, later = read.recording, read.writer, read.later
    if later is not None:
        line = recording.line(later)
        said = f"Thread {recording.thread(later)} writes it later, in line {line}: too late for this read."
    else:
        said = f"No thread of this block ever {'writes' if read.only_reads else 'sets'} {read.name}."
    if writer is None:
        return said + _written(read) if read.only_reads and later is None else said
    if later is not None and recording.steps[later][1] == writer.thread:
        return said
    name = recording.who(writer.thread)
    said = f"{said} By the formula of the others in line {writer.line}, thread {name} would write it"
    if writer.writes is not None:
        return f"{said}, but not in this pass."
    gone = (at for at in recording.of_thread[writer.thread] if recording.steps[at][0] == StepKind.LEAVE)
    if (left := next(gone, None)) is None:
        return f"{said}, but it never writes anything there."
    by = f" by line {recording.line(left)}" if recording.line(left) else " before"
    return f"{said}, but it has left the kernel{by}."


def _written(read: _Read) -> str:
    """Which elements of the array are written at all."""
    recording, array = read.recording, read.recording.array(read.at).name
    if not read.writes:
        return f" Nobody writes to {array} at all."
    first, last = (ends(read.writes, key=lambda at: recording.steps[at][4]) for ends in (min, max))
    return f" What its threads write of {array} lies between {recording.name(first)} and {recording.name(last)}."


def _unset_questions(read: _Read, end: int, who: str) -> Iterator[Question | None]:
    recording = read.recording
    memory = "Shared memory" if recording.is_shared(read.at) else "The memory of a result"
    yield asked(
        read.at,
        f"What does thread {recording.who(read.thread)} find in {read.name} in line {read.line}?",
        _NOTHING,
        (
            "0: memory begins with zeros",
            "the value that another thread has written",
            "it waits until somebody writes it",
        ),
        f"{memory} is never cleared: it holds what was there before.",
    )
    right = nobody = "no thread of this block"
    if read.later is not None:
        right = f"thread {recording.thread(read.later)}, but only later, in line {recording.line(read.later)}"
    would = ""
    if read.writer is not None:
        would = f"thread {recording.who(read.writer.thread)}, before the read, in line {read.writer.line}"
    wrote = {recording.steps[one][1] for one in read.writes}
    own = f"thread {recording.who(read.thread)}"
    others = (nobody, would, f"each of {spans(wrote, recording.block)}" if len(wrote) > 1 else own)
    verb = "writes" if read.only_reads else "sets"
    if end > read.at:
        yield asked(end, f"Who {verb} {read.name}?", right, others, who)


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
    at = next((one for one in outside if recording.steps[one][1] == thread), None)
    if at is None:
        return None
    step, array = recording.steps[at], recording.array(at)
    own = [one for one in recording.of_thread[thread] if one < at]
    if len(own) < _FEW:  # then what others did before is shown too
        own = [one for one in recording.find(ACCESSES) if one < at][-_FEW:]
    others = [one for one in outside if one != at][:_MOST_OTHERS]
    chosen = sorted({*own[-_BEFORE:], at, *(one for one in others if one > at)})
    said, name = where_it_lies(array, step, _known(finding)), f"Thread {recording.thread(at)}"
    line = "".join(recording.source[finding.line - 1 : finding.line])
    expression = line[slice(*finding.columns or (0, 0))].strip() or recording.expression(at)
    return told(
        Shown(
            recording,
            chosen,
            "The steps of the thread up to the access, then the other threads that go outside in the same line.",
            before=1,
        ),
        title=f"where {expression or array.name} lies",
        summary=f"{name} goes outside in line {finding.line}. {said}",
        marks=[recording.remark(at, f"{name}: {said}")],
        questions=_outside_questions(recording, finding, expression, at, chosen[-1], outside),
    )


def where_it_lies(array: TracedArray, step: Step, known: int | None = None) -> str:
    """A sentence or two, with the numbers of elements. `known`: how many there are, where the array's type does not say it."""
    cell, count = step[4] // array.element_bytes, _count(array) or known
    if count is None:
        return f"The address is that of {array.name}[{cell}], which {array.name} does not have."
    if 0 <= cell < count:
        there = array.named(cell * array.element_bytes)
        return (
            f"The subscript is too large for its row. The address is that of {there}, in another row of {array.name}."
        )
    size = f"{array.name} has {' x '.join(map(str, array.dimensions)) or count} elements."
    if cell < 0:
        return f"{size} The address lies {_elements(-cell)} before the first one, {array.named(0)}."
    row = ""
    if len(array.dimensions) == 2:  # noqa: PLR2004 -- rows and columns
        row = f" Counted on, it would be row {cell // array.dimensions[1]}, column {cell % array.dimensions[1]}."
    last = array.named((count - 1) * array.element_bytes)
    return f"{size} The address lies {_elements(cell - count + 1)} behind the last one, {last}.{row}"


def _count(array: TracedArray) -> int | None:
    return math.prod(array.dimensions) if array.dimensions else None


def _known(finding: Finding) -> int | None:
    """How many elements the array has, as the finding says it: of dynamic shared memory the launch decides."""
    said = re.search(r"\bhas (\d{1,12}) elements\b", finding.message)
    return int(said[1]) if said else None


def _elements(count: int) -> str:
    return f"{count:,} element{'s' if count > 1 else ''}"


def _outside_questions(
    recording: Recording, finding: Finding, expression: str, at: int, end: int, outside: Sequence[int]
) -> Iterator[Question | None]:
    step, array = recording.steps[at], recording.array(at)
    cell, count = step[4] // array.element_bytes, _count(array) or _known(finding)
    if count:
        choices = {
            "before": f"before {array.named(0)}, the first element",
            "behind": f"behind {array.named((count - 1) * array.element_bytes)}, the last element",
            "inside": f"inside {array.name}, at {array.named(cell % count * array.element_bytes)}",
        }
        what = f"`{expression}`" if expression else f"the element of {array.name}"
        yield asked(
            at,
            f"Where does {what} lie for thread {recording.thread(at)} in line {finding.line}?",
            choices["before" if cell < 0 else "behind" if cell >= count else "inside"],
            choices.values(),
            where_it_lies(array, step, _known(finding)),
        )
    gone = {recording.steps[one][1] for one in outside}
    inside = recording.find(ACCESSES, array=step[3], line=finding.line)
    stayed = {recording.steps[one][1] for one in inside} - gone
    said = spans(stayed, recording.block) if stayed else ""
    every = recording.threads
    if end > at:
        yield asked(
            end,
            f"Which threads of this block go outside of {array.name} in line {finding.line}?",
            spans(gone, recording.block),
            (said, spans(range(every), recording.block), spans({step[1]}, recording.block)),
            f"{len(gone):,} of {every:,} threads." + (f" {said.capitalize()} stay inside." if stayed else ""),
        )


# Where a subscript past the end of its dimension leads. The executor stops the thread before the access, so that the trace has none; but
# the thread's access before it, in the same line, tells the other subscripts.

_SAID = re.compile(r"uses subscript (-?\d{1,9}) of (\w+), but this dimension has only the subscripts 0 to (\d{1,9})")


def with_overruns(recording: Recording) -> Recording:
    """With a step for each access that a subscript past its dimension would have been, of the threads that the findings name."""
    steps = list(recording.steps)
    for finding in recording.launch.findings:
        said = _SAID.search(finding.message) if finding.kind is Verdict.OUT_OF_BOUNDS else None
        if said is not None and finding.thread is not None:
            thread = thread_number(finding.thread, recording.block)
            _add(recording.trace, steps, finding.line, thread, said[2], int(said[1]), int(said[3]) + 1)
    return replace(recording, trace=recording.trace.model_copy(update={"steps": tuple(steps)}))


def _add(
    trace: Trace, steps: list[Step], line: int | None, thread: int, array: str, subscript: int, extent: int
) -> None:
    own = [number for number, step in enumerate(steps) if step[1] == thread and step[0] != StepKind.BARRIER]
    stop = next((number for number in reversed(own) if steps[number][0] == StepKind.STOP), None)
    before = [
        steps[number]
        for number in own
        if stop is not None
        and number < stop
        and steps[number][0] in ACCESSES
        and trace.arrays[steps[number][3]].name == array
        and trace.places[steps[number][7]].line == line
    ]
    if stop is None or not before:
        return
    _, _, _, number, offset, size, _, place, slot, _ = last = before[-1]
    there = _moved(trace.arrays[number], last, subscript, extent)
    if there is not None and offset != there:
        steps.insert(stop, (StepKind.OUTSIDE, thread, steps[stop][2], number, there, size, 0, place, slot, 0))


def _moved(array: TracedArray, step: Step, subscript: int, extent: int) -> int | None:
    """The offset, if this subscript takes the place of the one that is nearest to it in a dimension of this extent."""
    now = array.index(step[4], step[5])
    possible = [at for at, one in enumerate(array.dimensions) if one == extent and at < len(now)]
    if len(now) != len(array.dimensions) or not possible:
        return None
    at = min(possible, key=lambda one: abs(now[one] - subscript))
    cell = 0
    for dimension, (one, size) in enumerate(zip(now, array.dimensions, strict=True)):
        cell = cell * size + (subscript if dimension == at else one)
    return cell * array.element_bytes
