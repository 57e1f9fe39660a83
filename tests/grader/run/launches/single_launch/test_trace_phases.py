"""What a trace is interpreted as, where the process that runs the submission claims too much."""

from __future__ import annotations

from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace, block_trace


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
