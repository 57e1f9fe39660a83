"""What `tilelab watch` shows: a screen for each save, on a terminal and in a log, whatever happens to a file."""

from __future__ import annotations

import datetime as dt
import io
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from grader.model.course_root import load_labs
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Build, Case, Suspect
from grader.model.verdicts import Verdict
from grader.practice.practice import Practice
from grader.practice.watch_loop import WatchLoop

NOW = dt.datetime(2026, 9, 1, 12, 34, 56, tzinfo=dt.UTC)
LAB = """title = "{0}"
summary = "s"
problem = "p"
file = "{0}.cu"
kernel = "k()"
launch = "l()"
shapes = "any"
[[case]]
name = "adds"
points = 1
advice = "Where does the sum start?"
"""


def judge(lab: Lab, source: Path, _scratch: Path, *, only: tuple[str, ...] = ()) -> LabOutcome:  # noqa: ARG001
    text = source.read_text(encoding="utf-8")
    if text == "breaks":
        message = "the judge fell over"
        raise RuntimeError(message)
    verdict = Verdict.PASS if text == "right" else Verdict.WRONG_ANSWER
    cases = tuple(JudgedCase(spec.name, verdict is Verdict.PASS, verdict, "C[0] is wrong") for spec in lab.public.case)
    return LabOutcome(lab.id, build=Build(ok=True), cases=cases)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        folder = tmp_path / "assignments" / name
        folder.mkdir(parents=True)
        (folder / "lab.toml").write_text(LAB.format(name))
        (folder / f"{name}.cu").write_text("wrong")
    return tmp_path


class FakeSearch:
    """Finds line 1 of every wrong file, at once or, if it `waits`, when it is stopped."""

    def __init__(self, *, waits: bool = False) -> None:
        self.waits, self.ended = waits, 0

    def suspects(
        self,
        _lab: Lab,
        _text: str,
        _cases: Sequence[Case],
        /,
        *,
        stopped: Callable[[], bool],
    ) -> tuple[Suspect, ...]:
        while self.waits and not stopped():
            time.sleep(0.001)
        self.ended += 1
        return (Suspect(lines=(1,), before="secret change"),)


def watched(root: Path, saves: Iterator[list[str]], *, terminal: bool = False, search: FakeSearch | None = None) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, height=24, force_terminal=terminal, color_system=None)
    practice = Practice(root, load_labs(root, []), judge, search=search)
    watch_loop = WatchLoop(practice, console, clock=lambda: NOW)
    assert watch_loop.run(saves) == 0
    return out.getvalue()


def save(root: Path, *texts: tuple[str, str]) -> Iterator[list[str]]:
    for lab, text in texts:
        (root / "assignments" / lab / f"{lab}.cu").write_text(text)
        yield [lab]


def test_what_was_saved_is_tested_again_and_the_rest_is_kept(root: Path) -> None:
    screens = watched(root, save(root, ("two", "still wrong"), ("two", "right"), ("one", "right"))).split("\n\n\n")
    shown = watched_focus("".join(screens))
    assert shown == ["one", "two", "one"]
    assert screens[-1].rstrip().endswith("Every test passes.")


def watched_focus(text: str) -> list[str]:
    return re.findall(r"^▸ \S (\S+)  +\d of \d  ", text, re.MULTILINE)


def test_a_log_gets_results_alone(root: Path) -> None:
    text = watched(root, save(root, ("one", "right")))
    assert "\x1b" not in text
    assert "Ctrl-C" not in text
    assert "testing" not in text


def test_a_terminal_is_cleared_and_told_how_to_end(root: Path) -> None:
    text = watched(root, save(root, ("one", "right")), terminal=True)
    assert text.count("\x1b[2J") == 2
    assert "12:34:56  watching 2 files; save to test again, Ctrl-C to end" in text
    assert "testing one" in text


def test_a_file_that_is_gone_is_said_and_the_watch_goes_on(root: Path) -> None:
    def vanish() -> Iterator[list[str]]:
        file = root / "assignments/two/two.cu"
        file.unlink()
        yield ["two"]
        file.write_text("right")
        yield ["two"]

    text = watched(root, vanish())
    assert text.count("there is no such file") == 1
    assert "  ✓ two" in text


def test_what_breaks_on_our_side_is_said_without_a_stack_trace(root: Path) -> None:
    text = watched(root, save(root, ("one", "breaks"), ("one", "right")))
    assert "Traceback" not in text
    assert "the judge fell over" in text
    assert "  ✓ one" in text


def test_an_interrupt_ends_it_cleanly_at_any_moment(root: Path) -> None:
    def interrupted() -> Iterator[list[str]]:
        yield ["one"]
        raise KeyboardInterrupt

    assert "adds" in watched(root, interrupted())


@pytest.mark.parametrize("terminal", [False, True])
def test_between_two_saves_the_line_to_look_at_is_added(root: Path, *, terminal: bool) -> None:
    text = watched(root, save(root, ("two", "right")), terminal=terminal, search=FakeSearch())
    assert "Where to look: Look at line 1" in text
    assert "secret" not in text


def test_a_save_ends_the_search_before_it_and_nothing_is_said_of_that(root: Path) -> None:
    search = FakeSearch(waits=True)
    text = watched(root, save(root, ("two", "right"), ("one", "right")), search=search)
    assert "Where to look" not in text
    assert text.rstrip().endswith("Every test passes.")
    assert search.ended > 0
