"""Files of OUT that are made one after the other. What cannot be made or written costs none of the others."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.batch.written.kept_pages import KeptPages
from grader.machine.atomic_file import write_atomically


@dataclass(frozen=True)
class File:
    """A file to be written, and what makes its text."""

    path: Path
    make: Callable[[], str | bytes]
    inputs: str = ""  # a digest of all that it is made from; empty: it is made each time
    mode: int = 0o600  # grades are nobody else's on this machine


def write_files(files: Iterable[File], kept: KeptPages | None = None) -> tuple[list[str], list[str]]:
    """What could not be made, and what could not be written. `kept`: which of them need not be made."""
    faults: list[str] = []
    unwritten: list[str] = []
    for file in files:
        if kept is not None and kept.stands(file.path, file.inputs):
            continue
        try:
            text = file.make()
        except Exception:  # noqa: BLE001 -- a fault in one page must not cost the others
            faults.append(f"{file.path}: {traceback.format_exc()}")
            continue
        try:
            write_atomically(file.path, text, mode=file.mode)
        except OSError as error:
            unwritten.append(f"{file.path}: {error.strerror}")
            continue
        if kept is not None:
            kept.note(file.path, file.inputs, text)
    if kept is not None:
        kept.write()
    return faults, unwritten
