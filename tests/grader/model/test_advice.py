"""What to look at next fits what happened: a race's advice depends on whose threads they are and what the statement does."""

from __future__ import annotations

import pytest

from grader.model.advice import advice_for
from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict


def race(source: str, *, line: int = 4, other_line: int = 4, other_block: tuple[int, int, int] = (0, 0, 0)) -> Finding:
    other = Site(file="a.cu", line=other_line, access="write", block=other_block, thread=(1, 0, 0))
    return Finding(
        kind=Verdict.RACE, file="a.cu", line=line, source=source, array="bins", access="read", block=(0, 0, 0),
        thread=(0, 0, 0), message="", other=other,
    )  # fmt: skip


@pytest.mark.parametrize(
    "source",
    ["bins[in[i]]++;", "  bins[i % 4] += 1;  // bins[0]", "++bins[k];", "bins[i][j] -= x[j];", "bins [a[b[c]]] |= 1;"],
)
def test_a_statement_in_which_threads_change_one_element_needs_no_barrier(source: str) -> None:
    advice = advice_for(race(source))
    assert advice is not None
    assert "atomicAdd()" in advice
    assert "__syncthreads" not in advice


@pytest.mark.parametrize(
    "finding",
    [
        race("bins[t] += bins[t + half];"),
        race("bins[t] = 1;"),
        race("sum += bins[t];"),
        race("bins[t] += 1;", other_line=7),
        race("other[t] += bins[t];"),
    ],
)
def test_other_races_within_a_block_are_about_barriers(finding: Finding) -> None:
    assert advice_for(finding) == Verdict.RACE.facts.advice


def test_a_race_between_blocks_is_never_about_syncthreads() -> None:
    advice = advice_for(race("bins[t] = 1;", other_block=(1, 0, 0)))
    assert advice is not None
    assert "__threadfence()" in advice
    assert "__syncthreads" not in advice


def test_who_misses_a_barrier_by_a_return_is_told_to_stay() -> None:
    other = Site(line=3, access="return", thread=(9, 0, 0))
    for severity in ("note", "error"):
        finding = Finding(kind=Verdict.BARRIER_DIVERGENCE, severity=severity, line=5, message="", other=other)
        assert "Let every thread stay until" in str(advice_for(finding))
    skipped = Finding(kind=Verdict.BARRIER_DIVERGENCE, line=5, message="", other=Site(line=3, access="skip"))
    assert advice_for(skipped) == Verdict.BARRIER_DIVERGENCE.facts.advice


@pytest.mark.parametrize(("access", "word"), [("mask", "named in the mask"), ("shuffle", "brings a value only")])
def test_warp_functions_have_advice_of_their_own(access: str, word: str) -> None:
    finding = Finding(kind=Verdict.UNINITIALIZED_READ, access=access, line=5, message="")
    assert word in str(advice_for(finding))
