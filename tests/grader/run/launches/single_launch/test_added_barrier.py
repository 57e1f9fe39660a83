"""Where a missing barrier is looked for, and that what is found makes the launch right."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import add_barrier, places_for_a_barrier
from grader.run.launches.lab_launch import LaunchRefusedError, Run, TraceRequest, launch_builder

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[5]
KERNEL = [
    "for (int t = 0; t < K; t += tile) {",
    "  As[ty][tx] = A[t];",
    "  Bs[ty][tx] = B[t];  // {",
    "  for (int k = 0; k < tile; ++k) {",
    "    sum += As[ty][k] * Bs[k][tx];",
    "  }",
    "}",
    "C[i] = sum;",
]


def test_places_in_fewer_loops_come_first_and_none_lies_behind_the_loop_of_both() -> None:
    assert list(places_for_a_barrier(KERNEL, 2, 5)) == [3, 2, 6, 4, 5]


def test_a_statement_that_goes_on_in_the_next_line_is_no_place() -> None:
    assert list(places_for_a_barrier(["{", "As[0] = A[0]", "    + 1;", "b = As[1];", "}"], 2, 4)) == [3, 4]


def test_a_line_of_beginnings_of_comments_is_read_once() -> None:
    assert list(places_for_a_barrier(["a = 1;", "/* " * 500_000 + "{", "b = 2;", "}"], 1, 3)) == [1, 3]


def test_lines_that_the_file_does_not_have_are_no_places() -> None:
    assert [list(places_for_a_barrier(KERNEL, *lines)) for lines in ((-9, 3), (1, 1 << 31), (9, 9))] == [[], [], []]


def test_no_try_begins_when_the_time_is_over() -> None:
    times = iter((0.0, 1.0, 59.0, 61.0, 62.0))
    tried: list[int] = []

    def refuse(_: bytes) -> Run:
        tried.append(1)
        raise LaunchRefusedError

    source = "\n".join(KERNEL).encode()
    assert add_barrier(refuse, source, (2, 5), TraceRequest(), clock=lambda: next(times)) is None
    assert len(tried) == 2


@pytest.mark.parametrize(
    ("reject", "accesses", "after"), [("no_second_barrier", (19, 23), (24,)), ("no_barriers", (19, 22), (20, 23))]
)
def test_the_barrier_that_is_missing_is_found(
    reject: str, accesses: tuple[int, int], after: tuple[int, ...], tmp_path: Path
) -> None:
    lab = load_lab(ROOT, "02-tiled")
    assert lab.private_dir is not None
    source = (lab.private_dir / "rejects" / f"{reject}.cu").read_bytes()
    toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend="cpu")
    found = add_barrier(launch_builder(toolset, lab, tmp_path), source, accesses, TraceRequest())
    assert found is not None
    assert found.after_lines == after
    assert found.traced.report.launch.verdict is Verdict.PASS
    assert [found.line_now(line) for line in accesses] == [19, accesses[1] + sum(line < accesses[1] for line in after)]
