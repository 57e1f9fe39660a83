"""Ids of students are safe as folder names, and no two are the same folder."""

from __future__ import annotations

import pytest

from grader.roll.people.identities import Identities, Identity


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anna", "anna"), ("anna-müller", "anna-muller"), ("Großmann, Søren", "Grossmann-Soren"),
        ("../../etc", "etc"), ("..", "student-"), (".hidden", "hidden"), ("nul", "nul-student"),
        ("a/b\\c", "a-b-c"), ("<script>", "script"), ("=1+1", "1-1"), ("12345678", "12345678"), ("🦊", "student-"),
    ],
)  # fmt: skip
def test_ids_are_plain(name: str, expected: str) -> None:
    got = Identities().new(name).id
    assert got.startswith(expected) if expected.endswith("-") else got == expected


def test_ids_differ_in_any_case() -> None:
    assert Identities(map(Identity, ["Anna", "anna-2"])).new("anna").id == "anna-3"


def test_as_many_students_of_one_name_as_a_course_has_get_ids_of_their_own() -> None:
    book = Identities()
    assert len({book.new("Wei Wang").id for _ in range(5_000)}) == 5_000
