"""Whom a word of a person means: never two, and never by a guess."""

from __future__ import annotations

import pytest

from grader.model.result import Student, Submission
from grader.roll.people.identities import Identities, Key
from grader.roll.policy.class_policy import AmbiguousError, PersonIndex

ADA = Submission(
    id="Lovelace-Ada", name="Lovelace Ada",
    student=Student(name="Lovelace, Ada", login="ada", number="0042", email="ada@example.org", platform_ids={"Canvas": "101"}),
)  # fmt: skip
ALAN = Submission(id="alan", name="Turing_1", student=Student(name="Turing, Alan", login="at", number="42000"))
TWIN = Submission(id="alan-2", name="Turing_2", student=Student(name="Alan Turing", login="at2"))


@pytest.mark.parametrize(
    "word", ["Lovelace-Ada", "ada", " ADA ", "0042", "42", "ada@EXAMPLE.org", "101", "ada lovelace", "Lovelace, Ada"]
)
def test_a_student_is_found_by_each_of_their_keys(word: str) -> None:
    assert PersonIndex([ADA, ALAN, TWIN]).find(word) == "Lovelace-Ada"


def test_what_two_students_have_is_refused() -> None:
    index = PersonIndex([ADA, ALAN, TWIN])
    with pytest.raises(AmbiguousError, match=r"'Alan Turing' may be alan, alan-2. Write the id"):
        index.find("Alan Turing")
    clash = Submission(id="ada", name="x")
    with pytest.raises(AmbiguousError, match="may be Lovelace-Ada, ada"):
        PersonIndex([ADA, clash]).find("ada")


@pytest.mark.parametrize("word", ["", "  ", "0", "000", "lovelace", "ad", "4", "\0"])
def test_what_is_nobodys_is_found_for_nobody(word: str) -> None:
    assert PersonIndex([ADA, ALAN]).find(word) is None


def test_students_of_earlier_batches_are_known() -> None:
    book = Identities()
    book.bind(book.new("Grace"), [Key("login", "gh"), Key("number", "007")])
    index = PersonIndex([ADA], book)
    assert [index.find(one) for one in ("grace", "gh", "7")] == ["Grace"] * 3


RENAMED = Submission(id="mallory", name="Lovelace, Ada", student=Student(name="Lovelace, Ada", login="mm"))


def listed(**names: str) -> Identities:
    """A book in which the roster calls each of these ids so."""
    book = Identities()
    for student, name in names.items():
        book.new(student).listed = name
    return book


@pytest.mark.parametrize("rostered", [{"ada"}, {"ada", "mallory"}])
def test_a_name_that_a_student_chose_takes_no_row_from_whom_the_roster_calls_so(rostered: set[str]) -> None:
    ada = Submission(id="ada", name="Ada Lovelace", student=Student(name="Lovelace, Ada", login="al"))
    mallory = RENAMED.model_copy(update={"student": Student(name="Mallory M", login="mm")})
    index = PersonIndex(
        [ada, mallory if "mallory" in rostered else RENAMED], listed(ada="Lovelace, Ada", mallory="Mallory M"), rostered
    )
    for word in ("Lovelace, Ada", "Ada Lovelace", "lovelace ada", "al", "ada"):
        assert index.find(word) == "ada"
    assert index.find("mm") == index.find("mallory") == "mallory"


def test_an_id_made_of_a_name_that_a_student_chose_takes_no_login() -> None:
    ada = Submission(id="Lovelace-Ada", name="x", student=Student(name="Lovelace, Ada", login="ada", number="0042"))
    others = [Submission(id="ada", name="ada"), Submission(id="42", name="42")]
    index = PersonIndex([ada, *others], listed(**{"Lovelace-Ada": "Lovelace, Ada"}), {"Lovelace-Ada"})
    assert [index.find(one) for one in ("ada", "42", "0042", "Lovelace-Ada")] == ["Lovelace-Ada"] * 4


def test_without_a_roster_names_of_all_ways_together_may_be_ambiguous() -> None:
    ada = Submission(id="ada", name="Ada Lovelace", student=Student(name="Ada Lovelace", login="al"))
    with pytest.raises(AmbiguousError, match="may be ada, mallory"):
        PersonIndex([ada, RENAMED]).find("Lovelace, Ada")


def test_a_number_without_its_zeros_is_everybodys_who_may_have_it() -> None:
    two = [Submission(id=one, name=one, student=Student(number=number)) for one, number in (("a", "0042"), ("b", "42"))]
    index = PersonIndex(two)
    assert index.find("0042") == "a"
    with pytest.raises(AmbiguousError, match="may be a, b"):
        index.find("42")


def test_a_name_that_nobody_but_students_said_is_not_the_one_in_the_roster() -> None:
    with pytest.raises(AmbiguousError, match="may be ada, mallory"):
        PersonIndex([RENAMED, RENAMED.model_copy(update={"id": "ada"})], Identities(), {"mallory"}).find("Ada Lovelace")
