"""Raw strings in a text that a pattern takes apart."""

import re

import pytest

from grader.run.kernels.host_code import items_of
from grader.source.lexer import pieces

pytestmark = pytest.mark.in_turn(3)

_PATTERN = re.compile(r"""(?P<raw>R"(?P<mark>[^()\\\s"]{0,16})\()|(?P<word>\w+)|(?P<sign>[^\s\w])""")


def told(text: str, stop: str = "") -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces(_PATTERN, text, stop)]


def test_a_raw_string_ends_at_its_own_mark() -> None:
    text = 'a R"x( )" )y" )x" b'
    assert told(text) == [("word", "a"), ("raw", 'R"x( )" )y" )x"'), ("word", "b")]


def test_a_raw_string_without_a_mark_ends_at_the_first_parenthesis_with_a_quote() -> None:
    assert told('R"()a")")"')[0] == ("raw", 'R"()a")"')


def test_a_raw_string_that_nobody_closes_is_told_up_to_its_quote() -> None:
    assert told('R"x(a)y"')[0] == ("unclosed", 'R"')


def test_a_raw_string_may_be_kept_within_its_line() -> None:
    assert told('R"(a\n)"', stop="\n")[0] == ("unclosed", 'R"')
    assert told('R"(a\n)"')[0] == ("raw", 'R"(a\n)"')
    assert told('R"(a)"\n', stop="\n")[0] == ("raw", 'R"(a)"')


def test_many_openings_without_an_end_take_no_quadratic_time() -> None:
    for unit in ('R"(', 'R"a(', ')"', 'R"(\n', "#/*"):
        list(pieces(_PATTERN, unit * 100_000))
        items_of(unit * 100_000)
