"""Work in other processes gives what it gives here, and a process that is ended costs one try of one file."""

from __future__ import annotations

import copy
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset
from grader.system.worker_processes import MOST_BYTES, MOST_SECONDS, WorkerProcesses

ROOT = Path(__file__).resolve().parents[4]

# In the place of all commands: one that has workers.
_COMMANDS = """
from grader.system.worker_processes import WorkerProcesses
def app(prog_name):
    print("begun", flush=True)
    with WorkerProcesses(2) as workers:
        print(workers.run(int, "3"))
"""


@pytest.fixture
def workers() -> Iterator[WorkerProcesses]:
    with WorkerProcesses(2) as made:
        yield made


def test_work_is_done_elsewhere_and_what_it_raises_is_raised_here(workers: WorkerProcesses) -> None:
    assert workers.run(os.getpid) != os.getpid()
    assert workers.run(int, "11", base=2) == 3
    with pytest.raises(FileNotFoundError):
        workers.run(os.stat, "/nowhere")


def test_without_processes_work_is_done_here() -> None:
    with WorkerProcesses() as none:
        assert none.run(os.getpid) == os.getpid()


def test_a_process_that_is_ended_breaks_one_piece_of_work_and_another_process_does_the_next(
    workers: WorkerProcesses,
) -> None:
    for _ in range(3):
        with pytest.raises(RuntimeError, match="process that read this file was ended"):
            workers.run(signal.raise_signal, signal.SIGKILL)
    assert workers.run(os.getpid) != os.getpid()


def test_others_go_on_beside_a_process_that_is_ended(workers: WorkerProcesses) -> None:
    with ThreadPoolExecutor(1) as beside:
        other = beside.submit(workers.run, time.sleep, 0.5)
        with pytest.raises(RuntimeError):
            workers.run(signal.raise_signal, signal.SIGKILL)
        assert other.result() is None


def test_memory_and_processor_time_of_one_piece_of_work_are_limited(workers: WorkerProcesses) -> None:
    with pytest.raises(RuntimeError, match="needs more than 2048 MiB of the grader's memory"):
        workers.run(bytes, MOST_BYTES)
    assert len(workers.run(bytes, 8)) == 8
    soft, hard = workers.run(resource.getrlimit, resource.RLIMIT_CPU)
    assert MOST_SECONDS <= soft < MOST_SECONDS + 60
    assert soft != hard
    with pytest.raises(RuntimeError, match="process that read this file was ended"):
        workers.run(signal.raise_signal, signal.SIGXCPU)


def test_a_command_that_has_workers_runs_once(tmp_path: Path) -> None:
    """Each worker imports the program that was started."""
    (tmp_path / "cli.py").write_text(_COMMANDS, encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(f"import grader.cli; grader.cli.__path__.insert(0, {str(tmp_path)!r})")
    program = shutil.copy(ROOT / "kit" / "setup" / "tilelab-program.txt", tmp_path / "tilelab")
    ran = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "begun\n3\n", "")


def test_ctrl_c_is_left_to_the_grader(workers: WorkerProcesses) -> None:
    assert workers.run(signal.getsignal, signal.SIGINT) is signal.SIG_IGN


def test_another_process_gets_the_tools_without_the_gpu(workers: WorkerProcesses) -> None:
    here = Toolset.open(ROOT, allow_no_sandbox=True).working_with(workers)
    there = workers.run(copy.copy, here)
    assert (there.toolchain, there.confinement) == (here.toolchain, here.confinement)
    assert there.gpu.device is None
    assert there.workers.run(os.getpid) == os.getpid()


def test_a_file_is_built_elsewhere_as_here(workers: WorkerProcesses, tmp_path: Path) -> None:
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    entries = EntrySignatures("scale(float*, int)", "scale_launch(int)")
    source = tmp_path / "scale.cu"
    launch = "__host__ __device__ LaunchConfig scale_launch(int n) { return {dim3(1), dim3(n)}; }\n"
    kernel = "__global__ void scale(float* a, int n) { a[threadIdx.x % n] *= 2; }\n"
    for number, text in enumerate((f"{launch}{kernel}", f"{launch}{kernel}oops\n")):
        source.write_text(f"#include <tilelab/device.cuh>\n{text}", encoding="utf-8")
        images = []
        for name, toolset in {"here": here, "elsewhere": here.working_with(workers)}.items():
            folder = tmp_path / f"{name}{number}"
            folder.mkdir()
            built = toolset.cpu_build(source, folder, entries)
            assert (built.image is None) == bool(number)
            images.append((built.refusals, built.image and built.image.read_bytes()))
        assert images[0] == images[1]
