"""The programs of this folder: each says how it is run, and each is what nvcc compiles and links, where there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from corpus_sample import sample
from program_header import programs, read

NVCC = shutil.which("nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))


@pytest.mark.parametrize("file", programs("clean"), ids=lambda file: file.stem)
def test_a_right_program_says_what_it_prints(file: Path) -> None:
    header = read(file)
    assert header.kind == ""
    assert header.prints.endswith("\n") or header.prints == ""


@pytest.mark.parametrize("file", programs("found"), ids=lambda file: file.stem)
def test_a_mistake_has_its_line_and_what_is_said_of_it(file: Path) -> None:
    header = read(file)
    assert header.kind
    assert header.says
    lines = file.read_text(encoding="utf-8").splitlines()
    assert 2 < header.line <= len(lines)
    assert lines[header.line - 1].strip()


def release() -> int:
    """The major version of the nvcc here."""
    said = subprocess.run([str(NVCC), "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"release (\d+)", said)
    assert found, said
    return int(found[1])


@pytest.mark.skipif(NVCC is None, reason="there is no nvcc here")
@pytest.mark.parametrize("file", sample([*programs("clean"), *programs("found")], 80), ids=lambda file: file.stem)
def test_nvcc_compiles_it(file: Path, tmp_path: Path) -> None:
    """A sample of the programs by default. A line of a program may say with which options, or of nvcc before which version."""
    text = file.read_text(encoding="utf-8")
    if (older := re.search(r"^// nvcc: before (\d+)", text, re.MULTILINE)) and release() >= int(older[1]):
        pytest.skip(f"written for nvcc before {older[1]}")
    command = [str(NVCC), "-w", "-arch=sm_90", "-o", str(tmp_path / "program"), str(file)]
    command += re.findall(r"^// nvcc: (-\S+)$", text, re.MULTILINE)
    command += [f"-l{one}" for one in ("curand", "cublas") if f"<{one}" in text]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "__cudaCDP" in done.stderr or "separate compilation" in done.stderr:  # kernels that call the runtime or launch
        command += ["-rdc=true", "-lcudadevrt"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
