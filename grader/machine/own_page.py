"""Which files are pages that step through a block, so that an earlier run has made them: others are never replaced or taken away."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_MARKS = (b'<main class="stepper">', b'<script type="application/json" id="story">')
_MOST_BYTES = 4_000_000
# How their names begin beside a report.
KINDS = ("trace", "race", "blocks", "barrier", "lanes", "unset", "outside", "sum", "copy", "untouched")
MOST_LAUNCHES = 3  # of a lab that have pages


def beside_report(kind: str, lab: str, launch: int = 1) -> str:
    """The name of a page beside a report. `launch`: counts those of the lab that have pages."""
    return f"{kind}-{lab}.html" if launch == 1 else f"{kind}-{lab}-{launch}.html"


def is_foreign(file: Path) -> bool:
    """Whether there is something that is no such page. What cannot be read is foreign."""
    if not file.is_symlink() and not file.exists():
        return False
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return True
        text = file.read_bytes()
    except OSError:
        return True
    return not all(mark in text for mark in _MARKS)


def remove_stale(folder: Path, labs: Iterable[str], written: Iterable[str]) -> None:
    """Takes away the pages of these labs that an earlier run has left in `folder`, but for those that were written now."""
    kept = set(written)
    launches = range(1, MOST_LAUNCHES + 1)
    for name in (beside_report(kind, lab, launch) for lab in labs for kind in KINDS for launch in launches):
        file = folder / name
        if name not in kept and file.is_file() and not is_foreign(file):
            file.unlink(missing_ok=True)
