"""Times kernels against each other on this machine's GPU: holds the device alone while the timer runs them.

`paired_times.py` and `speed_score.py` compute what the times mean. The timer decides whether an output is right; it never loads a
submission.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from grader.machine.backend import GPU_RUN_LIMITS, Device
from grader.machine.gpu_lock import GpuLock
from grader.machine.toolset import Toolset
from grader.model.outcomes.outcome import Contest
from grader.speed.contestants import STAGE, Built, ContestError

WARM_UP_MS = 200
LIMIT_MS = 20_000  # for the context, the warm-up and all rounds together, so that a kernel that hangs does not block the device
_STEP_LIMIT_SECONDS = 300  # for one step of the timer
Alone = Callable[[], AbstractContextManager[None]]  # in it, nobody else uses the device


def run_contest(  # noqa: PLR0913 -- what is timed, and the timer's options
    toolset: Toolset,
    built: Built,
    problem: str,
    shape: str,
    *,
    rounds: int,
    kept: int,
    seed: int | None = None,
    warm_up_ms: int = WARM_UP_MS,
) -> Contest:
    """Times the built kernels. `kept`: the contestant whose outputs are checked. `seed` None: a random one, which nobody can know.

    Raises ContestError where the timer itself fails. A kernel that fails is a result.
    """
    options = {
        "--problem": problem, "--shape": shape, "--rounds": rounds, "--kept": kept,
        "--seed": secrets.randbits(63) if seed is None else seed, "--warm-up-ms": warm_up_ms, "--limit-ms": LIMIT_MS,
    }  # fmt: skip
    with toolset.gpu.borrowed_device() as device:
        assert device is not None
        return _timed(toolset, device, built, options)


def _timed(toolset: Toolset, device: Device, built: Built, options: dict[str, object]) -> Contest:
    target = device.target
    image = {
        "driver": target.driver, "device": target.device, "stage": STAGE, "contestants": list(built.contestants),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="timed-", dir=built.folder) as name:
        scratch = Path(name)
        contest = built.folder / f"{scratch.name}.json"  # beside the cubins, because its paths are relative
        runner, report = scratch / "runner.json", scratch / "timing.json"
        contest.write_text(json.dumps(image), encoding="utf-8")
        runner.write_text(json.dumps({"argv": _runner(toolset, device, contest, built)}), encoding="utf-8")
        arguments = [str(one) for pair in options.items() for one in pair]
        command = [str(timer(toolset)), *arguments, "--runner", str(runner), "--report", str(report)]
        alone = partial(toolset.gpu.alone.alone, device.lock_name, GpuLock(device.lock_name))
        seconds = run_timer(command, alone, toolset.gpu.turns, scratch / "stderr")
        try:
            written = json.loads(report.read_text(encoding="utf-8"))
            result = Contest.model_validate({**written, "device": device.name, "device_seconds": seconds})
        except (ValueError, ValidationError) as error:
            message = f"the timer's report cannot be read: {error}"
            raise ContestError(message) from error
    if result.status == "internal-error":
        raise ContestError(result.detail)
    return result


def run_timer(command: list[str], alone: Alone, turns: threading.BoundedSemaphore, stderr: Path) -> float:
    """Runs the timer, and holds the device alone from when the timer is prepared until its last launch has ended. Contexts are made and
    outputs checked while others may use the device. `turns` is held while there is a context. Returns the seconds for which the
    device was held alone.
    """
    with stderr.open("wb") as errors, contextlib.ExitStack() as left:
        with turns:
            process = left.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            )
            held = _hold_while_timed(process, alone)
        with _time_limit(process):
            status = process.wait()
    if status != 0:
        text = stderr.read_text(encoding="utf-8", errors="replace")[:1000]
        ended = "did not end" if status == -signal.SIGKILL else f"failed with status {status}: {text}"
        message = f"the timer {ended}"
        raise ContestError(message)
    return held


def _hold_while_timed(process: subprocess.Popen[bytes], alone: Alone) -> float:
    """Returns seconds, or 0 where the timer ended before it was prepared."""
    assert process.stdin is not None
    assert process.stdout is not None
    with _time_limit(process):
        prepared = process.stdout.readline()
    if not prepared:
        return 0
    with alone(), _time_limit(process):
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"go\n")
            process.stdin.flush()
        process.stdout.readline()
        return time.monotonic() - began


@contextlib.contextmanager
def _time_limit(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kills the timer where a step takes too long. Waiting for the device has no limit."""
    watch = threading.Timer(_STEP_LIMIT_SECONDS, process.kill)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def timer(toolset: Toolset) -> Path:
    return toolset.part("timer")


def _runner(toolset: Toolset, device: Device, contest: Path, built: Built) -> list[str]:
    assert toolset.gpu.runner is not None
    return toolset.confinement.wrap(
        [str(toolset.gpu.runner), "--contest", str(contest)],
        readable=[toolset.gpu.runner, contest.parent, *device.folders, *built.folders],
        writable=[],
        limits=GPU_RUN_LIMITS,
        profile="gpu",
    )
