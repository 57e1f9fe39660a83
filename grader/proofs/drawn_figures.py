"""The write-ups' pictures: those that `docs/figures/draw.py` draws are up to date, and a write-up shows each of them.

A course may also have pictures that were drawn by hand.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.course.diagnostic import Diagnostic

FIGURES = "assignments/figures"
SCRIPT = "docs/figures/draw.py"
_SECONDS = 120


def drawn(root: Path) -> dict[str, bytes]:
    """What the script draws, by file name. Empty where a course has no script. Raises CalledProcessError."""
    if not (root / SCRIPT).is_file():
        return {}
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        command = [sys.executable, str(root / SCRIPT), folder]
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=_SECONDS)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def outdated(root: Path) -> Iterator[Diagnostic]:
    try:
        pictures = drawn(root)
    except subprocess.SubprocessError as error:
        yield Diagnostic(SCRIPT, None, f"fails: {getattr(error, 'stderr', None) or error}")
        return
    for name, picture in sorted(pictures.items()):
        path = root / FIGURES / name
        if not path.is_file() or path.read_bytes() != picture:
            yield Diagnostic(
                f"{FIGURES}/{name}", None, f"differs from what {SCRIPT} draws; run `.venv/bin/python {SCRIPT}`"
            )
    write_ups = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "assignments").glob("*/*.md")))
    for path in sorted((root / FIGURES).glob("*.*")):
        if f"/{path.name}" not in write_ups:
            yield Diagnostic(f"{FIGURES}/{path.name}", None, "no write-up shows this figure; show it or remove it")
