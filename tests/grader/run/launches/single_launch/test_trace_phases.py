"""What a trace is interpreted as, where the process that runs the submission claims too much."""

from __future__ import annotations

from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace, TraceIndex, block_trace


def test_intervals_that_are_only_claimed_are_left_out() -> None:
    arrays = (TracedArray(name="A", space="global", element="float", element_bytes=4),)
    far = (1 << 32) - 1
    steps: tuple[Step, ...] = tuple(
        (int(kind), 0, interval, 0, 0, 4, 7, 0, 0, 0)
        for interval in (0, far)
        for kind in (StepKind.READ, StepKind.BARRIER)
    )
    places = (TracedPlace(file="a.cu", function="k", line=5),)
    made = block_trace(Trace(arrays=arrays, places=places, steps=steps, complete=True), (), (32, 1, 1), "a.cu")
    assert [one.barrier for one in made.intervals] == [5, None]
    assert "more barriers than can be shown" in made.left_out


def test_a_write_has_the_first_unused_read_of_its_value_and_its_line_comes_before_others() -> None:
    arrays = tuple(
        TracedArray(name=name, space=space, element="int", element_bytes=4)
        for name, space in (("in", "global"), ("tile", "shared"))
    )
    places = tuple(TracedPlace(file="k.cu", function="k", line=line) for line in (1, 2))

    def step(kind: StepKind, of: tuple[int, int], value: int, place: int, thread: int = 0) -> Step:
        return int(kind), thread, 0, of[0], 4 * of[1], 4, value, place, 0, 0

    steps = (
        step(StepKind.READ, (0, 0), 7, 0),
        step(StepKind.READ, (0, 1), 7, 1),
        step(StepKind.READ, (0, 2), 7, 0, thread=1),
        step(StepKind.WRITE, (1, 0), 7, 1),  # the read of its line
        step(StepKind.WRITE, (1, 1), 7, 1),  # the one that is left
        step(StepKind.WRITE, (1, 0), 7, 1),  # none is left: another thread's is no candidate
        step(StepKind.READ, (0, 3), 5, 1),
        step(StepKind.WRITE, (1, 2), 6, 1),  # made of the only read in its line
        step(StepKind.READ, (1, 0), 7, 0, thread=1),
    )
    index = TraceIndex(Trace(arrays=arrays, places=places, steps=steps, complete=True))
    assert index.loaded == {3: 1, 4: 0}
    assert index.made_of == {7: 6}
    assert index.used == {0, 1, 6}
    assert index.writer == {5: 3, 8: 5}
