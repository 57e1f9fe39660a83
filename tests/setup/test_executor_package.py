"""The executor as a library by itself: its example is another CMake project that finds it in the build folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = (ROOT / "build/.cmake").read_text(encoding="utf-8").strip()


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout


def test_another_project_finds_the_executor_and_runs_a_kernel_on_it(tmp_path: Path) -> None:
    assert (ROOT / "build/lib/libtilelab_executor.a").is_file(), "build the target tilelab_executor: kit-tests does so"
    project, build = tmp_path / "project", tmp_path / "made"
    shutil.copytree(ROOT / "kit/executor/example", project)
    run(CMAKE, "-S", project, "-B", build, f"-DTilelabExecutor_DIR={ROOT / 'build'}")
    run(CMAKE, "--build", build)
    assert run(build / "executor_example").splitlines() == [
        "race: thread 1, write of values[1]",
        "out-of-bounds: thread 63, read of values[64]",
    ]
