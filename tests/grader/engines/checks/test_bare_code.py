"""Comments, strings and skipped text are told from code as GCC tells them; what is unclear is said to be."""

from __future__ import annotations

import pytest

from grader.source.bare_code import live_lines, plain_text, unclear_line

READ = {
    "comments": ("a /* b */ c // d\ne", ["a   c", "e"]),
    "a comment over lines": ("a /* b\nc */ d\ne", ["a   d", "e"]),
    "a spliced comment": ("a /\\\n/ b\\\nc\nd", ["a", "d"]),
    "a string": ('f("/* \\" a", b); // c', ['f("", b);']),
    "a spliced string": ('f("a\\\nb", c)', ['f("", c)']),
    "a character": ("f('\"', a) // b", ['f("", a)']),
    "a digit separator": ("1'000 + 0x1'0p+3'0 // '", ["1000 + 0x10p+30"]),
    "a raw string": ('f(R"x(" /* )" )x", a) /* b */', ['f("", a)']),
    "a word that ends in R": ('EERR"a/*b" c /* */', ['EERR"" c']),
    "a quote that nobody closes": ("a don't /* b\nc", ["a don", "c"]),
    "skipped text": (
        "a\n#if 0\nb\n#if X\nc\n#else\nd\n#endif\ne\n#else\nf\n#endif",
        ["a", "#if 0", "#else", "f", "#endif"],
    ),
    "a condition that only begins with 0": ("#if 0 || X\na\n#endif", ["#if 0 || X", "a", "#endif"]),
}
UNCLEAR = {
    "a raw string over lines": ('a\nf(R"(\n)")', 2),
    "a spliced raw string": ('f(R"(a\\\nb)")', 1),
    "a spliced prefix": ('f(R\\\n"(a)")', 1),
    "a header's name with a comment": ("a\n#include <a/*b>\n", 2),
    "our own sign": ("a\nb\ue000\n", 2),
}


@pytest.mark.parametrize("case", READ)
def test_code_is_left(case: str) -> None:
    source, bare = READ[case]
    assert [line.bare.strip() for line in live_lines(source)] == bare
    assert unclear_line(source) == 0


@pytest.mark.parametrize("case", UNCLEAR)
def test_unclear_text_is_told(case: str) -> None:
    source, line = UNCLEAR[case]
    assert unclear_line(source) == line


def test_lines_keep_their_numbers() -> None:
    source = "a\n/* b\nc */ d \\\ne\n#if 0\nf\n#endif\ng\n"
    assert [(line.number, line.text.strip()) for line in live_lines(source)] == [
        (1, "a"), (2, "d e"), (5, "#if 0"), (7, "#endif"), (8, "g")
    ]  # fmt: skip
    assert [text.strip() for text in plain_text(source).split("\n")[:8]] == [
        "a",
        "d e",
        "",
        "",
        "#if 0",
        "",
        "#endif",
        "g",
    ]


def test_a_file_full_of_quotes_and_backslashes_takes_no_quadratic_time() -> None:
    for unit in ("'", '"', "\\\n", "/*", "*/#", 'R"(', "#/**/", "1'", "#if 0\n", "<'"):
        live_lines(unit * 20_000)
        unclear_line(unit * 20_000)
