"""Single keys from the terminal, without Enter. It knows nothing of what a key means. Without a terminal there are no keys.

The terminal is changed only as far as needed: Ctrl-C still interrupts, and what other programs expect is given back while they run and
at the end.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from grader.system.own_files import open_page

if TYPE_CHECKING:
    from rich.console import Console

_MOST_BYTES = 1024  # of what was pressed at once


class TerminalKeys:
    """`stream` is a terminal. Keys count between `__enter__` and `__exit__`."""

    def __init__(self, stream: TextIO) -> None:
        self._descriptor = stream.fileno()
        self._before = termios.tcgetattr(self._descriptor)
        self._pressed: list[str] = []
        self._returned = False  # from a stop by Ctrl-Z: the shell has changed the terminal
        self._open = True

    def __enter__(self) -> Self:
        self._handler = signal.signal(signal.SIGCONT, self._continued)
        self._take_terminal()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGCONT, self._handler)
        self._give_terminal()

    def wait(self, seconds: float) -> None:
        """Until a key is pressed, at most so long."""
        if not self._open or not self._in_front():
            select.select([], [], [], seconds)
            return
        if self._returned:
            self._returned = False
            self._take_terminal()
        if not self._pressed and select.select([self._descriptor], [], [], seconds)[0]:
            self._read()

    def take(self) -> str:
        """The next key that was pressed; empty: none. A key that was pressed several times in a row counts once."""
        if not self._pressed:
            self.wait(0)
        if not self._pressed:
            return ""
        key = self._pressed[0]
        while self._pressed and self._pressed[0] == key:
            del self._pressed[0]
        return key

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Another program uses the terminal meanwhile. What was pressed before does not count any more."""
        self._give_terminal()
        try:
            yield
        finally:
            self._take_terminal()
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            self._pressed.clear()

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _MOST_BYTES)
        except OSError:
            data = b""
        if not data:  # the terminal is gone
            self._open = False
        if data.startswith(b"\x1b"):  # an arrow or another key with a sequence of its own
            return
        self._pressed += [one for one in data.decode("utf-8", "ignore") if one.isprintable()]

    def _in_front(self) -> bool:
        """Whether this program may read: one in the background would be stopped."""
        try:
            return os.tcgetpgrp(self._descriptor) == os.getpgrp()
        except OSError:
            return False

    def _take_terminal(self) -> None:
        if self._in_front():
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def _give_terminal(self) -> None:
        if self._in_front():
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _continued(self, _number: int, _frame: FrameType | None) -> None:
        self._returned = True


def keys_of_terminal(*, is_shown: bool) -> TerminalKeys | None:
    """None where nobody can press a key or see what it does. `is_shown`: whether the output is a terminal."""
    try:
        return TerminalKeys(sys.stdin) if is_shown and sys.stdin.isatty() else None
    except (OSError, ValueError, termios.error):
        return None


# The terminal that a student looks at, or what replaces it: a pipe, a file, a log of continuous integration. It holds no
# content.

_AROUND = 3  # the command, make's own last line, the next prompt


def student_console() -> Console:
    """Plain text where there is no terminal or NO_COLOR is set. It never fails for a character that it cannot show."""
    from rich.console import Console  # noqa: PLC0415 -- a student waits for the compiler, and it is drawn on afterwards

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False, emoji=False, color_system=None if os.environ.get("NO_COLOR") else "auto")


def window_lines(console: Console, around: int = _AROUND) -> int | None:
    """How many lines a screen may have with so many around it; None if there is no window."""
    return max(console.height - around, 1) if console.is_terminal else None


# Starts other commands of `tilelab` for a key of `watch`, on the terminal that the watch lends them. Not here: what they show.

_PROGRAM = "import sys; sys.argv[0] = 'tilelab'; from grader.cli.cli import app; app()"
# Colours; no end by itself, whatever $LESS says, because the watch then clears the window; and the last line says the keys.
_PAGER_OPTIONS = ("-R", "-+F", "-+E", "-P--- q goes back, Space shows more ---")


@dataclass(frozen=True)
class OwnTerminal:
    """`lent` gives the terminal back for as long as another program uses it."""

    root: Path
    lent: Callable[[], AbstractContextManager[None]]

    def trace(self, lab_id: str) -> str:
        """What is said where it cannot be made."""
        made = self._run("trace", "--lab", lab_id)
        short = self._shown(made.stdout)
        return short if made.returncode == 0 and made.stdout.strip() else _said(made)

    def answers(self, lab_id: str) -> str:
        """What is said where there are no questions, or a file cannot be read. An open question is nothing to say here."""
        made = self._run("answers", lab_id)
        return self._shown(made.stdout) if made.stdout.strip() else _said(made)

    def _shown(self, text: str) -> str:
        """A short text is for the watch's own screen: nobody has to leave anything. A longer one is shown here, in a pager."""
        columns, lines = shutil.get_terminal_size()
        if sum(1 + (len(line) - 1) // columns if line else 1 for line in text.splitlines()) <= lines // 2:
            return text.rstrip()
        pager = shutil.which("less")
        with self.lent(), contextlib.suppress(KeyboardInterrupt):
            if pager:
                subprocess.run([pager, *_PAGER_OPTIONS], input=text, text=True, check=False)
            else:
                sys.stdout.write(f"{text}\nEnter goes back ")
                sys.stdout.flush()
                sys.stdin.readline()
        return ""

    def page(self, lab_id: str) -> str:
        made = self._run("report", lab_id, "--no-show")
        if made.returncode != 0:
            return _said(made)
        page = self.root / "build" / "report.html"
        opened = open_page(page, os.environ)
        return f"The page is {page}" + ("" if opened else "  (no browser could be started)")

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", _PROGRAM, *words], cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", check=False,
        )  # fmt: skip


def _said(made: subprocess.CompletedProcess[str]) -> str:
    """The last line, which is the sentence."""
    lines = [line for line in (made.stderr or made.stdout).splitlines() if line.strip()]
    return lines[-1].removeprefix("tilelab: ") if lines else f"the command ended with {made.returncode}"
