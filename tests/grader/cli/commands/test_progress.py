"""What a person, or a log, is told while a class is graded. The clock is the test's."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.cli.classes.grade_command import TerminalProgress, time_left


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def watched(*, terminal: bool) -> tuple[TerminalProgress, Clock, io.StringIO]:
    text, clock = io.StringIO(), Clock()
    console = Console(file=text, force_terminal=terminal, width=100, color_system=None, highlight=False)
    return TerminalProgress(console, clock), clock, text


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (120, 900, 55.0, "about 6 minutes left"),
        (1, 2, 60.0, "about 1 minute left"),
        (890, 900, 600.0, "less than a minute left"),
        (10, 1000, 60.0, "about 2 hours left"),
        (10, 900, 1.0, ""),
        (0, 900, 600.0, ""),
        (900, 900, 600.0, ""),
    ],
)
def test_the_time_left_follows_from_what_is_done(done: int, total: int, seconds: float, words: str) -> None:
    assert time_left(done, total, seconds) == words


def test_a_log_gets_five_lines_of_judging_with_the_time_left() -> None:
    progress, clock, text = watched(terminal=False)
    progress.begin(900, 30)
    for _ in range(900):
        clock.now += 0.5
        progress.step()
    progress.end()
    assert text.getvalue().splitlines() == [
        "900 to judge, 30 already judged earlier",
        "180 of 900 judged, about 6 minutes left",
        "360 of 900 judged, about 4 minutes left",
        "540 of 900 judged, about 3 minutes left",
        "720 of 900 judged, about 2 minutes left",
        "900 of 900 judged",
    ]


def test_a_log_hears_nothing_of_other_work_that_is_quickly_done() -> None:
    progress, clock, text = watched(terminal=False)
    for number in range(300):
        clock.now += 0.005
        progress.doing("reading submissions", number, 300)
    assert not text.getvalue()


def test_a_log_hears_of_other_work_after_two_seconds_and_then_once_a_minute() -> None:
    progress, clock, text = watched(terminal=False)
    for number in range(10_000):
        progress.doing("reading submissions", number, 10_000)
        clock.now += 1 / 64
    assert text.getvalue().splitlines() == [
        "reading submissions: 128 of 10000",
        "reading submissions: 3968 of 10000, about 2 minutes left",
        "reading submissions: 7808 of 10000, less than a minute left",
    ]


def test_a_person_sees_at_once_what_is_done_and_what_is_known_of_it() -> None:
    progress, clock, text = watched(terminal=True)
    progress.doing("reading submissions", 0, 300)
    progress.begin(900, 0)
    clock.now += 60
    for _ in range(120):
        progress.step()
    progress.note("3 tasks run")
    progress.end()
    assert "reading submissions: 0 of 300" in text.getvalue()
    assert "120 of 900 judged, about 6 minutes left; 3 tasks run" in text.getvalue()


def test_a_log_gets_the_first_note_and_then_one_a_minute() -> None:
    progress, clock, text = watched(terminal=False)
    for words in ("[waiting]", "[waiting]", "1 runs", "2 run"):
        progress.note(words)
        clock.now += 25
    assert text.getvalue().splitlines() == ["[waiting]", "2 run"]
