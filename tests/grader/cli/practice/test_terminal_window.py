"""The student's terminal: with colour, or without where the student does not want it."""

from __future__ import annotations

import pytest

from grader.cli.practice.terminal_keys import student_console, window_lines


def test_no_color_takes_every_escape_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert student_console().color_system
    monkeypatch.setenv("NO_COLOR", "1")
    console = student_console()
    assert console.color_system is None
    with console.capture() as captured:
        console.print("words", style="bold red")
    assert captured.get() == "words\n"


def test_a_pipe_has_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert window_lines(student_console()) is None


def test_a_window_leaves_room_for_the_command_and_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    assert window_lines(student_console()) == 21
