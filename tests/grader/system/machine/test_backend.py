"""What TILELAB_BACKEND asks for, and the message where the machine does not have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.engines import backend, gpu_toolchain
from grader.engines.backend import Device, GpuBackend, backend_choice, open_backend
from grader.engines.gpu_toolchain import GpuTarget, GpuToolchain, NoToolchain, find_toolchain
from grader.model.errors import RemediableError
from grader.system.confinement import Unconfined

KIT = {"compiler": "g++", "includes": []}


def test_nothing_said_means_whatever_is_there() -> None:
    assert backend_choice({}) == "auto"
    assert backend_choice({"TILELAB_BACKEND": "cuda"}) == "cuda"
    with pytest.raises(RemediableError, match="cpu, cuda or auto"):
        backend_choice({"TILELAB_BACKEND": "gpu"})


def test_cpu_asks_nothing_of_nvidias() -> None:
    found = open_backend("cpu", Path("/nonexistent"), KIT, Unconfined())
    assert not found.runs
    assert found.speed_message == "speed was not measured: TILELAB_BACKEND=cpu"


def test_a_gpu_that_was_asked_for_and_is_not_there_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "gpu_devices", list)
    monkeypatch.setattr(backend, "find_toolchain", lambda *_: NoToolchain("there is no nvcc"))
    with pytest.raises(RemediableError, match=r"no NVIDIA GPU.*there is no nvcc"):
        open_backend("cuda", tmp_path, KIT, Unconfined())
    found = open_backend("auto", tmp_path, KIT, Unconfined())
    assert not found.runs
    assert "no NVIDIA GPU" in found.speed_message
    assert "nvcc" not in found.speed_message  # a toolkit is useless without a GPU


def test_a_driver_that_does_not_work_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = tmp_path / "build" / "bin" / "gpu-runner"
    runner.parent.mkdir(parents=True)
    runner.write_text('#!/bin/sh\necho \'{"trouble": "the driver is asleep"}\'\n')
    runner.chmod(0o755)
    monkeypatch.setattr(backend, "gpu_devices", lambda: [Path("/dev/nvidia0")])
    monkeypatch.setattr(backend, "find_toolchain", lambda *_: NoToolchain("no nvcc"))
    assert "the driver is asleep" in open_backend("auto", tmp_path, KIT, Unconfined()).speed_message


def test_a_gpu_older_than_the_oldest_supported_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = tmp_path / "build" / "bin" / "gpu-runner"
    runner.parent.mkdir(parents=True)
    old = '{"name": "Old", "capability": 61, "multiprocessors": 1, "memory_bytes": 1, "l2_bytes": 1}'
    runner.write_text(f'#!/bin/sh\necho \'{{"driver": 12000, "devices": [{old}]}}\'\n')
    runner.chmod(0o755)
    monkeypatch.setattr(backend, "gpu_devices", lambda: [Path("/dev/nvidia0")])
    monkeypatch.setattr(backend, "find_toolchain", lambda *_: NoToolchain("no nvcc"))
    assert (
        "compute capability 7.5 or newer is needed" in open_backend("auto", tmp_path, KIT, Unconfined()).speed_message
    )


def test_outcomes_follow_from_toolkit_and_gpu() -> None:
    device = Device(0, "A GPU", 90, 132, 1, 1, 13000)
    toolchain = GpuToolchain(Path("/opt/cuda"), (13, 0), "g++", ())
    assert str(device) == "A GPU (compute capability 9.0, driver for CUDA 13.0)"
    descriptions = {GpuBackend(), GpuBackend(toolchain), GpuBackend(toolchain, device)}
    assert len({one.description for one in descriptions}) == 3


@pytest.mark.parametrize(("version", "usable"), [("11.8", False), ("12.0", True), ("12.9", True), ("13.0", True)])
def test_the_toolkit_that_cuda_home_names_is_used_from_twelve_on(version: str, usable: bool, tmp_path: Path) -> None:
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(f'#!/bin/sh\necho "Cuda compilation tools, release {version}, V{version}.1"\n')
    nvcc.chmod(0o755)
    found = find_toolchain(tmp_path, "g++", (), {"CUDA_HOME": str(tmp_path / "cuda"), "PATH": ""})
    used = isinstance(found, GpuToolchain) and found.root == (tmp_path / "cuda").resolve()
    assert used == usable
    if used and isinstance(found, GpuToolchain):
        assert found.name == f"nvcc {version}"


@pytest.mark.parametrize(("understands", "taken"), [("new", "new"), ("old", "old")])
def test_a_toolkit_older_than_the_kits_compiler_is_given_one_that_it_understands(
    understands: str, taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = pretended(tmp_path, understands, monkeypatch)
    for _ in range(2):  # the second time from the record
        found = backend._working_toolchain(toolchain, Unconfined(), GpuTarget(80), tmp_path / "cache")
        assert isinstance(found, GpuToolchain)
        assert Path(found.host_compiler).name == taken
    asked = (tmp_path / "asked").read_text(encoding="utf-8").split()
    assert asked == (["new"] if understands == "new" else ["new", "new", "old"])  # with lambdas for the device as well


def test_a_toolkit_that_understands_no_compiler_here_is_said_with_the_kits_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = pretended(tmp_path, "none", monkeypatch)
    found = backend._working_toolchain(toolchain, Unconfined(), GpuTarget(80), tmp_path / "cache")
    assert isinstance(found, NoToolchain)
    assert "cannot compile a kernel here: error: not with new" in found.reason


def pretended(folder: Path, understands: str, monkeypatch: pytest.MonkeyPatch) -> GpuToolchain:
    """A fake nvcc that works with only one of two host compilers: `new`, the kit's own, and `old`."""
    nvcc = folder / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(
        '#!/bin/sh\nfor word in "$@"; do case $word in -ccbin=*) with=${word##*/};; *.cubin) made=$word;; --dryrun) dry=1;; esac; done\n'
        '[ -z "$dry" ] || { echo "#$ cc -E -D__CUDA_ARCH__=800 submission.cu -o submission.ii" >&2; exit 0; }\n'
        f'echo "$with" >>{folder}/asked\n'
        f'[ "$with" = {understands} ] && touch "$made" || {{ echo "error: not with $with" >&2; exit 1; }}\n'
    )
    for program in (nvcc, folder / "new", folder / "old"):
        program.touch()
        program.chmod(0o755)
    monkeypatch.setattr(gpu_toolchain, "OLDER_COMPILERS", (str(folder / "old"), str(folder / "new")))
    return GpuToolchain(folder / "cuda", (12, 4), str(folder / "new"), ())
