"""Files of OUT that are made one after the other. What cannot be made or written costs none of the others."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.machine.atomic_file import write_atomically


@dataclass(frozen=True)
class File:
    """A file to be written, and what makes its text."""

    path: Path
    make: Callable[[], str | bytes]


def write_files(files: Iterable[File]) -> tuple[list[str], list[str]]:
    """What could not be made, and what could not be written."""
    faults: list[str] = []
    unwritten: list[str] = []
    for file in files:
        try:
            text = file.make()
        except Exception:  # noqa: BLE001 -- a fault in one page must not cost the others
            faults.append(f"{file.path}: {traceback.format_exc()}")
            continue
        try:
            write_atomically(file.path, text)
        except OSError as error:
            unwritten.append(f"{file.path}: {error.strerror}")
    return faults, unwritten
