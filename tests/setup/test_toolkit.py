"""Where set-up fetches NVIDIA's compiler: only with a GPU, without a toolkit, and with a driver that can run what it makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
  set -euo pipefail
  root=$PWD prefix=/nonexistent log=$PWD/log
  for piece in say bundle needs python toolkit; do . "$0/$piece.sh"; done
  has_gpu() { [ "$GPU" = yes ]; }
  has_toolkit() { [ "$TOOLKIT" = yes ]; }
  driver_version() { echo "$DRIVER"; }
  pip_install() {
    echo "$@" >asked
    [ "$NETWORK" = yes ] || return 1
    mkdir -p .tilelab/cuda.new/nvidia/cu13/{bin,nvvm/bin}
    touch .tilelab/cuda.new/nvidia/cu13/{bin/nvcc,nvvm/bin/cicc}
  }
  mkdir -p .tilelab
  provide_toolkit
"""


def provide(folder: Path, **machine: str) -> str:
    """What set-up says on such a machine."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "GPU": "yes",
        "TOOLKIT": "no",
        "DRIVER": "13000",
        "NETWORK": "yes",
        **machine,
    }
    command = ["bash", "-c", SCRIPT, str(ROOT / "kit" / "setup")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stderr


def test_a_gpu_without_a_toolkit_gets_a_compiler_of_one_release(tmp_path: Path) -> None:
    provide(tmp_path)
    asked = (tmp_path / "asked").read_text().split()
    wheels = [word for word in asked if "==" in word]
    assert len(wheels) == 4
    assert len({word.partition("==")[2] for word in wheels}) == 1
    assert (tmp_path / ".tilelab" / "cuda" / "bin" / "nvcc").stat().st_mode & 0o111
    assert (tmp_path / ".tilelab" / "cuda" / "nvvm" / "bin" / "cicc").stat().st_mode & 0o111


@pytest.mark.parametrize("machine", [{"GPU": "no"}, {"TOOLKIT": "yes"}])
def test_nothing_is_fetched_where_nothing_is_needed(machine: dict[str, str], tmp_path: Path) -> None:
    assert provide(tmp_path, **machine) == ""
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("driver", ["12040", ""])
def test_a_driver_too_old_for_what_can_be_fetched_is_said_and_stops_nothing(driver: str, tmp_path: Path) -> None:
    assert "install a toolkit" in provide(tmp_path, DRIVER=driver)
    assert not (tmp_path / "asked").exists()


def test_a_bundle_without_a_compiler_is_said_and_nothing_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / ".tilelab" / "bundle").mkdir(parents=True)
    assert "make bundle OPTIONS=--cuda" in provide(tmp_path)
    assert not (tmp_path / "asked").exists()


def test_a_compiler_is_taken_from_a_bundle_that_has_one(tmp_path: Path) -> None:
    (tmp_path / ".tilelab" / "bundle").mkdir(parents=True)
    (tmp_path / ".tilelab" / "bundle" / "nvidia_cuda_nvcc-13.0.88-py3-none-any.whl").touch()
    provide(tmp_path)
    assert (tmp_path / ".tilelab" / "cuda" / "bin" / "nvcc").is_file()


def test_without_a_network_the_cpu_executor_is_left(tmp_path: Path) -> None:
    assert "on the CPU executor only" in provide(tmp_path, NETWORK="no")
    assert not (tmp_path / ".tilelab" / "cuda").exists()
