"""Recorded steps of threads as steps of warps."""

from __future__ import annotations

from grader.explain.page_block import page_arrays
from grader.explain.story import StoryRun
from grader.explain.warp_steps import run_of_trace
from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace

_SHARED, _GLOBAL = 0, 1
_BYTES = 4
_POISON = 0xFFFFFFFF


def _step(  # noqa: PLR0913 -- a number for each
    thread: int,
    *,
    kind: StepKind = StepKind.READ,
    interval: int = 0,
    array: int = _GLOBAL,
    at: int = 0,
    bits: int = 7,
    slot: int = 0,
    part: int = 0,
) -> Step:
    return (kind, thread, interval, array, at, _BYTES, bits, 0, slot, part)


def _run(*steps: Step, block: tuple[int, int, int] = (64, 1, 1)) -> StoryRun:
    arrays = (
        TracedArray(name="As", space="shared", element="float", element_bytes=_BYTES, dimensions=(8, 8)),
        TracedArray(name="A", space="global", element="float", element_bytes=_BYTES),
    )
    places = (
        TracedPlace(file="a.cu", function="k", line=5),
        TracedPlace(file="a.cu", function="k", line=6, calls="a shuffle", element="float"),
    )
    trace = Trace(arrays=arrays, places=places, steps=steps, complete=True)
    return run_of_trace(trace, block, "a.cu", title="", schedule="")[0]


def test_lanes_with_one_slot_are_one_step_and_each_warp_has_its_own() -> None:
    run = _run(*(_step(thread, at=4 * thread) for thread in range(64)))
    assert [(one.warp, len(one.lanes)) for one in run.steps] == [(0, 32), (1, 32)]
    assert run.steps[1].offsets[:2] == (128, 132)
    assert run.steps[0].cost is not None
    assert run.steps[0].cost.count == 4


def test_a_lane_that_skips_an_iteration_is_matched_with_the_same_iteration_of_others() -> None:
    run = _run(_step(0, slot=1), _step(0, slot=2), _step(0, slot=3), _step(1, slot=1), _step(1, slot=3))
    assert [one.lanes for one in run.steps] == [(0, 1), (0,), (0, 1)]


def test_each_thread_keeps_its_order_where_branches_part() -> None:
    run = _run(_step(0, slot=1), _step(0, slot=9), _step(1, slot=1), _step(1, slot=5), _step(1, slot=9))
    assert [one.lanes for one in run.steps] == [(0, 1), (1,), (0, 1)]


def test_the_same_instruction_again_is_another_step() -> None:
    run = _run(_step(0, at=0), _step(0, at=4), _step(1, at=8), _step(1, at=12))
    assert [one.offsets for one in run.steps] == [(0, 8), (4, 12)]


def test_two_lanes_that_do_things_in_opposite_order_are_never_turned_round() -> None:
    run = _run(_step(0, slot=1), _step(0, slot=2), _step(1, slot=2), _step(1, slot=1))
    order = {lane: [number for number, one in enumerate(run.steps) if lane in one.lanes] for lane in (0, 1)}
    slots = [one.lanes for one in run.steps]
    assert sum(len(lanes) for lanes in slots) == 4
    assert all(steps == sorted(steps) and len(steps) == 2 for steps in order.values())


def test_parts_of_an_access_are_one_step() -> None:
    run = _run(*(_step(0, at=4 * part, bits=part, part=part) for part in range(4)))
    assert [(one.parts, one.bits) for one in run.steps] == [(4, (0, 1, 2, 3))]


def test_a_barrier_stands_between_the_intervals_and_warps_stand_one_after_the_other() -> None:
    barrier: Step = (StepKind.BARRIER, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    run = _run(_step(40), _step(0), barrier, _step(0, interval=1))
    assert [(one.kind, one.warp) for one in run.steps] == [
        (StepKind.READ, 1),
        (StepKind.READ, 0),
        (StepKind.BARRIER, -1),
        (StepKind.READ, 0),
    ]


def test_shared_memory_that_nobody_wrote_has_no_value() -> None:
    run = _run(
        _step(0, array=_SHARED, bits=_POISON, slot=1),
        _step(0, array=_SHARED, kind=StepKind.WRITE, at=4, bits=9, slot=2),
        _step(1, array=_SHARED, at=4, bits=9, slot=3),
    )
    assert [one.bits for one in run.steps] == [(None,), (9,), (9,)]


def test_what_global_memory_held_before_is_what_was_read_first() -> None:
    write = _step(0, kind=StepKind.WRITE, at=8, bits=2, slot=2)
    run = _run(_step(0, at=0, bits=1, slot=1), write, _step(1, at=8, bits=2, slot=3))
    assert run.arrays[_GLOBAL].initial == {0: (1, _BYTES)}
    assert run.arrays[_SHARED].initial == {}


def test_a_struct_is_shown_in_units_of_what_is_read_of_it() -> None:
    struct = TracedArray(name="A", space="global", element="Huge", element_bytes=1 << 26)
    steps: tuple[Step, ...] = ((0, 0, 0, 0, 8, 8, 5, 0, 0, 0), (0, 0, 0, 0, 4, 4, 6, 0, 1, 0))
    (array,) = page_arrays(Trace(arrays=(struct,), places=(), steps=steps, complete=True), range(len(steps)))
    assert (array.element_bytes, array.element) == (4, "float")


def test_a_number_of_barriers_that_is_only_claimed_takes_no_time() -> None:
    barrier: Step = (StepKind.BARRIER, 0, 1 << 31, 0, 0, 0, 0, 0, 0, 0)
    run = _run(_step(0, interval=(1 << 32) - 1), barrier, _step(1))
    assert [one.interval for one in run.steps] == [0, 1 << 31, (1 << 32) - 1]


def test_threads_that_the_block_does_not_have_are_left_out() -> None:
    assert len(_run(_step(9), _step(3), block=(4, 1, 1)).steps) == 1


def test_lanes_that_wait_at_one_place_or_have_left_are_steps_before_the_barrier() -> None:
    barrier: Step = (StepKind.BARRIER, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    waits: list[Step] = [(StepKind.WAIT, thread, 0, 0, 0, 0, 0, 0, 1, 0) for thread in (0, 1, 40)]
    left: Step = (StepKind.LEAVE, 2, 0, 0, 0, 0, 0, 1, 2, 0)
    run = _run(_step(0, slot=9), *waits[:2], left, waits[2], barrier)
    assert [(one.kind, one.warp, one.lanes) for one in run.steps] == [
        (StepKind.READ, 0, (0,)),
        (StepKind.WAIT, 0, (0, 1)),
        (StepKind.LEAVE, 0, (2,)),
        (StepKind.WAIT, 1, (8,)),
        (StepKind.BARRIER, -1, ()),
    ]
    assert all(one.array == -1 and len(one.offsets) == len(one.lanes) for one in run.steps[1:])


def test_a_shuffle_is_one_step_of_its_lanes_with_what_each_gets_from_which() -> None:
    lanes: list[Step] = [
        (StepKind.EXCHANGE, 0, 0, 0, 1, 4, 70, 1, 3, 0),
        (StepKind.EXCHANGE, 1, 0, 0, 2, 0, 0, 1, 3, 0),  # lane 2 is not there
    ]
    (step,) = _run(*lanes).steps
    assert (step.kind, step.lanes, step.offsets, step.bits) == (StepKind.EXCHANGE, (0, 1), (1, 2), (70, None))
    assert step.array == -1
    assert step.cost is None
