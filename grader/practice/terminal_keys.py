"""Single keys from the terminal, without Enter. It knows nothing of what a key means. Without a terminal there are no keys.

The terminal is changed only as far as needed: Ctrl-C still interrupts, and what other programs expect is given back while they run and
at the end.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Self, TextIO

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
