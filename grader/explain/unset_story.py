"""The story of a read of what nobody has written: who reads it, who writes it too late or never, and who would by the formula by which
the others write. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.expected_access import thread_at, thread_index
from grader.explain.story import (
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    StoryRun,
    asked,
    element_name,
    framed,
    line_of,
    spans,
    thread_name,
    thread_number,
)
from grader.explain.trace_story import run_of_threads
from grader.model.result import Finding
from grader.run.launches.trace_phases import CHANGES, Step, StepKind, Trace, coefficients
from grader.run.launches.trace_phases import Index3 as Thread3
from grader.run.launches.tracing import TracedLaunch

_BEFORE, _AFTER = 10, 3  # steps of the reader
_OF_OTHERS = 6
_MOST_LINES = 8  # that write the array, in which a formula is looked for
_SCHEDULE = "The steps of the thread that reads, and of those that write the array, as they ran."
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

    trace: Trace
    block: Index3
    file: str
    thread: int
    at: int  # its place in the trace
    later: tuple[int, ...]  # writes of the element after it
    writer: _Writer | None

    @property
    def step(self) -> Step:
        return self.trace.steps[self.at]

    @property
    def name(self) -> str:
        return element_name(self.trace, self.step)

    @property
    def only_reads(self) -> bool:
        """Otherwise it adds to what nobody has set, or changes it in another way, atomically."""
        return self.step[0] == StepKind.READ

    @property
    def reader(self) -> str:
        return self.thread_name(self.thread)

    @property
    def line(self) -> int:
        return self.line_of(self.at)

    @property
    def element(self) -> StoryElement:
        return StoryElement(self.step[3], self.step[4])

    def thread_name(self, thread: int) -> str:
        return thread_name(thread, self.block)

    def line_of(self, at: int) -> int:
        return line_of(self.trace, self.trace.steps[at], self.file)

    @property
    def writes(self) -> list[int]:
        """Of the array, anywhere in the trace."""
        return [at for at, step in enumerate(self.trace.steps) if step[0] in CHANGES and step[3] == self.step[3]]


def unset_story(traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    read = _read(traced, finding)
    if read is None:
        return None
    chosen = _chosen(read)
    at = chosen.index(read.at)
    run = run_of_threads(read.trace, chosen, read.file, title="As it ran", schedule=_SCHEDULE)
    who = _who(read)
    return framed(
        traced,
        source,
        replace(
            _as_unset(run, at, read.element), marks=tuple(sorted(_marks(read, chosen), key=lambda mark: mark.step))
        ),
        title=f"who should have written {read.name}",
        summary=f"{_does(read)} in line {read.line} and finds {_NOTHING}. {who}",
        questions=list(_questions(read, at, len(chosen) - 1, who)),
        start=max(0, at - 2),
    )


def _does(read: _Read) -> str:
    return f"Thread {read.reader} {'reads' if read.only_reads else 'changes'} {read.name}"


def _read(traced: TracedLaunch, finding: Finding) -> _Read | None:
    trace, block, file = traced.report.trace, traced.report.launch.block, traced.file
    if trace is None or block is None or finding.thread is None or finding.array is None:
        return None
    thread = thread_number(finding.thread, block)
    at = next(_reads(trace, thread, finding, file), None)
    if at is None:
        return None
    kind, key = trace.steps[at][0], trace.steps[at][3:5]
    sets = CHANGES if kind == StepKind.READ else {StepKind.WRITE}  # one more addition does not set it
    later = [
        one for one in range(at + 1, len(trace.steps)) if trace.steps[one][0] in sets and trace.steps[one][3:5] == key
    ]
    return _Read(trace, block, file, thread, at, tuple(later), _by_formula(trace, at, block, file))


def _marks(read: _Read, chosen: Sequence[int]) -> Iterator[Mark]:
    does, done = ("reads", "written") if read.only_reads else ("changes", "set")
    text = f"Thread {read.reader} {does} {read.name}, which nobody has {done}: it finds {_NOTHING}."
    yield Mark(chosen.index(read.at), text, "bad", (read.thread,), (read.element,))
    if read.writer is not None and read.writer.writes is not None:
        does = element_name(read.trace, read.trace.steps[read.writer.writes])
        text = f"Thread {read.thread_name(read.writer.thread)} writes {does} here."
        yield Mark(chosen.index(read.writer.writes), text, "note", (read.writer.thread,))
    if read.later:
        by = read.trace.steps[read.later[0]][1]
        yield Mark(chosen.index(read.later[0]), f"Only now {read.name} is written.", "note", (by,), (read.element,))


def _reads(trace: Trace, thread: int, finding: Finding, file: str) -> Iterator[int]:
    """Of this thread in this line: of the element that the finding names, else of one that nobody has written before."""
    written: set[tuple[int, int]] = set()
    unset: list[int] = []
    for number, step in enumerate(trace.steps):
        key = step[3], step[4]
        if (
            step[0] in {StepKind.READ, StepKind.ATOMIC}
            and step[1] == thread
            and trace.arrays[step[3]].name == finding.array
            and line_of(trace, step, file) == finding.line
            and key not in written
        ):
            if _is_named(trace, step, finding.element):
                yield number
            unset.append(number)
        if step[0] in CHANGES:
            written.add(key)
    if unset and trace.arrays[trace.steps[unset[0]][3]].space == "shared":
        yield unset[0]


def _is_named(trace: Trace, step: Step, element: str | None) -> bool:
    """Findings name an element of global memory by one subscript."""
    array = trace.arrays[step[3]]
    return element in {element_name(trace, step), f"{array.name}[{step[4] // array.element_bytes}]"}


def _by_formula(trace: Trace, read: int, block: Index3, file: str) -> _Writer | None:
    array, offset, size = trace.steps[read][3:6]
    wanted = trace.arrays[array].index(offset, size)
    writes: dict[int, dict[Thread3, int]] = defaultdict(dict)
    for number, step in enumerate(trace.steps):
        if step[0] in CHANGES and step[3] == array:
            writes[line_of(trace, step, file)].setdefault(thread_index(step[1], block), number)
    for line, of_threads in sorted(writes.items())[:_MOST_LINES]:
        if line == 0 or len(of_threads) < 2:  # noqa: PLR2004 -- a formula needs two
            continue
        found = _solved(trace, of_threads, wanted, block)
        if found is not None:
            return _Writer(found, line, of_threads.get(thread_index(found, block)))
    return None


def _solved(trace: Trace, writes: dict[Thread3, int], wanted: Sequence[int], block: Index3) -> int | None:
    subscripts = {
        thread: trace.arrays[trace.steps[at][3]].index(trace.steps[at][4], trace.steps[at][5])
        for thread, at in writes.items()
    }
    if any(len(one) != len(wanted) for one in subscripts.values()):
        return None
    formulas = [coefficients({thread: one[at] for thread, one in subscripts.items()}) for at in range(len(wanted))]
    found = thread_at(formulas, wanted, block)
    return None if found is None else thread_number(found, block)


def _chosen(read: _Read) -> list[int]:
    steps = read.trace.steps
    own = [at for at, step in enumerate(steps) if step[1] == read.thread and step[0] != StepKind.BARRIER]
    place = own.index(read.at)
    chosen = {*own[max(0, place - _BEFORE) : place + _AFTER + 1], *read.later[:1]}
    others = [at for at in read.writes if at < read.at]
    chosen.update(others[:_OF_OTHERS])
    chosen.update(others[-_OF_OTHERS:])
    if read.writer is not None and read.writer.writes is not None:
        chosen.add(read.writer.writes)
    chosen.update(at for at in range(min(chosen), max(chosen)) if steps[at][0] == StepKind.BARRIER)
    return sorted(chosen)


def _as_unset(run: StoryRun, at: int, element: StoryElement) -> StoryRun:
    """The read brings no value, and the element holds none at first."""
    steps = list(run.steps)
    steps[at] = replace(steps[at], bits=(None,))
    arrays = list(run.arrays)
    array = arrays[element.array]
    initial = {offset: held for offset, held in array.initial.items() if offset != element.offset}
    arrays[element.array] = replace(array, initial=initial)
    return replace(run, steps=tuple(steps), arrays=tuple(arrays))


def _who(read: _Read) -> str:
    writer = read.writer
    if read.later:
        by = read.thread_name(read.trace.steps[read.later[0]][1])
        said = f"Thread {by} writes it later, in line {read.line_of(read.later[0])}: too late for this read."
    else:
        said = f"No thread of this block ever {'writes' if read.only_reads else 'sets'} {read.name}."
    if writer is None:
        return said + _written(read) if read.only_reads and not read.later else said
    if read.later and read.trace.steps[read.later[0]][1] == writer.thread:
        return said
    would = (
        f"By the formula of the others in line {writer.line}, thread {read.thread_name(writer.thread)} would write it"
    )
    if writer.writes is not None:
        return f"{said} {would}, but not in this pass."
    gone = (at for at, step in enumerate(read.trace.steps) if step[0] == StepKind.LEAVE and step[1] == writer.thread)
    if (left := next(gone, None)) is None:
        return f"{said} {would}, but it never writes anything there."
    by = f" by line {read.line_of(left)}" if read.line_of(left) else " before"
    return f"{said} {would}, but it has left the kernel{by}."


def _written(read: _Read) -> str:
    """Which elements of the array are written at all."""
    array = read.trace.arrays[read.step[3]].name
    cells = [read.trace.steps[at] for at in read.writes]
    if not cells:
        return f" Nobody writes to {array} at all."
    first, last = min(cells, key=lambda one: one[4]), max(cells, key=lambda one: one[4])
    names = element_name(read.trace, first), element_name(read.trace, last)
    return f" What its threads write of {array} lies between {names[0]} and {names[1]}."


def _questions(read: _Read, at: int, end: int, who: str) -> Iterator[Question]:
    shared = read.trace.arrays[read.step[3]].space == "shared"
    gets = asked(
        at,
        f"What does thread {read.reader} find in {read.name} in line {read.line}?",
        _NOTHING,
        (
            "0: memory begins with zeros",
            "the value that another thread has written",
            "it waits until somebody writes it",
        ),
        ("Shared memory" if shared else "The memory of a result")
        + " is never cleared: it holds what was there before.",
    )
    if gets is not None:
        yield gets
    right = nobody = "no thread of this block"
    if read.later:
        by = read.thread_name(read.trace.steps[read.later[0]][1])
        right = f"thread {by}, but only later, in line {read.line_of(read.later[0])}"
    would = ""
    if read.writer is not None:
        would = f"thread {read.thread_name(read.writer.thread)}, before the read, in line {read.writer.line}"
    wrote = {read.trace.steps[one][1] for one in read.writes}
    others = (nobody, would, f"each of {spans(wrote, read.block)}" if len(wrote) > 1 else f"thread {read.reader}")
    verb = "writes" if read.only_reads else "sets"
    writes = asked(end, f"Who {verb} {read.name}?", right, others, who)
    if writes is not None and end > at:
        yield writes
