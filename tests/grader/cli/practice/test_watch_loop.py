"""What `tilelab watch` shows: a screen for each save, on a terminal and in a log, whatever happens to a file."""

from __future__ import annotations

import datetime as dt
import io
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from grader.cli.practice.practice import Practice
from grader.cli.practice.watch_loop import Event, WatchLoop
from grader.model.course_root import load_labs
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Build, Case, Suspect
from grader.model.verdicts import Verdict

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
    practice = Practice(root, load_labs(root, []), judge, search=search.suspects if search else None)
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
    assert "Where to look: line 1" in text
    assert "secret" not in text


def test_a_save_ends_the_search_before_it_and_nothing_is_said_of_that(root: Path) -> None:
    search = FakeSearch(waits=True)
    text = watched(root, save(root, ("two", "right"), ("one", "right")), search=search)
    assert "Where to look" not in text
    assert text.rstrip().endswith("Every test passes.")
    assert search.ended > 0


class FakeCommands:
    def __init__(self) -> None:
        self.called: list[tuple[str, str]] = []
        said = {"t": "", "p": "The page is build/report.html", "a": "{} asks no questions"}
        self.of_keys = {sign: partial(self.call, sign, text) for sign, text in said.items()}

    def call(self, sign: str, said: str, lab_id: str) -> str:
        self.called.append((sign, lab_id))
        return said.format(lab_id)


def pressed(root: Path, *events: Event, labs: Sequence[str] = (), height: int = 24) -> tuple[list[str], FakeCommands]:
    """The screens that a student sees, one for each event and the first, without the lines that are replaced."""
    out, commands = io.StringIO(), FakeCommands()
    console = Console(file=out, width=80, height=height, force_terminal=True, color_system=None)
    practice = Practice(root, load_labs(root, labs), judge)
    assert WatchLoop(practice, console, clock=lambda: NOW, commands=commands.of_keys).run(events) == 0
    return out.getvalue().split("\x1b[2J\x1b[H")[1:], commands


def test_r_tests_the_lab_in_view_again(root: Path) -> None:
    def change_and_press() -> Iterator[Event]:
        (root / "assignments/one/one.cu").write_text("right")
        yield "r"

    practice, out = Practice(root, load_labs(root, []), judge), io.StringIO()
    console = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)
    WatchLoop(practice, console, clock=lambda: NOW, commands=FakeCommands().of_keys).run(change_and_press())
    assert watched_focus(out.getvalue()) == ["one", "two"]


def test_n_brings_the_next_of_several_labs_into_view_and_comes_round(root: Path) -> None:
    screens, _ = pressed(root, *"nnn")
    assert [watched_focus(screen) for screen in screens] == [["one"], ["two"], ["one"], ["two"]]


def test_n_goes_on_from_the_only_lab_to_the_courses_next(root: Path) -> None:
    (root / "assignments/two/two.cu").write_text("right")
    screens, _ = pressed(root, *"nn", labs=["one"])
    assert "✓" in screens[1]
    assert "two  1 of 1 test" in screens[1]
    assert "This is the last lab." in screens[2]


def test_t_p_and_a_start_the_other_commands_on_the_lab_in_view(root: Path) -> None:
    screens, commands = pressed(root, *"ntpa")
    assert commands.called == [("t", "two"), ("p", "two"), ("a", "two")]
    assert "The page is build/report.html" in screens[-2]
    assert "two asks no questions" in screens[-1]


def test_h_gives_one_hint_after_another_and_a_save_begins_anew(root: Path) -> None:
    (root / "assignments/one/README.md").write_text("## Sums\n\nEach row-major element has an *index*.\n")
    screens, _ = pressed(root, *"hhhh", ["one"], *"h", labs=["one"])
    assert "Where does the sum start?" in screens[0]  # so it is no hint
    assert "Hint 1 of 2: Read again in README.md: “Sums”." in screens[1]
    assert "Hint 2 of 2: Each row-major element has an index." in screens[2]
    assert "That was the last one." in screens[3]
    assert "Hint" not in screens[5]
    assert "Hint 1 of 2" in screens[6]


def test_q_ends_it_and_other_keys_do_nothing(root: Path) -> None:
    screens, _ = pressed(root, *"xö7", "q", "r")
    assert len(screens) == 1


def test_the_question_mark_lists_every_key_and_goes_back(root: Path) -> None:
    screens, _ = pressed(root, *"??")
    for sign in "rntphaq?":
        assert f"\n  {sign}  " in screens[1]
    assert "adds" in screens[2]


def test_every_screen_fits_into_24_rows_and_names_the_keys(root: Path) -> None:
    (root / "assignments/one/README.md").write_text("## Sums\n\n" + "row-major " * 50)
    screens, _ = pressed(root, *"hhh?nnp")
    for screen in screens:
        shown = screen.split("\x1b[2K")[0].rstrip("\r")
        assert len(shown.split("\n")) <= 24
        assert shown.endswith("r run  n next  t trace  p page  h hint  a answers  q quit  ?")


def test_without_keys_none_is_named(root: Path) -> None:
    assert "r run" not in watched(root, save(root, ("one", "right")), terminal=True)
