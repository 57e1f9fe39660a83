"""A batch's temporary folder goes with the batch, and what a killed one left goes with the next."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from pathlib import Path

import pytest

from grader.model.errors import MachineError
from grader.roll.batch.output_folder import scratch_folder


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def _hold(ready: multiprocessing.synchronize.Event) -> None:
    with scratch_folder() as folder:
        (folder / "left").touch()
        ready.set()
        signal.pause()


def test_a_folder_goes_with_its_batch(tmp_path: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_killed_batchs_folder_is_removed_by_the_next_and_a_living_ones_is_not(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    killed = context.Process(target=_hold, args=(ready,))
    killed.start()
    assert ready.wait(60)
    (left,) = tmp_path.iterdir()
    with scratch_folder() as folder:
        assert {left, folder} == set(tmp_path.iterdir())
    assert killed.pid is not None
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    with scratch_folder() as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_a_place_that_takes_no_files_is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(MachineError, match="TMPDIR"), scratch_folder():
        pass
