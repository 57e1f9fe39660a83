"""Starts other commands of `tilelab` for a key of `watch`, on the terminal that the watch lends them. Not here: what they show."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from grader.machine.kit_parts import PartError, provide_parts
from grader.machine.page_opener import open_page

_PROGRAM = "import sys; sys.argv[0] = 'tilelab'; from grader.commands.cli import app; app()"
# Colours; no end by itself, whatever $LESS says, because the watch then clears the window; and the last line says the keys.
_PAGER_OPTIONS = ("-R", "-+F", "-+E", "-P--- q goes back, Space shows more ---")


@dataclass(frozen=True)
class OwnTerminal:
    """`lent` gives the terminal back for as long as another program uses it."""

    root: Path
    lent: Callable[[], AbstractContextManager[None]]

    def trace(self, lab_id: str) -> str:
        """What is said where it cannot be made."""
        try:
            provide_parts(self.root, "tracer")  # here, because the first time takes long, and a line says so
        except PartError as error:
            return str(error)
        made = self._run("trace", "--lab", lab_id)
        if not made.stdout.strip():
            return _said(made)
        short = self._shown(made.stdout)
        return short if made.returncode == 0 else _said(made)

    def answers(self, lab_id: str) -> str:
        """What is said where there are no questions, or a file cannot be read. An open question is nothing to say here."""
        made = self._run("answers", lab_id)
        if not made.stdout.strip():
            return _said(made)
        return self._shown(made.stdout)

    def _shown(self, text: str) -> str:
        """A short text is for the watch's own screen: nobody has to leave anything. A longer one is shown here, in a pager that says how
        to go back.
        """
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
