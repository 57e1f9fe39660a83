"""A file that shows the CPU executor one program and nvcc another is refused; kernels that course and students write are one program.

Each file in tests/exploits/two_programs/ says on its first line whether it is refused, and in which line. This needs nvcc, and no GPU.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from attack_list import attack
from corpus_sample import sample
from kernel_labs import kernel_lab_ids

from grader.engines import compiler_view
from grader.engines.backend import GpuBackend
from grader.engines.gpu_toolchain import NoToolchain, find_toolchain
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.run.gpu_judging import two_programs
from grader.system.confinement import Unconfined, system_folders

ROOT = Path(__file__).resolve().parents[4]
ATTEMPTS = sorted((ROOT / "tests" / "exploits" / "two_programs").glob("*.cu"))
CORPUS = sorted(
    path
    for lab in kernel_lab_ids(ROOT)
    for folder in ("solutions", "assignments", "tests/labs/accepted")
    for path in ROOT.glob(f"{folder}/{lab}/*.cu")
)
Compare = Callable[[Path], Refusal | None]


@pytest.fixture(scope="module")
def with_nvcc() -> Toolset:
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    found = find_toolchain(ROOT, "g++", (ROOT / "kit" / "include",))
    if isinstance(found, NoToolchain):
        pytest.skip(f"nothing can be compiled for a GPU here: {found.reason}")
    return replace(here, gpu=GpuBackend(toolchain=found))


@pytest.fixture
def compare(with_nvcc: Toolset, tmp_path: Path) -> Compare:
    return lambda source: two_programs(with_nvcc, source, tmp_path)


@pytest.mark.parametrize("source", ATTEMPTS, ids=lambda path: path.stem)
def test_an_attempt_is_refused_in_its_line(source: Path, compare: Compare) -> None:
    said, refusal = attack(source), compare(source)
    if said["verdict"] == "pass":
        assert refusal is None
        return
    assert refusal is not None
    assert (refusal.verdict, refusal.line) == (Verdict(said["verdict"]), said.get("line", 0))
    assert refusal.advice


@pytest.mark.parametrize("source", sample(CORPUS, 12), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_honest_kernel_is_one_program(source: Path, compare: Compare) -> None:
    assert compare(source) is None


def test_the_executors_compiler_sees_nothing_of_the_toolkit(
    with_nvcc: Toolset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = with_nvcc.gpu.toolchain
    assert toolchain is not None
    if isinstance(with_nvcc.confinement, Unconfined) or any(
        folder in toolchain.root.parents for folder in system_folders()
    ):
        pytest.skip("what a compiler sees here is not ours to say")
    monkeypatch.setattr(compiler_view, "unlike_words", lambda _lines: None)  # which refuses the question itself
    source = tmp_path / "asks.cu"
    header = toolchain.root / "include" / "cuda.h"
    source.write_text(f'#if __has_include("{header}")\nint seen;\n#endif\n', encoding="utf-8")
    (tmp_path / "views").mkdir()
    refusal = two_programs(with_nvcc, source, tmp_path / "views")
    assert refusal is not None
    assert (
        "different programs" in refusal.message or f"asks for {header}" in refusal.message
    )  # some compilers stop there


def test_a_compiler_where_no_sandbox_looks_reads_a_file_for_both(
    with_nvcc: Toolset, tmp_path_factory: pytest.TempPathFactory
) -> None:
    toolchain = with_nvcc.gpu.toolchain
    assert toolchain is not None
    wrapper = tmp_path_factory.mktemp("opt") / "g++"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which(toolchain.host_compiler)} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    elsewhere = replace(with_nvcc, gpu=GpuBackend(toolchain=replace(toolchain, host_compiler=str(wrapper))))
    honest = ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu"
    assert two_programs(elsewhere, honest, tmp_path_factory.mktemp("views")) is None
