"""All code for a GPU compiles for every compute capability that a course may meet, with each toolkit on this machine: the model solutions
and the faster kernels beside them, each with its generated tail, and the kit's own kernels for timed launches. Nothing is run.
"""

from __future__ import annotations

import dataclasses
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus_sample import sample
from kernel_labs import kernel_lab_ids

from grader.engines.backend import Device, GpuBackend
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import build_for_gpu
from grader.engines.gpu_toolchain import GpuTarget, GpuToolchain, NoToolchain, find_toolchain
from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.run.speed.contest import stage

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
CAPABILITIES = (75, 80, 89, 90, 100, 120)
FETCHED = ROOT / ".tilelab" / "cuda"


def kernels() -> Iterator[tuple[str, str]]:
    """Each lab with the .cu files of its private half: the model solution, and faster kernels beside it."""
    for lab_id in kernel_lab_ids(ROOT):
        private = load_lab(ROOT, lab_id).private_dir
        if private is not None:
            for path in [*sorted(private.glob("*.cu")), *sorted(private.glob("faster/*.cu"))]:
                yield lab_id, path.relative_to(private).as_posix()


@pytest.fixture(scope="module", params=["found", "fetched"])
def toolchain(request: pytest.FixtureRequest, toolset: Toolset) -> GpuToolchain:
    """The toolkit that grading would use here, and the one from PyPI's wheels."""
    environment = None
    if request.param == "fetched":
        if not FETCHED.is_dir():
            pytest.skip("no toolkit was fetched for this clone; `kit/setup/setup.sh toolkit` does")
        environment = {"CUDA_HOME": str(FETCHED), "PATH": "/usr/bin:/bin"}
    compiler, includes = toolset.toolchain.compiler, (ROOT / "kit" / "include",)
    found = find_toolchain(ROOT, compiler, includes, environment)
    if isinstance(found, NoToolchain):
        pytest.skip(f"nothing can be compiled for a GPU here: {found.reason}")
    if request.param == "found" and found.root == FETCHED.resolve():
        pytest.skip("the fetched toolkit is the only one here")
    assert request.param == "found" or found.root == FETCHED.resolve()
    return found


def compiled_for(cubin: Path) -> set[int]:
    """The capability in a cubin's ELF header. It is in the lowest byte of the flags, and from CUDA 13 on in the next byte."""
    (flags,) = struct.unpack_from("<I", cubin.read_bytes(), 48)
    return {flags & 0xFF, flags >> 8 & 0xFF}


@pytest.fixture(params=CAPABILITIES)
def capability(request: pytest.FixtureRequest, toolchain: GpuToolchain) -> int:
    wanted: int = request.param
    listed = subprocess.run([toolchain.nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout
    if f"sm_{wanted}" not in listed.split():
        pytest.skip(f"{toolchain.name} knows no compute capability {wanted // 10}.{wanted % 10}")
    return wanted


@pytest.mark.parametrize(("lab_id", "file"), sample(list(kernels()), 8))
def test_every_kernel_of_the_course_with_its_tail(
    lab_id: str, file: str, capability: int, toolchain: GpuToolchain, toolset: Toolset, tmp_path: Path
) -> None:
    lab = load_lab(ROOT, lab_id)
    assert lab.private_dir is not None
    source = tmp_path / lab.public.file
    source.write_bytes((lab.private_dir / file).read_bytes())
    (tmp_path / "work").mkdir()
    entries = EntrySignatures(lab.public.kernel, lab.public.launch)
    built = build_for_gpu(toolchain, toolset.confinement, source, tmp_path / "work", entries, GpuTarget(capability))
    assert built.image is not None, built.log
    assert built.resources is not None
    assert built.resources.registers > 0
    assert capability in compiled_for(tmp_path / "work" / "submission.cubin")


def test_the_kernels_around_a_timed_launch(
    capability: int, toolchain: GpuToolchain, toolset: Toolset, tmp_path: Path
) -> None:
    device = Device(0, "any", capability, 1, 1 << 30, 1, 13000)
    gpu = GpuBackend(toolchain=toolchain, device=device)
    made = stage(dataclasses.replace(toolset, build=tmp_path, gpu=gpu))
    assert capability in compiled_for(made)
