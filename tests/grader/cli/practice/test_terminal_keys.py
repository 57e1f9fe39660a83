"""Single keys of a terminal, here one without a screen, and what the terminal is like for others."""

from __future__ import annotations

import io
import os
import sys
import termios
from collections.abc import Iterator

import pytest

from grader.cli.practice.terminal_keys import TerminalKeys, keys_of_terminal

Pair = tuple[int, TerminalKeys]


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    """The side that types, and the keys. The test itself is in front."""
    typing, terminal = os.openpty()
    monkeypatch.setattr(TerminalKeys, "_in_front", lambda _self: True)
    with os.fdopen(terminal, "r", encoding="utf-8") as stream:
        yield typing, TerminalKeys(stream)
    os.close(typing)


def is_cooked(typing: int) -> bool:
    return bool(termios.tcgetattr(typing)[3] & termios.ICANON)


def pressed(pair: Pair, *data: bytes) -> list[str]:
    typing, keys = pair
    taken = []
    with keys:
        for one in data:
            os.write(typing, one)
            keys.wait(5)
        while key := keys.take():
            taken.append(key)
    return taken


def test_a_key_counts_without_enter(pair: Pair) -> None:
    assert pressed(pair, b"r", b"?") == ["r", "?"]


def test_a_key_that_is_held_down_counts_once(pair: Pair) -> None:
    assert pressed(pair, b"hhhhr", b"h") == ["h", "r", "h"]


def test_arrows_and_control_characters_are_no_keys(pair: Pair) -> None:
    assert pressed(pair, b"\x1b[A", b"\r\t", b"\xc3\xb6", b"n") == ["ö", "n"]


def test_other_programs_find_the_terminal_as_it_was(pair: Pair) -> None:
    typing, keys = pair
    with keys:
        assert not is_cooked(typing)
        with keys.lent():
            assert is_cooked(typing)
            os.write(typing, b"q\n")  # for the other program
        assert not is_cooked(typing)
        assert keys.take() == ""
    assert is_cooked(typing)


def test_an_interrupt_still_interrupts_and_leaves_the_terminal_as_it_was(pair: Pair) -> None:
    typing, keys = pair

    def interrupted() -> None:
        with keys:
            assert termios.tcgetattr(typing)[3] & termios.ISIG
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert is_cooked(typing)


def test_in_the_background_no_key_is_read(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TerminalKeys, "_in_front", lambda _self: False)
    typing, keys = pair
    with keys:
        os.write(typing, b"q\n")
        keys.wait(0)
        assert keys.take() == ""
    assert is_cooked(typing)


def test_without_a_terminal_there_are_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q"))
    assert keys_of_terminal(is_shown=True) is None
