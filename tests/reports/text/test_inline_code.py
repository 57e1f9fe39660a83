"""Backticks in a sentence become code on a page, and nothing in it becomes markup."""

from __future__ import annotations

from grader.model.visible_text import inline_code


def test_what_stands_between_backticks_is_code() -> None:
    assert inline_code("Guard `in` and `out`.") == "Guard <code>in</code> and <code>out</code>."


def test_everything_is_escaped() -> None:
    assert inline_code("`<b>` & <i>") == "<code>&lt;b&gt;</code> &amp; &lt;i&gt;"


def test_a_backtick_without_a_partner_stays() -> None:
    assert inline_code("a ` b\nc` d") == "a ` b\nc` d"


def test_no_backtick_changes_nothing() -> None:
    assert inline_code("plain") == "plain"
