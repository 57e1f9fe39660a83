"""Elements by their names, and the steps that findings speak of."""

from __future__ import annotations

import pytest

from grader.explain.mistake_stories import marks_of
from grader.explain.recording import Recording
from grader.explain.story import Mark
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.lab_launch import Traced, TraceRequest
from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace, TraceReport

_FILE = "a.cu"
_SHARED, _LIST = 0, 1
_ARRAYS = (
    TracedArray(name="As", space="shared", element="float", element_bytes=4, dimensions=(4, 8)),
    TracedArray(name="A", space="global", element="float", element_bytes=4, dimensions=(2, 5)),
)
_LINE_5, _LINE_6 = 0, 1


def _step(
    thread: int,
    cell: int,
    *,
    place: int = _LINE_5,
    array: int = _SHARED,
    interval: int = 0,
    kind: StepKind = StepKind.READ,
    part: int = 0,
) -> Step:
    return int(kind), thread, interval, array, 4 * cell, 4, 0, place, 10 * place + 100 * interval + cell - thread, part


def _both(cell: int, *, place: int = _LINE_5) -> tuple[Step, Step]:
    """Of two threads, neighbouring elements."""
    return _step(0, cell, place=place), _step(1, cell + 1, place=place)


# Three steps of a warp, and after a barrier one of thread 0 alone.
_STEPS = (*_both(0), *_both(8), *_both(16, place=_LINE_6), _step(0, 0, array=_LIST, interval=2))


def _recording(*findings: Finding, steps: tuple[Step, ...] = _STEPS) -> Recording:
    launch = Launch(
        shape="n=2", inputs="random", verdict=Verdict.RACE, grid=(1, 1, 1), block=(2, 1, 1), findings=findings
    )
    places = tuple(TracedPlace(file=_FILE, function="k", line=line) for line in (5, 6))
    trace = Trace(arrays=_ARRAYS, places=places, steps=steps, complete=True)
    report = TraceReport(factors=(), inputs=(), launch=launch, trace=trace)
    recording = Recording.of(Traced("lab", _FILE, TraceRequest(), report), ())
    assert recording is not None
    return recording


def _marks(*findings: Finding, steps: tuple[Step, ...] = _STEPS) -> list[Mark]:
    recording = _recording(*findings, steps=steps)
    return list(marks_of(recording, recording.together("", "")[1]))


@pytest.mark.parametrize(
    ("array", "cell", "element", "is_called"),
    [
        (_SHARED, 0, "As[0][0]", True),
        (_SHARED, 19, "As[2][3]", True),
        (_SHARED, 32, "As[4][0]", True),
        (_SHARED, 19, "As[19]", True),
        (_LIST, 10, "A[10]", True),
        (_LIST, -1, "A[-1]", True),
        (_LIST, 1, "B[1]", False),
        (_SHARED, 19, "As[2][4]", False),
        (_LIST, 0, "A", False),
        (_LIST, 1, "A[1]; drop", False),
        (_LIST, 1, "", False),
        (_LIST, 1, None, False),
    ],
)
def test_an_element_is_known_by_its_names(array: int, cell: int, element: str | None, is_called: bool) -> None:
    (one,) = _recording(steps=(_step(0, cell, array=array),)).moments()
    assert one.is_called(element) == is_called


def _finding(kind: Verdict, element: str, thread: int, line: int = 5, access: str = "read") -> Finding:
    return Finding(
        kind=kind,
        message="m",
        array=element.split("[", maxsplit=1)[0],
        element=element,
        thread=(thread, 0, 0),
        block=(0, 0, 0),
        line=line,
        access=access,
    )


def test_an_access_outside_is_told_where_it_is_and_one_that_is_not_recorded_at_its_threads_last_step() -> None:
    outside = _step(1, 11, array=_LIST, kind=StepKind.OUTSIDE)
    recorded = _finding(Verdict.OUT_OF_BOUNDS, "A[11]", 1)
    subscript = _finding(Verdict.OUT_OF_BOUNDS, "", 0, 6, "")
    steps = (*_STEPS[:2], outside, *_STEPS[2:])
    assert [mark.step for mark in _marks(recorded, subscript, steps=steps)] == [1, 3]


def test_a_finding_is_told_at_the_access_of_its_element_and_not_at_the_first_of_its_line() -> None:
    marks = _marks(_finding(Verdict.RACE, "As[1][1]", 1))
    assert [(mark.step, mark.threads) for mark in marks] == [(1, (1,))]
    assert [one.offset for one in marks[0].elements] == [36]


def test_all_elements_of_one_access_are_told_with_it() -> None:
    parts = tuple(_step(0, 4 + part, part=part) for part in range(4))
    (mark,) = _marks(_finding(Verdict.RACE, "As[0][6]", 0), steps=parts)
    assert [one.offset for one in mark.elements] == [16, 20, 24, 28]


def test_both_accesses_of_a_race_are_told() -> None:
    other = Site(line=6, thread=(0, 0, 0), block=(0, 0, 0), access="read")
    finding = _finding(Verdict.RACE, "As[2][0]", 0, 5).model_copy(update={"other": other})
    assert [mark.step for mark in _marks(finding)] == [0, 2]


def test_a_barrier_that_a_thread_misses_is_told_there() -> None:
    barrier = _step(0, 0, place=_LINE_6, kind=StepKind.BARRIER)
    missed = _finding(Verdict.BARRIER_DIVERGENCE, "", 0, 6, "skip")
    assert [mark.step for mark in _marks(missed, steps=(*_STEPS[:6], barrier, *_STEPS[6:]))] == [3]
