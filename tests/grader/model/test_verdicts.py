"""The table of verdicts is whole: each verdict has its row, in the order that decides, and no two look alike."""

from __future__ import annotations

import pytest

from grader.model.verdicts import _FACTS, LOOKS, TERMINAL_STYLES, Verdict, worst


def test_each_verdict_has_a_row_in_the_order_that_decides() -> None:
    assert list(_FACTS) == list(Verdict)


@pytest.mark.parametrize("field", ["label", "short", "glyph", "happened", "sentence"])
def test_no_two_verdicts_look_or_read_alike(field: str) -> None:
    said = [getattr(verdict.facts, field) for verdict in Verdict]
    assert all(said)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_but_a_pass_says_what_to_do_next(verdict: Verdict) -> None:
    assert bool(verdict.facts.next_step) is (verdict is not Verdict.PASS)


@pytest.mark.parametrize("verdict", Verdict)
def test_what_a_launch_can_show_has_words_for_a_hidden_case(verdict: Verdict) -> None:
    may_be_of_a_case = (
        verdict is Verdict.REJECTED or not verdict.facts.never_ran
    )  # a program is rejected for what it does, too
    shown_of_a_case = may_be_of_a_case and verdict is not Verdict.PASS
    assert bool(verdict.facts.redacted) is shown_of_a_case
    assert not any(character.isdigit() for character in verdict.facts.redacted)


def test_the_kit_takes_what_is_between_what_never_ran_and_a_pass_for_what_a_launch_can_show() -> None:
    kept = [verdict for verdict in Verdict if not verdict.facts.never_ran]
    assert kept == [Verdict.INTERNAL_ERROR, *list(Verdict)[list(Verdict).index(Verdict.MISSING_ENTRY_POINT) + 1 :]]


def test_each_tone_has_its_colour_in_a_terminal() -> None:
    assert {look.tone for look in LOOKS} == set(TERMINAL_STYLES)


def test_the_first_in_the_table_stands_for_all() -> None:
    assert worst([Verdict.WRONG_ANSWER, Verdict.RACE, Verdict.PASS]) is Verdict.RACE
    assert worst([]) is Verdict.PASS
