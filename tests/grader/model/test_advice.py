"""What to look at next fits what happened: a race's advice depends on whose threads they are and what the statement does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.model.advice import WORDS, advice_for, question_for
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
    [
        "bins[in[i]]++;",
        "  bins[i % 4] += 1;  // bins[0]",
        "++bins[k];",
        "bins[i][j] -= x[j];",
        "bins [a[b[c]]] |= 1;",
        "counts[in[i]]++;",
    ],
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


ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("words", [one for table in WORDS.values() for one in table])
def test_the_words_that_choose_an_advice_are_in_a_finding_of_the_kit_or_of_a_programs_run(words: str) -> None:
    files = [*(ROOT / "kit").rglob("*pp"), *(ROOT / "grader/run/programs").glob("*.py")]
    sources = [path.read_text(encoding="utf-8") for path in files]
    assert any(words in re.sub(r'"\s*"', "", source) for source in sources)


def said(kind: Verdict, message: str) -> Finding:
    return Finding(kind=kind, file="a.cu", line=4, message=message)


@pytest.mark.parametrize(
    ("finding", "fits", "foreign"),
    [
        (
            said(Verdict.CRASH, "Thread (0,0,0) calls grid.sync(), which a GPU can do only in a cooperative launch"),
            "cudaLaunchCooperativeKernel()",
            "pointers and divisors",
        ),
        (
            said(
                Verdict.BARRIER_DIVERGENCE,
                "Thread (1,0,0) waits here until the whole grid has arrived, but block (1,0,0) has left the kernel",
            ),
            "Every thread of every block",
            "__syncthreads",
        ),
        (said(Verdict.CRASH, "Thread (0,0,0) divides an integer by zero"), "divisor", "pointers"),
    ],
)
def test_the_advice_and_the_question_are_about_what_happened(finding: Finding, fits: str, foreign: str) -> None:
    told = f"{advice_for(finding)} {question_for(finding)}"
    assert fits in told
    assert foreign not in told
    assert finding.kind.facts.question not in told


def test_a_crash_of_an_unknown_kind_is_asked_about_as_its_kind_is() -> None:
    assert question_for(said(Verdict.CRASH, "Thread (0,0,0) crashes")) == Verdict.CRASH.facts.question


def test_threads_of_two_blocks_are_not_asked_about_a_barrier() -> None:
    assert question_for(race("bins[t] = 1;", other_block=(1, 0, 0))).startswith("Which of the two blocks")


def test_two_threads_that_store_into_one_element_are_not_told_of_a_barrier() -> None:
    finding = race("C[i] = sum;").model_copy(update={"access": "write"})
    assert "should belong to one thread" in (advice_for(finding) or "")
    assert "does the index depend on it" in question_for(finding)
    later = race("C[i] = sum;", other_line=9).model_copy(update={"access": "write"})
    assert advice_for(later) == Verdict.RACE.facts.advice


def test_a_subscript_of_a_small_array_is_not_asked_about_rows_and_columns() -> None:
    told = question_for(
        said(Verdict.OUT_OF_BOUNDS, "Thread (0,0,0) uses subscript 4 of part, but this dimension has only")
    )
    assert "row" not in told
    assert "subscript" in told
