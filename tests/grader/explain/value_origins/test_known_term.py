"""Of which of a thread's terms a number is the sum: told only where there is one answer."""

from __future__ import annotations

from collections import Counter

from grader.explain.followed_sums import Term, element, explained, plain


def terms(*values: float) -> list[Term]:
    return [element(float(value), ("in", at), at) for at, value in enumerate(values)]


def counts(found: Term | None) -> Counter[tuple[str, int]] | None:
    return None if found is None else found.counts


def test_a_sum_of_all_that_a_thread_has_read_is_that() -> None:
    assert counts(explained(111.0, terms(1, 10, 100), 9)) == Counter({("in", 0): 1, ("in", 1): 1, ("in", 2): 1})


def test_a_value_that_replaces_the_older_ones_is_the_last_terms_alone() -> None:
    assert counts(explained(110.0, terms(1, 10, 100), 9)) == Counter({("in", 1): 1, ("in", 2): 1})


def test_a_value_that_fits_two_sums_is_not_known() -> None:
    assert explained(5.0, terms(5, 3, 2), 9) is None
    assert explained(5.0, terms(5, 0, 0), 9) is not None


def test_a_value_that_is_no_sum_is_not_known() -> None:
    assert explained(222.0, terms(1, 10, 100), 9) is None
    assert explained(float("nan"), terms(1), 9) is None


def test_a_thread_that_has_read_nothing_stores_a_number_of_its_own() -> None:
    assert counts(explained(7.0, [], 9)) == Counter()
    assert explained(7.0, terms(3), 9) is None


def test_what_is_not_known_of_one_term_spoils_only_sums_with_it() -> None:
    one, other = terms(1, 10)
    assert explained(11.0, [None, one, other], 9) is not None
    assert explained(12.0, [None, one, other], 9) is None


def test_a_number_that_a_register_kept_is_known_again() -> None:
    kept, later = terms(4, 9)
    assert counts(explained(4.0, [plain(0.0, 1)], 9, older=[kept])) == Counter({("in", 0): 1})
    assert explained(5.0, [plain(0.0, 1)], 9, older=[kept]) is None
    assert counts(explained(9.0, [later], 9, older=[kept])) == Counter({("in", 1): 1})


def test_an_addition_counts_what_was_there_before() -> None:
    (one,) = terms(4)
    before = explained(4.0, [one], 1)
    assert counts(explained(8.0, [one], 9, before)) == Counter({("in", 0): 2})
    assert counts(explained(4.0, [one], 9, plain(0.0, 0))) == Counter({("in", 0): 1})


def test_fractions_are_held_against_rounding_and_whole_numbers_are_exact() -> None:
    assert explained(0.1 + 0.2 + 1e-9, terms(0.1, 0.2), 9) is not None
    assert explained(0.31, terms(0.1, 0.2), 9) is None
    assert explained(1_000_001.0, terms(1_000_000, 2), 9) is None
