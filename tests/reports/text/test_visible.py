"""Untrusted text is shown harmless and complete, or is cut and says so."""

from __future__ import annotations

import json

import pytest

from grader.model import visible_text


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred", "⟨ESC⟩[31mred"),
        ("a\x00b\x07", "a⟨NUL⟩b⟨BEL⟩"),
        ("\x7f", "⟨U+007F⟩"),
        ("\x9b", "⟨U+009B⟩"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("\u200bx\ufeff", "⟨U+200B⟩x⟨U+FEFF⟩"),
        ("a\u2028b", "a⟨U+2028⟩b"),
        ("\udc80", "⟨U+DC80⟩"),
        ("two\nlines", "two⟨LF⟩lines"),
    ],
)
def test_what_cannot_be_seen_becomes_a_sign(hostile: str, shown: str) -> None:
    assert visible_text.line(hostile) == shown
    assert visible_text.code(hostile) == shown


def test_names_of_the_world_stay_as_they_are() -> None:
    for name in ("José Müller", "Đặng Thị Hà", "אדה", "王小明", "می\u200cکنم", "Zoe\u0308"):
        assert visible_text.line(name) == name


def test_an_invisible_joiner_in_code_is_shown() -> None:
    assert visible_text.code("su\u200dm") == "su⟨U+200D⟩m"


def test_a_tower_of_combining_marks_is_taken_down() -> None:
    assert visible_text.line("c" + "\u0301" * 6) == "c" + "\u0301" * 4 + "⟨U+0301⟩" * 2


def test_a_long_line_is_cut_and_says_by_how_much() -> None:
    assert visible_text.code("x" * 1210, limit=10) == "x" * 10 + "… (+1,200 characters)"
    assert visible_text.code("x" * 27, limit=10) == "x" * 27  # what is left out is longer than what says so
    assert visible_text.code("x" * 28, limit=10) == "x" * 10 + "… (+18 characters)"


def test_tabs_keep_code_in_its_columns() -> None:
    assert visible_text.code("\tx\ty") == "    x   y"


def test_a_log_is_cut_by_lines_and_counts_the_rest() -> None:
    block = visible_text.block("a\r\nb\nc\n\n", lines=2)
    assert (block.lines, block.more) == (("a", "b"), 1)


def test_a_lone_carriage_return_cannot_overwrite_a_line() -> None:
    assert visible_text.block("all tests failed\rall tests passed").text == "all tests failed⟨CR⟩all tests passed"


def test_a_whole_text_keeps_its_lines_and_blanks_and_shows_what_is_hidden() -> None:
    assert visible_text.whole("a\u202eb\n  c\r") == "a⟨U+202E⟩b\n  c⟨CR⟩"


def test_json_for_a_terminal_loses_nothing_and_hides_nothing() -> None:
    plain = {"said": "\x1b[31mred\x1b[0m \u202eturned\U000e0041 Zoë\n"}
    text = visible_text.json_text(plain)
    assert json.loads(text) == plain
    assert all(one.isprintable() or one == "\n" for one in text)
    assert "Zoë" in text


def test_json_for_people_shows_what_they_would_not_see_and_loses_nothing() -> None:
    plain = {"message": "a\u202eb\x9b31m\x1bc\u00e9\u4e2d\U0001f600"}
    for text in (visible_text.json_text(plain), visible_text.escaped(json.dumps(plain, ensure_ascii=False))):
        assert json.loads(text) == plain
        assert all(one.isprintable() or one == "\n" for one in text)
