"""Numbers for buffers and variables: lists, text files, .npy files, raw bytes; and what a variable's initialiser becomes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from grader.run.kernels.argument_text import NumbersError, numbers_of
from grader.run.kernels.kernel_build import with_contents
from grader.run.kernels.kernel_source import CheckError, KernelSource


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("{1,2,3}", (1, 2, 3)),
        ("{ 1.5f, -2e3; 0x1F }", (1.5, -2000.0, 31)),
        ("{true}", (1,)),
        ("{inf}", (float("inf"),)),
    ],
)
def test_a_list(text: str, numbers: tuple[float, ...]) -> None:
    assert numbers_of(text, "float") == numbers


def test_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("# rows\n1, 2.5\n3;4\n", encoding="utf-8")
    assert numbers_of(f"@{tmp_path / 'a.csv'}", "float") == (1, 2.5, 3, 4)
    (tmp_path / "a.bin").write_bytes(struct.pack("<3h", 1, -2, 3))
    assert numbers_of(f"@{tmp_path / 'a.bin'}", "short") == (1, -2, 3)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4f", 1, 2, 3, 4.5)
    (tmp_path / "a.npy").write_bytes(data)
    assert numbers_of(f"@{tmp_path / 'a.npy'}", "float") == (1, 2, 3, 4.5)


@pytest.mark.parametrize("text", ["{1,two}", "{}", "{1", "@no/such/file.txt"])
def test_what_is_no_list_of_numbers_is_said(text: str) -> None:
    with pytest.raises(NumbersError):
        numbers_of(text, "float")


@pytest.mark.parametrize("content", [b"\x93NUMPY", b"\x93NUMPY\x01\x00\x04\x00{}\n\n", b"\x93NUMPY\x01\x00\xff\xff('"])
def test_a_damaged_npy_file_is_said(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(NumbersError):
        numbers_of(f"@{tmp_path / 'a.npy'}", "float")


@pytest.mark.parametrize(
    ("declaration", "setting", "becomes"),
    [
        ("__constant__ float w[3];", "w={1,2,0.5}", "__constant__ float w[3] = {1, 2, 0.5};"),
        ("__device__ int a, n, b;", "n=4", "__device__ int a, n = {4}, b;"),
        (
            "__constant__ float w[2][2] = {{1, 1},\n {1, 1}};",
            "w[4]=iota",
            "__constant__ float w[2][2] = {0, 1, 2, 3}\n;",
        ),
        ("static __device__ int flags[N];", "flags[3]=7", "static __device__ int flags[N] = {7, 7, 7};"),
    ],
)
def test_a_variable_is_initialised_in_its_line(declaration: str, setting: str, becomes: str) -> None:
    changed = with_contents(KernelSource("a.cu", {"a.cu": f"{declaration}\nint after;"}), [setting])
    assert changed.texts["a.cu"] == f"{becomes}\nint after;"


@pytest.mark.parametrize("setting", ["w", "w={1", "host={1}", "other=1", "w[99999999]=0", "w={nan}", "w[2]=two"])
def test_a_setting_that_fits_nothing_is_said(setting: str) -> None:
    with pytest.raises(CheckError, match="--set"):
        with_contents(KernelSource("a.cu", {"a.cu": "__constant__ float w[3];\nint host;\nvoid other() {}"}), [setting])
