"""The terminal that a student looks at, or what replaces it: a pipe, a file, a log of continuous integration. It holds no
content.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console

_AROUND = 3  # the command, make's own last line, the next prompt


def student_console() -> Console:
    """Colour on a terminal; plain text elsewhere, and always if NO_COLOR is set. It never fails for a character that it cannot
    show.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")


def window_lines(console: Console) -> int | None:
    """How many lines a screen may have; None if there is no window."""
    return max(console.height - _AROUND, 1) if console.is_terminal else None


def whole_window(console: Console) -> int | None:
    """How many lines a screen may have that is alone in the window; None if there is no window."""
    return max(console.height, 1) if console.is_terminal else None
