"""Passages in a page that are the output of a command. The command is run again and compared, so that no number is out of date.

<!-- made by: .venv/bin/tilelab … -->
what the command prints
<!-- made: end -->

The commands are those of the course's own pages, and run in its root without a shell. Never use this for other people's pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.diagnostic import Diagnostic

_BEGIN = re.compile(r"<!-- made by: (.+?) -->\s*")
_END = "<!-- made: end -->"
_SECONDS = 120
REMEDY = "run `.venv/bin/tilelab check-course --remake`"


class MadeTextError(Exception):
    """A passage has no end, or a command fails. The text says what, `line` says where."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Passage:
    line: int  # of the opening marker, 1-based
    command: str
    text: str  # the present text, without the markers


def passages(text: str) -> list[Passage]:
    """The passages of a page, in order. Markers inside a fenced block are examples and do not count. Raises MadeTextError."""
    found: list[Passage] = []
    opened: tuple[int, str] | None = None
    held: list[str] = []
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        begin = _BEGIN.fullmatch(line)
        if opened is not None:
            if begin is not None:
                raise MadeTextError(number, f"a passage begins inside the passage that began in line {opened[0]}")
            if line.rstrip() == _END:
                found.append(Passage(*opened, "\n".join(held).strip("\n")))
                opened, held = None, []
            else:
                held.append(line)
        elif line.startswith("```"):
            fenced = not fenced
        elif not fenced and begin is not None:
            opened = (number, begin[1])
        elif not fenced and line.rstrip() == _END:
            raise MadeTextError(number, "a passage ends here, but none began")
    if opened is not None:
        raise MadeTextError(opened[0], f"this passage has no `{_END}`")
    return found


def made(root: Path, passage: Passage) -> str:
    """What the passage's command prints now. Raises MadeTextError where it fails."""
    path = f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            shlex.split(passage.command), cwd=root, env={**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=_SECONDS,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or ""
        raise MadeTextError(passage.line, f"`{passage.command}` fails: {error} {output}".rstrip()) from error
    return done.stdout.strip("\n")


def outdated(root: Path, page: str) -> Iterator[Diagnostic]:
    """The passages of `page` that differ from what their commands print."""
    try:
        for passage in passages((root / page).read_text(encoding="utf-8")):
            if made(root, passage) != passage.text:
                yield Diagnostic(page, passage.line, f"differs from what `{passage.command}` prints; {REMEDY}")
    except MadeTextError as error:
        yield Diagnostic(page, error.line, str(error))


def remake(root: Path, page: str) -> bool:
    """Brings the passages of `page` up to date, and returns whether any was out of date. Raises MadeTextError."""
    text = (root / page).read_text(encoding="utf-8")
    lines = text.splitlines()
    for passage in reversed(passages(text)):
        after = passage.line + lines[passage.line :].index(
            next(one for one in lines[passage.line :] if one.rstrip() == _END)
        )
        lines[passage.line : after] = made(root, passage).split("\n")
    fresh = "\n".join(lines) + "\n"
    if fresh == text:
        return False
    (root / page).write_text(fresh, encoding="utf-8")
    return True
