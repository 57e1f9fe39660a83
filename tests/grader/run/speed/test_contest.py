"""The timer with the kit's runner on a fake driver: it returns times, checks outputs, and notices a kernel that stops doing its work."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.toolset import Toolset
from grader.run.speed.contest import Built, ContestError, run_contest, run_timer
from grader.system.gpu_lock import GpuLock

IsFree = Callable[[str, Path], bool]
ROOT = Path(__file__).resolve().parents[4]
DRIVER = ROOT / "build" / "libfake-driver.so"


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    assert DRIVER.is_file(), "run `make setup` with the kit's tests"
    device = Device(0, "Fake GPU", 90, 4, 1 << 30, 4, 13000, str(DRIVER), uuid="0" * 31 + "1")
    opened = Toolset.open(ROOT, allow_no_sandbox=True)
    return dataclasses.replace(opened, gpu=GpuBackend(device=device, runner=ROOT / "build" / "bin" / "gpu-runner"))


def contest_between(folder: Path, *kernels: str) -> Built:
    for name in ("empty.cubin", "stage.cubin"):
        (folder / name).write_bytes(b"\0")
    parameters = "(float const*, float*, int, int)"
    return Built(
        folder,
        tuple(
            {
                "cubin": "empty.cubin",
                "functions": [f"_Z{len(kernel)}{kernel}PKfPfii"],
                "kernel": f"{kernel}{parameters}",
                "ask_launch": "ask_two",
                "alone": kernel != "transposes",
            }
            for kernel in kernels
        ),
        kernels,
    )


def test_every_round_of_every_contestant_is_timed_and_looked_at(toolset: Toolset, tmp_path: Path) -> None:
    built = contest_between(tmp_path, "transposes", "transposes")
    said = run_contest(toolset, built, "transpose", "40x24", rounds=7, kept=1, warm_up_ms=0)
    assert (said.status, said.detail) == ("completed", "")
    assert said.nanoseconds == ((250_000.0,) * 7, (250_000.0,) * 7)
    assert (said.looked_at, said.faults) == (7, ())
    assert len(said.elements) == 5
    assert all(one.relative_error == 0 for one in said.elements)
    assert said.relative_error == 0
    assert said.bytes == 2 * 4 * 40 * 24


def test_the_device_is_let_go_before_outputs_are_looked_at(tmp_path: Path, is_free: IsFree) -> None:
    lock = GpuLock("a-device", tmp_path)
    said = tmp_path / "said"
    wait = f"while [ ! -e {said} ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done; test -e {said}"
    script = f"echo prepared; read go; echo free; i=0; {wait}"

    def look() -> None:
        while not is_free("a-device", tmp_path):
            time.sleep(0.01)
        said.touch()  # the fake timer succeeds only if somebody found the device free

    watcher = threading.Thread(target=look)
    began = threading.Timer(0.3, watcher.start)  # at that time the lock is held, or free again
    began.start()
    run_timer(["sh", "-c", script], lock.alone, threading.BoundedSemaphore(1), tmp_path / "stderr")
    began.join()
    watcher.join()
    assert said.exists()


def test_the_device_is_not_held_while_a_contest_is_prepared(tmp_path: Path, is_free: IsFree) -> None:
    """Another process holds the device until the timer is prepared. If preparing needed the device, the timer would wait for ever."""
    ready = tmp_path / "ready"
    lock = GpuLock("a-device", tmp_path)

    def hold_until_ready() -> None:
        with GpuLock("a-device", tmp_path).alone():
            while not ready.exists():
                time.sleep(0.01)

    other = threading.Thread(target=hold_until_ready)
    other.start()
    run_timer(
        ["sh", "-c", f"touch {ready}; echo prepared; read go; echo free"],
        lock.alone,
        threading.BoundedSemaphore(1),
        tmp_path / "stderr",
    )
    other.join()
    assert is_free("a-device", tmp_path)


def test_a_timer_that_fails_is_our_failure(tmp_path: Path) -> None:
    with pytest.raises(ContestError, match="status 3: no such luck"):
        run_timer(
            ["sh", "-c", "echo no such luck >&2; exit 3"],
            GpuLock("a-device", tmp_path).alone,
            threading.BoundedSemaphore(1),
            tmp_path / "stderr",
        )


def test_a_kernel_that_stops_working_after_some_launches_is_found_out(toolset: Toolset, tmp_path: Path) -> None:
    said = run_contest(
        toolset,
        contest_between(tmp_path, "transposes", "tires"),
        "transpose",
        "40x24",
        rounds=31,
        kept=1,
        warm_up_ms=0,
    )
    assert said.status == "completed"
    assert [one.fault for one in said.faults] == ["out[0][0] is wrong"]
    assert said.faults[0].round > 0


def test_a_kernel_that_ends_its_process_is_the_students(toolset: Toolset, tmp_path: Path) -> None:
    said = run_contest(
        toolset,
        contest_between(tmp_path, "transposes", "breaks"),
        "transpose",
        "40x24",
        rounds=31,
        kept=1,
        warm_up_ms=0,
    )
    assert (said.status, said.contestant) == ("crash", 1)


def test_one_who_holds_the_device_alone_keeps_everybody_else_out(tmp_path: Path, is_free: IsFree) -> None:
    lock = GpuLock("a-device", tmp_path)
    assert is_free("a-device", tmp_path)
    with lock.alone():
        assert not is_free("a-device", tmp_path)
        assert is_free("another", tmp_path)
    with lock.shared(), lock.shared():
        assert is_free("a-device", tmp_path)
