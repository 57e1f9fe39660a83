"""Hidden sizes in what students get: whole numbers, in any notation, and nothing that only looks alike."""

from __future__ import annotations

import pytest

from grader.course.leaks import disclosed_shapes

HIDDEN = "check({.n = 255});\ncheck({.n = 1021}); check({.n = 3001}); check({.n = 4096});\ncheck({.rows = 97, .columns = 61});\n"


def told(page: str, hidden: str = HIDDEN) -> list[str]:
    files = {
        "assignments/05-add/README.md": page,
        "assignments/05-add/public_tests.cpp": "check({.n = 500}); check({.rows = 64, .columns = 48});\n",
    }
    return [one.what.rpartition(": ")[2] for one in disclosed_shapes(files, hidden, "05-add")]


@pytest.mark.parametrize(
    ("page", "sizes"),
    [
        ("Try n = 1021 and 3001.", ["1021", "3001"]),
        ("Try `n=255`.", ["n=255"]),
        ("With n = 500, 255 and 800 it is slow.", ["n = 500, 255"]),
        ("An array of 1,021 floats.", ["1,021"]),
        ("One with 4096 elements.", ["4096 elements"]),
        ("For 97 by 61 threads.", ["97 by 61"]),
        ("`{.rows = 97, .columns = 61}`", ["97, .columns = 61"]),
        ("Rows and columns: 97 and 61.", ["97 and 61"]),
    ],
)
def test_a_hidden_size_is_found_in_any_notation(page: str, sizes: list[str]) -> None:
    assert told(page) == sizes


@pytest.mark.parametrize(
    "page",
    [
        "Try n = 2550, n = 25 and n = 1255.",
        "A byte holds 0 to 255.",
        "The GPU has 4096 registers, 14096 more and 4096.5.",
        "It takes 11021 ns, 1021.5 us or x1021.",
        "197 by 61, 97 by 610",
        "Try n = 500.",
    ],
)
def test_what_only_looks_like_a_hidden_size_is_none(page: str) -> None:
    assert told(page) == []


def test_a_size_that_a_public_test_has_is_no_secret() -> None:
    assert told("n = 500 and 64 x 48", "check({.n = 500}); check({.rows = 64, .columns = 48});") == []
