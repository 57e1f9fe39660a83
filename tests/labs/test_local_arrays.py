"""Which local arrays count as local memory: those that nvcc keeps there, in kernels of the course and
in those of `arrays_in_their_places.cu`, whose names say where each array belongs.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import kernel_resources
from grader.engines.gpu_toolchain import GpuToolchain, find_toolchain
from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("solutions/*", "solutions/*/ladder", "tests/labs/accepted/*", "tests/exploits/technique/*")
LABS = ("02-tiled", "03-boundary", "04-open", "05-transpose", "06-reduction", "07-histogram")
KERNELS = sorted(
    path.relative_to(ROOT).as_posix()
    for place in PLACES
    for path in ROOT.glob(f"{place}/*.cu")
    if any(lab in path.parts for lab in LABS)
)
_SMALL = 128  # bytes; smaller arrays, and what `printf` is given, are not looked at
NVCC = find_toolchain(ROOT, "g++", (ROOT / "kit" / "include",))


def counted(toolset: Toolset, source: Path, entries: EntrySignatures, folder: Path) -> list[str]:
    folder.mkdir()
    build = toolset.cpu_build(source, folder, entries)
    assert build.image is not None, build.log
    return sorted({name for name, _ in json.loads(build.image.read_text(encoding="utf-8"))["local_arrays"]})


def stacks(source: Path, folder: Path) -> list[int]:
    """Bytes of local memory of each kernel."""
    assert isinstance(NVCC, GpuToolchain)
    command = NVCC.compile(str(source), str(folder / "out.cubin"), 90)
    said = subprocess.run([*command, f"-I{source.parent}"], capture_output=True, text=True, check=True, timeout=300)
    return [one.stack_bytes for one in kernel_resources(said.stderr).values()]


@pytest.mark.parametrize("kernel", sample(KERNELS, 16))
def test_what_counts_as_local_memory_is_what_nvcc_keeps_there(kernel: str, toolset: Toolset, tmp_path: Path) -> None:
    source = ROOT / kernel
    lab = next(one for one in LABS if one in source.parts)
    public = load_lab(ROOT, lab).public
    if public.starts_itself or not isinstance(NVCC, GpuToolchain):
        pytest.skip("a program has kernels of its own, or there is no nvcc")
    found = counted(toolset, source, EntrySignatures(public.kernel, public.launch), tmp_path / "work")
    bytes_of_nvcc = max(stacks(source, tmp_path), default=0)
    assert bytes_of_nvcc > 0 or not found, found
    assert found or bytes_of_nvcc <= _SMALL, bytes_of_nvcc


# Their addresses go where nobody follows them: into a variable of the device, an array of pointers, a copy of bytes.
NOT_FOLLOWED = {"memory_called", "memory_chosen", "memory_copied", "memory_one", "memory_other", "memory_stored"}


def test_arrays_belong_where_their_names_say(toolset: Toolset, tmp_path: Path) -> None:
    source = Path(__file__).with_name("arrays_in_their_places.cu")
    found = set(counted(toolset, source, EntrySignatures("all(float const*, float*, int)", None), tmp_path / "work"))
    declared = set(re.findall(r"\b(?:memory|register)_\w+(?=[\[;])", source.read_text(encoding="utf-8")))
    assert len(declared) > 20
    assert found == {name for name in declared if name.startswith("memory_")} - NOT_FOLLOWED


def test_a_technique_that_is_missed_names_the_array_and_its_line(toolset: Toolset, tmp_path: Path) -> None:
    source = ROOT / "tests" / "exploits" / "technique" / "02-tiled" / "sums_in_a_local_array.cu"
    text = source.read_text(encoding="utf-8")
    line = 1 + text.split("\n").index("  float sums[tile / rows];")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    outcome = LabJudge(toolset, 1, public_only=True)(load_lab(ROOT, "02-tiled"), source, scratch)
    missed = [one.message for one in outcome.cases if one.message.startswith("correct, but ")]
    assert missed
    assert all(f"`sums` (line {line}) in local memory" in one for one in missed), missed
