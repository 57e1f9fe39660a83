"""Reads a 7z archive: a child process unpacks it within limits, and its entries are taken from there.

The reader of 7z (py7zr) is optional. Where it is not installed, the student is told which kinds are accepted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.intake.uploads.upload import Limits, Refusal

MARK = b"7z\xbc\xaf\x27\x1c"
_CHILD = Path(__file__).with_name("seven_zip_child.py")
_SECONDS = 120
_MISSING = (
    "this is a 7z archive, which cannot be opened here: hand in a zip (to open 7z too, the instructor can run "
    "`.venv/bin/pip install 'py7zr>=1,<2'`)"
)


def unpacked_seven_zip(path: Path, folder: Path, limits: Limits) -> Iterator[tuple[str, int, str, Path]]:
    """Of each entry its name, its size, its kind, and where its bytes are. Raises Refusal."""
    folder.mkdir()
    command = [
        sys.executable,
        "-I",
        str(_CHILD),
        str(path),
        str(folder),
        str(limits.members),
        str(limits.unpacked_bytes),
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL)
        told = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        message = "unpacking the archive takes too much time or memory"
        raise Refusal(message) from error
    if isinstance(told, dict):
        reason = str(told["refused"])
        raise Refusal(_MISSING if reason == "missing" else reason)
    for name, size, kind, number in told:
        yield str(name), int(size), str(kind), folder / str(number)
