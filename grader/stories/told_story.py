"""What every story of a mistake is framed in, and words that several of them use. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.model.result import Finding
from grader.single_launch.trace_steps import Step, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Index3, Question, Story, StoryRun

StoryKind = Literal["barrier", "lanes", "unset", "outside", "sum", "copy", "untouched"]
_MOST_SPANS = 3


@dataclass(frozen=True)
class ToldStory:
    kind: StoryKind
    finding: Finding | None  # None: of a wrong element
    story: Story


def framed(  # noqa: PLR0913 -- what differs from story to story
    traced: TracedLaunch,
    source: Sequence[str],
    run: StoryRun,
    *,
    title: str,
    summary: str,
    questions: Sequence[Question],
    start: int = 0,
) -> Story | None:
    launch = traced.report.launch
    if launch.grid is None or launch.block is None or not run.steps:
        return None
    return Story(
        title=f"{traced.name}: {title}",
        summary=summary,
        file=traced.file,
        source=tuple(source),
        grid=launch.grid,
        block=launch.block,
        at=traced.request.block,
        shape=launch.shape,
        inputs=launch.inputs,
        runs=(run,),
        questions=tuple(questions),
        tone="bad",
        start=max(0, min(start, len(run.steps) - 1)),
    )


def asked(step: int, text: str, right: str, others: Iterable[str], explanation: str) -> Question | None:
    """Choices in an order that does not tell which is right. None where there is nothing to tell apart."""
    choices = tuple(sorted({right, *(one for one in others if one)}))
    if len(choices) < 2:  # noqa: PLR2004 -- a choice
        return None
    return Question(0, step, text, choices, choices.index(right), explanation)


def line_of(trace: Trace, step: Step, file: str) -> int:
    """0: in another file."""
    place = trace.places[step[7]]
    return place.line if place.file == file else 0


def element_name(trace: Trace, step: Step) -> str:
    array = trace.arrays[step[3]]
    return array.name + "".join(f"[{one}]" for one in array.index(step[4], step[5]))


def thread_name(thread: int, block: Index3) -> str:
    x, y, z = thread % block[0], thread // block[0] % block[1], thread // block[0] // block[1]
    return f"({x},{y},{z})" if block[2] > 1 else f"({x},{y})"


def spans(threads: Iterable[int], block: Index3) -> str:
    """`thread (0,0)`, `threads (0,0) to (15,7)`, `threads with x from 4 to 15 and y from 0 to 15`, `all threads but (0,0)`."""
    chosen = sorted(set(threads))
    runs = _runs(chosen)
    names = [thread_name(a, block) + (f" to {thread_name(b, block)}" if b > a else "") for a, b in runs]
    if len(names) <= _MOST_SPANS:
        return ("thread " if len(chosen) == 1 else "threads ") + ", ".join(names)
    if box := _box(chosen, block):
        return f"threads with {box}"
    others = sorted(set(range(block[0] * block[1] * block[2])) - set(chosen))
    if len(others) <= _MOST_SPANS:
        return f"all threads but {', '.join(thread_name(one, block) for one in others)}"
    return f"threads {', '.join(names[:_MOST_SPANS])} and {len(names) - _MOST_SPANS} more groups"


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for one in numbers:
        if found and found[-1][1] == one - 1:
            found[-1] = found[-1][0], one
        else:
            found.append((one, one))
    return found


def _box(threads: Sequence[int], block: Index3) -> str:
    """Where they are all threads of a range in each direction; empty where they are not."""
    x, y = block[0], block[1]
    axes = [
        sorted({one % x for one in threads}),
        sorted({one // x % y for one in threads}),
        sorted({one // x // y for one in threads}),
    ]
    if any(axis[-1] - axis[0] + 1 != len(axis) for axis in axes):
        return ""
    if len(axes[0]) * len(axes[1]) * len(axes[2]) != len(threads):
        return ""
    said = [
        f"{name} from {axis[0]} to {axis[-1]}" if len(axis) > 1 else f"{name} = {axis[0]}"
        for name, axis, extent in zip("xyz", axes, block, strict=True)
        if extent > 1
    ]
    return " and ".join(said)
