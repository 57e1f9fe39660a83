"""Numbers are read as people write them; what is no number, or several, is told apart from a wrong one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.course.number_text import NO_NUMBER, SEVERAL, read_number, rounded, stays_rounded

ONE_EIGHTH = (
    "1/8",
    "0.125",
    ".125",
    "0,125",
    "12.5 %",
    "12,5%",
    "12.5 percent",
    "1 / 8",
    "⅛",
    "2^-3",
    "1:8",
    "= 0.125",
    "125e-3",
)
LARGE = (
    "16384",
    "16,384",
    "16.384",
    "16 384",
    "16\u202f384",
    "16'384",
    "2^14",
    "2¹⁴",
    "2**14",
    "$2^{14}$",
    "128 · 128",
    "128*128",
    "1.6384e4",
)


@pytest.mark.parametrize("text", ONE_EIGHTH)
def test_an_eighth_can_be_written_in_many_ways(text: str) -> None:
    assert Fraction(1, 8) in read_number(text).values


@pytest.mark.parametrize("text", LARGE)
def test_a_large_number_can_be_written_in_many_ways(text: str) -> None:
    assert Fraction(16384) in read_number(text).values


@pytest.mark.parametrize(
    "text",
    [
        "128",
        "**128**",
        "`128`",
        "128.",
        "about 128 times",
        "≈128",
        "~ 128",
        "128 (two for each phase)",
        "64 · 2 = 128",
        "n = 128",
        "(128)",
        "128?",
    ],
)
def test_what_stands_around_a_number_does_not_matter(text: str) -> None:
    assert read_number(text).values == (Fraction(128),)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("none", 0),
        ("None of them", 0),
        ("two", 2),
        ("twelve", 12),
        ("5 million", 5_000_000),
        ("-3", -3),
        ("\u22123", -3),
    ],
)
def test_words_and_signs_are_read(text: str, value: int) -> None:
    assert read_number(text).values == (Fraction(value),)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("sixteen", "", 16),
        ("thirty-two", "", 32),
        ("twenty one", "", 21),
        ("16k", "", 16384),
        ("16 Ki", "", 16384),
        ("0x400", "", 1024),
        ("x1.75", "", "7/4"),
        ("≈ 1.75x", "", "7/4"),
        (r"\frac{1}{256}", "", "1/256"),
        ("8 KiByte", "bytes", 8192),
        ("8 kibibytes", "bytes", 8192),
        ("8 kilobytes", "bytes", 8192),
        ("65536 bits", "bytes", 8192),
        ("16n", "bytes", 16),
    ],
)
def test_other_ways_of_the_same_number_are_read(text: str, unit: str, value: int | str) -> None:
    assert Fraction(value) in read_number(text, unit).values


@pytest.mark.parametrize("text", ["one thousand", "two thirds", "a half", "two hundred", "1.0.2", "1,02,4"])
def test_what_is_not_understood_is_not_read_as_a_piece_of_it(text: str) -> None:
    assert (read_number(text).values, read_number(text).trouble) == ((), NO_NUMBER)


@pytest.mark.parametrize("text", ["8*(2+2)", "(100-70)*2", "4+4", "two or three"])
def test_sums_are_not_done_for_the_student(text: str) -> None:
    assert (read_number(text).values, read_number(text).trouble) == ((), SEVERAL)


@pytest.mark.parametrize(
    "text", ["many", "it depends on K", "fp32", "", "all of them, as far as one can see", "?", "٣"]
)
def test_text_is_no_number(text: str) -> None:
    assert (read_number(text).values, read_number(text).trouble) == ((), NO_NUMBER)


@pytest.mark.parametrize(
    "text", ["35 blocks and 8,960 threads", "16-32", "1, 2 or 3", "9^9^9", "thread 5 reads 3", "1 2"]
)
def test_several_numbers_are_not_guessed_at(text: str) -> None:
    assert (read_number(text).values, read_number(text).trouble) == ((), SEVERAL)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 500,
        "9^999",
        "1e999",
        "1e-999",
        "1/0",
        "9 " * 3_000,
        "1e999999999",
        "(" * 5_000,
        "1" + ",000" * 500,
        "1/" * 400,
    ],
)
def test_nothing_that_is_written_takes_long_or_breaks(text: str) -> None:
    found = read_number(text)
    assert (found.values, found.trouble != "") == ((), True)


def test_a_comma_and_a_point_are_read_in_both_ways() -> None:
    assert set(read_number("8,960").values) == set(read_number("8.960").values) == {Fraction(8960), Fraction("8.96")}
    assert read_number("1,234,567.5").values == (Fraction("1234567.5"),)
    assert read_number("1.234.567,5").values == (Fraction("1234567.5"),)


def test_units_of_one_kind_are_converted_and_others_are_told() -> None:
    assert read_number("8 KiB", "bytes").values == (Fraction(8192),)
    assert read_number("8kB", "bytes").values == (Fraction(8000), Fraction(8192))
    assert read_number("0.0259 s", "ms").values == read_number("25.9", "ms").values == (Fraction("25.9"),)
    assert read_number("25900 µs", "ms").values == (Fraction("25.9"),)
    assert read_number("8192 ms", "bytes").trouble == "bytes are expected here"
    assert read_number("12.5 %", "%").values == (Fraction(1, 8),)
    assert set(read_number("12.5", "%").values) == {Fraction(1, 8), Fraction("12.5")}
    assert read_number("4 sectors", "bytes").values == (Fraction(4),)


def test_rounding_is_to_significant_digits_and_halves_go_up() -> None:
    assert rounded(Fraction("0.21875"), 2) == Fraction("0.22")
    assert rounded(Fraction("2.25"), 2) == Fraction("2.3")
    assert rounded(Fraction(1, 3), None) == Fraction(1, 3)
    assert rounded(Fraction(0), 2) == 0
    assert stays_rounded(Fraction("25.93"), 2)
    assert not stays_rounded(Fraction("2.449"), 2)
