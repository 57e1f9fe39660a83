"""Elements by their names, and the steps that findings speak of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.explain.mistake_stories import marks_of
from grader.explain.story import StoryArray, StoryPlace, StoryRun, WarpStep, offset_of
from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import StepKind

_SHARED = StoryArray("As", "shared", "float", 4, (4, 8))
_LIST = StoryArray("A", "global", "float", 4, (2, 5))


@pytest.mark.parametrize(
    ("array", "element", "offset"),
    [
        (_SHARED, "As[0][0]", 0),
        (_SHARED, "As[2][3]", 4 * 19),
        (_SHARED, "As[4][0]", 4 * 32),
        (_LIST, "A[10]", 40),
        (_LIST, "A[-1]", -4),
        (_LIST, "B[1]", None),
        (_SHARED, "As[1][2][3]", None),
        (_LIST, "A", None),
        (_LIST, "A[1]; drop", None),
        (_LIST, "", None),
    ],
)
def test_an_element_is_found_by_its_name(array: StoryArray, element: str, offset: int | None) -> None:
    assert offset_of(array, element) == offset


def _step(at: int, *, lanes: tuple[int, ...] = (0, 1), place: int = 0, array: int = 0, interval: int = 0) -> WarpStep:
    offsets = tuple(4 * (at + lane) for lane in lanes)
    return WarpStep(StepKind.READ, 0, interval, place, array, 4, 1, lanes, offsets, (0,) * len(lanes))


_RUN = StoryRun(
    "",
    "",
    (_SHARED, _LIST),
    (StoryPlace(5), StoryPlace(6)),
    (_step(0), _step(8), _step(16, place=1), _step(0, lanes=(0,), array=1, interval=2)),
)


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
    outside = replace(_step(10, lanes=(1,), array=1), kind=StepKind.OUTSIDE)
    run = replace(_RUN, steps=(_RUN.steps[0], outside, *_RUN.steps[1:]))
    recorded = _finding(Verdict.OUT_OF_BOUNDS, "A[11]", 1)
    subscript = _finding(Verdict.OUT_OF_BOUNDS, "", 0, 6, "")
    assert [mark.step for mark in marks_of(run, [recorded, subscript], (2, 1, 1), (0, 0, 0))] == [1, 3]


def test_a_finding_is_told_at_the_access_of_its_element_and_not_at_the_first_of_its_line() -> None:
    marks = list(marks_of(_RUN, [_finding(Verdict.RACE, "As[1][1]", 1)], (2, 1, 1), (0, 0, 0)))
    assert [(mark.step, mark.threads) for mark in marks] == [(1, (1,))]
    assert marks[0].elements[0].offset == 36


def test_both_accesses_of_a_race_are_told() -> None:
    other = Site(line=6, thread=(0, 0, 0), block=(0, 0, 0), access="read")
    finding = replace_other(_finding(Verdict.RACE, "As[2][0]", 0, 5), other)
    assert [mark.step for mark in marks_of(_RUN, [finding], (2, 1, 1), (0, 0, 0))] == [0, 2]


def replace_other(finding: Finding, other: Site) -> Finding:
    return finding.model_copy(update={"other": other})


def test_a_barrier_that_a_thread_misses_is_told_there() -> None:
    barrier = WarpStep(StepKind.BARRIER, -1, 0, 1)
    run = replace(_RUN, steps=(*_RUN.steps[:2], barrier, *_RUN.steps[2:]))
    missed = _finding(Verdict.BARRIER_DIVERGENCE, "", 0, 6, "skip")
    assert [mark.step for mark in marks_of(run, [missed], (2, 1, 1), (0, 0, 0))] == [2]
