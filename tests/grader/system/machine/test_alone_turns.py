"""The device goes from one to the next of this process, and those who share it get their turn."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.system import gpu_lock
from grader.system.gpu_lock import AloneTurns, GpuLock

IsFree = Callable[[str, Path], bool]


def order_of(folder: Path, timers: int) -> str:
    """The first letters of who had the device, where somebody wants to share it while the first has it and the others wait."""
    turns, lock, order, rows = AloneTurns(), GpuLock("gpu", folder), list[str](), list[bool]()
    begun, go = threading.Event(), threading.Event()

    def alone() -> None:
        with turns.alone("gpu", lock) as in_a_row:
            begun.set()
            assert go.wait(300)
            rows.append(in_a_row)
            order.append("alone")

    def share() -> None:
        with lock.shared():
            order.append("shared")

    threads = [threading.Thread(target=alone) for _ in range(timers)]
    for thread in threads:
        thread.start()
    assert begun.wait(300)
    while turns.waiting("gpu") < timers - 1:
        time.sleep(0.01)
    threads.append(threading.Thread(target=share))
    threads[-1].start()
    go.set()
    for thread in threads:
        thread.join(300)
    row = min(timers, gpu_lock._MOST_IN_A_ROW)
    assert rows[:row] == [False] + [True] * (row - 1)
    assert timers == row or not rows[row]  # the next row begins like the first
    return "".join(one[0] for one in order)


def test_who_waits_for_the_device_alone_gets_it_from_the_one_before(tmp_path: Path, is_free: IsFree) -> None:
    assert order_of(tmp_path, 5) == "aaaaas"
    assert is_free("gpu", tmp_path)


def test_after_a_row_the_device_is_given_back_for_others(
    tmp_path: Path, is_free: IsFree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_lock, "_MOST_IN_A_ROW", 3)
    order = order_of(tmp_path, 5)
    assert order[:3] == "aaa"  # who is next then is the kernel's choice
    assert sorted(order) == sorted("aaaaas")
    assert is_free("gpu", tmp_path)


def test_a_failure_while_alone_gives_the_device_back(tmp_path: Path, is_free: IsFree) -> None:
    turns, lock = AloneTurns(), GpuLock("gpu", tmp_path)
    with pytest.raises(ValueError, match="broken"), turns.alone("gpu", lock):
        int("broken")
    assert is_free("gpu", tmp_path)
    with turns.alone("gpu", lock):
        assert not is_free("gpu", tmp_path)


def test_a_device_that_cannot_be_taken_is_tried_by_the_next(tmp_path: Path, is_free: IsFree) -> None:
    turns = AloneTurns()
    with pytest.raises(FileNotFoundError), turns.alone("gpu", GpuLock("gpu", tmp_path / "missing")):
        pass
    with turns.alone("gpu", GpuLock("gpu", tmp_path)):
        assert not is_free("gpu", tmp_path)
    assert is_free("gpu", tmp_path)


def test_the_device_is_taken_when_a_row_is_ready_or_nobody_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_lock, "_MOST_IN_A_ROW", 2)
    turns, lock, order = AloneTurns(), GpuLock("gpu", tmp_path), list[str]()
    judged = threading.Event()

    def judge() -> None:
        with turns.shared("gpu", lock):
            assert judged.wait(300)
            order.append("judged")

    def time_alone() -> None:
        with turns.alone("gpu", lock):
            order.append("timed")

    threads = [threading.Thread(target=one) for one in (judge, time_alone)]
    threads[0].start()
    while lock_is_shared(tmp_path) is False:
        time.sleep(0.01)
    threads[1].start()
    while turns.waiting("gpu") < 1:
        time.sleep(0.01)
    with lock.shared():  # it does not hold the gate while it waits: further judges may begin
        pass
    judged.set()
    for thread in threads:
        thread.join(300)
    assert order == ["judged", "timed"]


def lock_is_shared(folder: Path) -> bool:
    """Whether somebody has the device now."""
    file = os.open(folder / "tilelab-gpu-gpu.lock", os.O_RDONLY | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
