"""Proofs in parallel: they are reported in order, and an exception becomes a diagnostic of its proof."""

from __future__ import annotations

import io
import threading
from collections.abc import Sequence

import pytest
from rich.console import Console

from grader.cli.course_commands import prove
from grader.cli.proofs.course_proofs import Proof
from grader.course.leaks import Diagnostic
from grader.model.errors import RemediableError


def silent() -> Console:
    return Console(file=io.StringIO(), width=200)


def fails(*lines: int) -> list[Diagnostic]:
    return [Diagnostic("a.md", line, "wrong") for line in lines]


def test_outcomes_come_in_the_order_of_the_list_whatever_ends_first() -> None:
    second_is_done = threading.Event()

    def slow() -> Sequence[Diagnostic]:
        assert second_is_done.wait(60)
        return []

    def quick() -> Sequence[Diagnostic]:
        second_is_done.set()
        return []

    out = io.StringIO()
    outcomes = prove([Proof("slow", "", [slow]), Proof("quick", "", [quick])], Console(file=out), workers=2)
    assert [one.proof.name for one in outcomes] == ["slow", "quick"]
    assert [line.split()[1] for line in out.getvalue().splitlines()] == ["slow", "quick"]


def test_a_person_sees_how_many_steps_are_done_and_a_log_does_not() -> None:
    for terminal in (True, False):
        out = io.StringIO()
        prove([Proof("both", "", [list, list])], Console(file=out, width=80, force_terminal=terminal), workers=1)
        assert ("proved: 0 of 2" in out.getvalue()) == terminal


def test_the_problems_of_all_steps_are_told_in_the_order_of_the_file() -> None:
    (outcome,) = prove([Proof("both", "", [lambda: fails(9, 3), lambda: fails(5)])], silent(), workers=2)
    assert [diagnostic.line for diagnostic in outcome.diagnostics] == [3, 5, 9]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RemediableError("do this"), "one: do this"),
        (OSError("no room"), "one: this could not be looked at: OSError: no room"),
    ],
)
def test_a_step_that_breaks_is_a_problem_and_the_others_go_on(error: Exception, told: str) -> None:
    def broken() -> Sequence[Diagnostic]:
        raise error

    outcomes = prove([Proof("one", "", [broken]), Proof("two", "", [list])], silent(), workers=1)
    assert [[str(diagnostic) for diagnostic in one.diagnostics] for one in outcomes] == [[told], []]


def test_a_failure_is_printed_with_every_place_as_it_is() -> None:
    out = io.StringIO()
    console = Console(file=out, width=200)
    prove(
        [Proof("links", "all lead somewhere", [lambda: fails(1, 2)]), Proof("x", "y [z]", [list])], console, workers=1
    )
    assert [" ".join(line.split()) for line in out.getvalue().splitlines()] == [
        "FAILS links 2 problems:",
        "a.md:1: wrong",
        "a.md:2: wrong",
        "ok x y [z]",
    ]
