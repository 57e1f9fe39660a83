"""A seal knows its number, and says nothing of it."""

from __future__ import annotations

from fractions import Fraction

from grader.course.question_file import is_sealed, sealed


def test_a_seal_knows_its_number_and_no_other() -> None:
    seal = sealed(Fraction(1, 8), "02-tiled/part")
    assert is_sealed(Fraction(2, 16), seal)
    assert not is_sealed(Fraction(8), seal)


def test_the_same_number_has_another_seal_in_another_place_and_the_same_one_in_its_own() -> None:
    assert sealed(Fraction(128), "a") != sealed(Fraction(128), "b")
    assert sealed(Fraction(128), "a") == sealed(Fraction(128), "a")
    assert "128" not in sealed(Fraction(128), "a").split(":")[2][:3]
