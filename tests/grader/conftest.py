"""Fixtures for several tests of the grader."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def is_free() -> Callable[[str, Path], bool]:
    """Whether nobody holds the GPU of this name alone or waits for it. The second argument is the folder of its lock files."""

    def ask(name: str, folder: Path) -> bool:
        gate = folder / f"tilelab-gpu-{name}.gate"
        if not gate.exists():
            return True
        with gate.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    return ask
