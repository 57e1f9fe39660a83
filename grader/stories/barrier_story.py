"""The story of a barrier, or a warp operation, that some threads never reach: who waits where, and where the others are. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.model.result import Finding
from grader.single_launch.trace_steps import ACCESSES, StepKind, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Index3, Mark, PageStepKind, Question, Story, StoryRun
from grader.step_page.warp_steps import run_of_trace
from grader.stories.told_story import asked, framed, line_of, spans

_TOGETHER = frozenset({StepKind.WAIT, StepKind.LEAVE})  # what is recorded at one moment
_GONE = frozenset({StepKind.LEAVE, StepKind.STOP})
_BEFORE = 3  # accesses of each thread that are shown before it stands
_SCHEDULE = "The last accesses of each thread before the barrier, and where the threads are when nobody can go on."
Place = tuple[StepKind, int]  # what a thread does, and in which line


def barrier_story(traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    """None where the trace does not show who is missing."""
    trace, block, file = traced.report.trace, traced.report.launch.block, traced.file
    if trace is None or block is None:
        return None
    moment, line = _standstill(trace, finding, file)
    places = _places(trace, moment, file)
    here = places.pop((StepKind.WAIT, line), [])
    missing = sorted(thread for threads in places.values() for thread in threads)
    if not here or not missing:
        return None
    run = run_of_trace(_cut(trace, moment), block, file, title="Who waits where", schedule=_SCHEDULE)
    stands = [
        at
        for at, step in enumerate(run.steps)
        if step.kind in {PageStepKind.WAIT, PageStepKind.LEAVE, PageStepKind.STOP}
    ]
    if not stands:
        return None
    where = _where(places)
    summary = f"{_said(here, block)} {_waits(here)} in line {line}. {_groups(places, block)}"
    return framed(
        traced,
        source,
        _marked(
            run,
            stands,
            line,
            f"{_said(missing, block)} never {'come' if len(missing) > 1 else 'comes'} to line {line}: {where}.",
        ),
        title=f"who waits where at line {line}",
        summary=f"{summary} On a GPU such a block may hang, or go on with data that are not there yet.",
        questions=list(_questions(run, stands, here, missing, line, where, block)),
        start=max(0, stands[0] - 1),
    )


def _standstill(trace: Trace, finding: Finding, file: str) -> tuple[range, int]:
    """The steps of one moment at which somebody waits in vain in the finding's line, or else anywhere; and the line."""
    waits = [(at, line_of(trace, step, file)) for at, step in enumerate(trace.steps) if step[0] == StepKind.WAIT]
    lines = (finding.line, finding.other.line if finding.other else None)
    found = [one for line in lines for one in waits if one[1] == line]
    at, line = next(iter(found or waits), (-1, 0))
    if at < 0:
        return range(0), 0
    first = last = at
    while first > 0 and trace.steps[first - 1][0] in _TOGETHER:
        first -= 1
    while last + 1 < len(trace.steps) and trace.steps[last + 1][0] in _TOGETHER:
        last += 1
    return range(first, last + 1), line


def _places(trace: Trace, moment: range, file: str) -> dict[Place, list[int]]:
    """Where each thread stands then: also those that were gone before."""
    last: dict[int, Place] = {}
    for at, step in enumerate(trace.steps[: moment.stop]):
        if at in moment or step[0] in _GONE:
            last[step[1]] = StepKind(step[0]), line_of(trace, step, file)
    found: dict[Place, list[int]] = defaultdict(list)
    for thread, place in sorted(last.items()):
        found[place].append(thread)
    return found


def _cut(trace: Trace, moment: range) -> Trace:
    """That moment, the last accesses of its threads before it, and the barrier that follows."""
    interval = trace.steps[moment.start][2]
    threads = {trace.steps[at][1] for at in moment}
    last: dict[int, list[int]] = defaultdict(list)
    kept = set(moment)
    for at, step in enumerate(trace.steps[: moment.start]):
        if step[2] == interval and step[0] in ACCESSES and step[1] in threads:
            last[step[1]].append(at)
        elif step[0] in _GONE:
            kept.add(at)
    kept.update(at for own in last.values() for at in own[-_BEFORE:])
    if moment.stop < len(trace.steps) and trace.steps[moment.stop][0] == StepKind.BARRIER:
        kept.add(moment.stop)
    return trace.model_copy(update={"steps": tuple(trace.steps[at] for at in sorted(kept))})


def _marked(run: StoryRun, stands: Sequence[int], line: int, text: str) -> StoryRun:
    at = next((one for one in stands if run.places[run.steps[one].place].line == line), stands[0])
    return replace(run, marks=(Mark(at, text, "bad"),))


def _said(threads: Sequence[int], block: Index3) -> str:
    return spans(threads, block).capitalize()


def _waits(threads: Sequence[int]) -> str:
    return "wait" if len(threads) > 1 else "waits"


def _where(places: Mapping[Place, Sequence[int]]) -> str:
    return " and ".join(_place(place, threads) for place, threads in sorted(places.items()))


def _place(place: Place, threads: Sequence[int]) -> str:
    kind, line = place
    many = len(threads) > 1
    if kind is StepKind.WAIT:
        return f"{'they wait' if many else 'it waits'} in line {line}"
    if kind is StepKind.STOP:
        return f"{'they were' if many else 'it was'} stopped" + (f" in line {line}" if line else "")
    return f"{'they have' if many else 'it has'} left the kernel" + (f" by line {line}" if line else " at its end")


def _groups(places: Mapping[Place, Sequence[int]], block: Index3) -> str:
    said = (
        (_said(threads, block), _place(place, threads).partition(" ")[2]) for place, threads in sorted(places.items())
    )
    return " ".join(f"{who} {does}." for who, does in said)


def _questions(  # noqa: PLR0913, PLR0917 -- what is known of the standstill
    run: StoryRun,
    stands: Sequence[int],
    here: Sequence[int],
    missing: Sequence[int],
    line: int,
    where: str,
    block: Index3,
) -> Iterator[Question]:
    who = asked(
        stands[0],
        f"Which threads never reach line {line}, where others wait for them?",
        spans(missing, block),
        (spans(here, block), f"none: all {len(here) + len(missing)} threads reach it"),
        f"{where.capitalize()}.",
    )
    if who is not None:
        yield who
    end = len(run.steps) - 1
    many = len(missing) > 1
    others = (
        f"{'they wait' if many else 'it waits'} in line {line}",
        f"{'they have' if many else 'it has'} left the kernel at its end",
        f"{'they are' if many else 'it is'} only late: the barrier waits until {'they come' if many else 'it comes'}",
    )
    ask = asked(
        end,
        f"Where is {spans(missing, block)} meanwhile?" if not many else "Where are these threads meanwhile?",
        where,
        others,
        "So nobody comes for whom the others could wait.",
    )
    if ask is not None and end > stands[0]:
        yield ask
