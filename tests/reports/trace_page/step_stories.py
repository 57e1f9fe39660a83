"""Stories made by hand for tests of the page: a tiled product whose values are known, of any block, and one with a question."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

from grader.explain.story import Mark, Question, Story, StoryArray, StoryElement, StoryPlace, StoryRun, WarpStep
from grader.explain.warp_steps import run_of_trace
from grader.pages.pages import trace_page
from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace

FILE = "tiled.cu"
SOURCE = (
    "__global__ void tiled(const float* A, const float* B, float* C, int n) {",
    "  __shared__ float As[TILE][TILE], Bs[TILE][TILE];",
    "  for (int start = 0; start < n; start += TILE) {",
    "    As[ty][tx] = A[row * n + start + tx];",
    "    Bs[ty][tx] = B[(start + ty) * n + col];",
    "    __syncthreads();",
    "    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];",
    "    __syncthreads();",
    "  }",
    "  C[row * n + col] = sum;  // </script><b>not markup</b>",
    "}",
)
_A, _B, _C, _AS, _BS = range(5)


def bits_of(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def tiled_trace(tile: int, side: int) -> Trace:
    """Block (0,0) of a product of `side` x `side` matrices, as the executor records it: one thread after the other."""
    arrays = [
        TracedArray(name=name, space="global", element="float", element_bytes=4, dimensions=(side, side))
        for name in ("A", "B", "C")
    ]
    arrays += [
        TracedArray(name=name, space="shared", element="float", element_bytes=4, dimensions=(tile, tile), base=0)
        for name in ("As", "Bs")
    ]
    lines = (4, 5, 6, 7, 8, 10)
    places = tuple(TracedPlace(file=FILE, function="tiled", line=line) for line in lines)
    steps: list[Step] = []
    memory: dict[tuple[int, int], float] = {}

    def add(kind: StepKind, thread: int, interval: int, array: int, at: int, place: int, slot: int) -> float:
        value = memory.get((array, at), float((7 * at + array) % 50))
        steps.append((kind, thread, interval, array, 4 * at, 4, bits_of(value), place, slot, 0))
        return value

    sums = [0.0] * tile * tile
    for phase in range(side // tile):
        start, interval, slot = phase * tile, 2 * phase, phase * 100
        for thread in range(tile * tile):
            y, x = divmod(thread, tile)
            for array, source, at, place in ((_AS, _A, y * side + start + x, 0), (_BS, _B, (start + y) * side + x, 1)):
                memory[array, thread] = add(StepKind.READ, thread, interval, source, at, place, slot + 2 * place)
                add(StepKind.WRITE, thread, interval, array, thread, place, slot + 2 * place + 1)
        steps.append((StepKind.BARRIER, 0, interval, 0, 0, 0, 0, 2, 0, 0))
        for thread in range(tile * tile):
            y, x = divmod(thread, tile)
            for k in range(tile):
                one = add(StepKind.READ, thread, interval + 1, _AS, y * tile + k, 3, slot + 10 + k)
                sums[thread] += one * add(StepKind.READ, thread, interval + 1, _BS, k * tile + x, 3, slot + 50 + k)
        steps.append((StepKind.BARRIER, 0, interval + 1, 0, 0, 0, 0, 4, 0, 0))
    for thread in range(tile * tile):
        y, x = divmod(thread, tile)
        memory[_C, y * side + x] = sums[thread]
        add(StepKind.WRITE, thread, 2 * (side // tile), _C, y * side + x, 5, 9999)
    return Trace(arrays=tuple(arrays), places=places, steps=tuple(steps), complete=True)


def tiled_run(tile: int = 4, side: int = 8, title: str = "As it ran") -> StoryRun:
    return run_of_trace(tiled_trace(tile, side), (tile, tile, 1), FILE, title=title, schedule="In order.")[0]


def tiled_story(tile: int = 4, side: int = 8) -> Story:
    return Story(
        title="A product in tiles",
        summary="Thread (0,0) loads `A[0][0]`.",
        file=FILE,
        source=SOURCE,
        grid=(side // tile, side // tile, 1),
        block=(tile, tile, 1),
        at=(0, 0, 0),
        shape=f"M={side} N={side} K={side}",
        inputs="whole numbers",
        runs=(tiled_run(tile, side),),
    )


def two_orders() -> Story:
    """Two runs beside each other, with a remark and a question: the second run lacks its first two steps."""
    story = tiled_story()
    run = story.runs[0]
    mark = Mark(3, "Here they differ.", "bad", (1,), (StoryElement(3, 4),))
    other = replace(run, title="The other order", steps=run.steps[2:], marks=(mark,))
    question = Question(0, 5, "What will As[0][1] hold?", ("7", "0", "nothing"), 0, "Thread (1,0) has stored it.")
    return replace(story, runs=(run, other), questions=(question,))


def two_blocks() -> Story:
    """Two threads (2,1) of two blocks read A[1][2] one after the other, in both orders."""
    story = tiled_story()
    run = story.runs[0]
    read = next(step for step in run.steps if step.kind is StepKind.READ and 6 in step.lanes)
    one = replace(read, lanes=(6,), offsets=(24,), bits=(bits_of(20.0),))
    other = replace(one, warp=32)
    runs = tuple(
        replace(run, title=title, steps=steps, marks=()) for title, steps in (("A", (one, other)), ("B", (other, one)))
    )
    return replace(story, runs=runs, beside=(1, 0, 0), start=0)


def reaching_outside() -> Story:
    """The block ends with a thread that reaches before an array of which it uses nothing."""
    story = tiled_story()
    run = story.runs[0]
    array = StoryArray("D", "global", "float", 4, (8, 8))
    step = WarpStep(StepKind.OUTSIDE, 0, 4, 5, len(run.arrays), 4, 1, (1,), (-4,), (None,))
    return replace(story, runs=(replace(run, arrays=(*run.arrays, array), steps=(*run.steps, step)),))


def standing_apart() -> Story:
    """Sixteen threads of which some wait in line 6, one waits in line 8, two have left, and one was stopped; then a shuffle."""
    story = tiled_story()
    (run,) = story.runs
    places = (
        *run.places,
        StoryPlace(6),
        StoryPlace(8),
        StoryPlace(0),
        StoryPlace(10, calls="a shuffle", element="float"),
    )
    at = len(run.places)
    zeros = (0,) * 16
    steps = (
        run.steps[0],
        WarpStep(StepKind.STOP, 0, 0, at, lanes=(3,), offsets=zeros[:1]),
        WarpStep(StepKind.WAIT, 0, 0, at, lanes=tuple(range(4, 16)), offsets=zeros[:12]),
        WarpStep(StepKind.WAIT, 0, 0, at + 1, lanes=(0,), offsets=zeros[:1]),
        WarpStep(StepKind.LEAVE, 0, 0, at + 2, lanes=(1, 2), offsets=zeros[:2]),
        WarpStep(StepKind.BARRIER, -1, 0, at),
        WarpStep(StepKind.EXCHANGE, 0, 1, at + 3, lanes=(4, 5), offsets=(5, 6), bits=(bits_of(1.5), None)),
    )
    return replace(story, runs=(replace(run, places=places, steps=steps, marks=()),), start=0)


def written(folder: Path, story: Story) -> Path:
    file = folder / "trace.html"
    file.write_text(trace_page(story), encoding="utf-8")
    return file
