"""All processor time of a process and its descendants is counted."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from grader.system.confined_run import processor_seconds

SPIN = "while :; do :; done"


@pytest.fixture
def busy() -> Iterator[int]:
    """Two processes that compute, one of them a grandchild that was told to wait."""
    process = subprocess.Popen(["/bin/sh", "-c", f"({SPIN}) & (({SPIN}) & wait) & wait"], start_new_session=True)
    yield process.pid
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_time_of_descendants_is_counted(busy: int) -> None:
    for _ in range(600):
        if processor_seconds(busy) >= 0.2:
            break
        time.sleep(0.1)
    assert processor_seconds(busy) >= 0.2


def test_a_process_that_is_gone_has_used_nothing() -> None:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    assert processor_seconds(process.pid) == 0
