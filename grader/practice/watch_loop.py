"""`tilelab watch`: tests the labs and shows the screen, and does so again whenever a file is saved, until it is interrupted. Between
two saves the line of a wrong result is looked for, and shown when it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from rich.console import Console, Group
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from grader.model.errors import RemediableError
from grader.practice.idle_search import IdleSearch
from grader.practice.practice import Practice, focus_of
from grader.practice.terminal_window import window_lines
from grader.reports.screens.checklist import Tried
from grader.reports.screens.first_mistake import suspect_view
from grader.reports.screens.lab_screen import Screen

_FOOTER_LINES = 1


class WatchLoop:
    """What was found so far, and the screen that shows it."""

    def __init__(self, practice: Practice, console: Console, *, clock: Callable[[], datetime]) -> None:
        self._practice, self._console, self._clock = practice, console, clock
        self._tried: dict[str, Tried] = {}
        self._troubles: dict[str, str] = {}  # which labs could not be tested, and why
        self._saved: Sequence[str] = ()
        self._idle = IdleSearch(practice, self._found)

    def run(self, saves: Iterable[Sequence[str]]) -> int:
        """Tests every lab, then each lab whose file is saved. Ends with 0 when it is interrupted."""
        try:
            self._test([lab.id for lab in self._practice.labs])
            for saved in saves:
                self._test(saved)
            self._idle.wait()
        except KeyboardInterrupt:
            self._idle.stop()
            if self._console.is_terminal:
                self._console.print()
        return 0

    def _test(self, lab_ids: Sequence[str]) -> None:
        self._idle.stop()
        with self._idle.lock:
            self._test_now(lab_ids)
        focus = _focus([self._tried[lab.id] for lab in self._practice.labs if lab.id in self._tried], lab_ids)
        if focus is not None and focus.lab_id in lab_ids:
            self._idle.begin(focus)

    def _found(self, suspected: Tried) -> None:
        """The screen again with the line to look at. A log gets only that line."""
        self._tried[suspected.lab_id] = suspected
        if self._console.is_terminal:
            self._show(self._saved)
        else:
            shown = suspect_view(suspected.result, {suspected.result.file: suspected.source}, self._console.width)
            self._console.print(Group(*shown), "")

    def _test_now(self, lab_ids: Sequence[str]) -> None:
        self._saved = lab_ids
        for lab in self._practice.labs:
            if lab.id in lab_ids:
                self._say(f"testing {lab.id} …")
                try:
                    self._tried[lab.id] = self._practice.attempt(lab)
                    self._troubles.pop(lab.id, None)
                except RemediableError as error:
                    self._tried.pop(lab.id, None)
                    self._troubles[lab.id] = str(error)
        self._show(lab_ids)

    def _show(self, saved: Sequence[str]) -> None:
        tried = [self._tried[lab.id] for lab in self._practice.labs if lab.id in self._tried]
        self._console.clear()  # does nothing without a terminal
        for trouble in self._troubles.values():
            self._console.print(Text(trouble, style="red"), soft_wrap=True)
        if tried:
            lines = window_lines(self._console)
            room = None if lines is None else lines - _FOOTER_LINES - len(self._troubles)
            following = self._practice.after(tried[0].lab_id) if len(tried) == 1 else ""
            self._console.print(Screen(tried, _focus(tried, saved), lines=room, next_lab=following))
        if self._console.is_terminal:
            many = len(self._practice.labs)
            files = self._practice.path(self._practice.labs[0]).name if many == 1 else f"{many} files"
            footer = f"{self._clock():%H:%M:%S}  watching {files}; save to test again, Ctrl-C to end"
            self._console.print(Text(footer, style="dim", no_wrap=True, overflow="ellipsis"), end="")
        else:
            self._console.print()  # a blank line between this screen and the next

    def _say(self, doing: str) -> None:
        """Replaces the last line on a terminal. A log gets only the results."""
        if self._console.is_terminal:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._console.print(Text(doing, style="dim", no_wrap=True, overflow="ellipsis"), end="")


def _focus(tried: Sequence[Tried], saved: Sequence[str]) -> Tried | None:
    """The saved lab, if it is a single one and does not pass, because its author wants to see it. Otherwise the usual choice."""
    if len(saved) == 1 and (own := next((one for one in tried if one.lab_id == saved[0]), None)) and not own.passed:
        return own
    return focus_of(tried)
