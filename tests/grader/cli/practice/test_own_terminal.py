"""What a key of `watch` shows of another command: below the screen where it is short, else in a pager that says how to leave it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.cli.practice.terminal_keys import OwnTerminal

CHILD = """
import contextlib, subprocess, sys
from grader.cli.practice.terminal_keys import OwnTerminal
OwnTerminal._run = lambda *words: subprocess.CompletedProcess(words, 0, "".join(f"line {n}\\n" for n in range(200)), "")
print("BACK", repr(OwnTerminal("here", contextlib.nullcontext).answers("lab")))
"""


def made(monkeypatch: pytest.MonkeyPatch, lines: int) -> OwnTerminal:
    """Its other command prints so many lines; nobody may ask for the terminal."""

    def lent() -> contextlib.AbstractContextManager[None]:
        message = "the terminal was lent"
        raise AssertionError(message)

    text = "".join(f"line {number}\n" for number in range(lines))
    monkeypatch.setattr(OwnTerminal, "_run", lambda *words: subprocess.CompletedProcess(words, 0, text, ""))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
    return OwnTerminal(Path(), lent)


def test_a_short_text_is_for_the_screen_of_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(monkeypatch, 3).answers("lab") == "line 0\nline 1\nline 2"


def test_a_text_that_would_push_the_screen_out_of_the_window_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="lent"):
        made(monkeypatch, 20).answers("lab")


@pytest.fixture
def typing() -> Iterator[tuple[int, int]]:
    """A terminal without a window: the side of a person, and that of a program."""
    person, program = os.openpty()
    yield person, program
    os.close(person)


@pytest.mark.skipif(shutil.which("less") is None, reason="needs less")
@pytest.mark.parametrize("less", ["", "-F -X", "-E"])
def test_a_long_text_says_how_to_leave_it_and_q_leaves_it(typing: tuple[int, int], less: str) -> None:
    person, program = typing
    environment = {**os.environ, "TERM": "xterm", "LESS": less, "LINES": "24", "COLUMNS": "80"}
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(
        command, stdin=program, stdout=program, stderr=program, start_new_session=True, env=environment
    ) as child:
        os.close(program)
        seen = b""
        while b"q goes back" not in seen:
            seen += os.read(person, 4096)
        assert b"line 199" not in seen
        os.write(person, b"q")
        with contextlib.suppress(OSError):  # the terminal ends with its last program
            while data := os.read(person, 4096):
                seen += data
        assert child.wait(60) == 0
    assert b"BACK ''" in seen
