"""The launch that is proposed for a kernel: what the file's constants say, and otherwise sizes that fit each other."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from grader.run.kernels.kernel_source import KernelSource
from grader.run.kernels.parameter_types import Parameter, numbers_type
from grader.run.launches.kernel_check import ProposedLaunch, proposed_launch

FLOAT = numbers_type("float", "floating", 4)
INT = numbers_type("int", "signed", 4)
FLAT = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
WIDE = "int i = blockIdx.y * blockDim.y + threadIdx.y;"


def proposed(body: str, host: str, numbers: int = 1) -> ProposedLaunch:
    """For the kernel `f(float* a, int n, …)`."""
    text = (
        f"#define N 1024\n__global__ void f(float* a) {{ {body} }}\nint main(int c, char** v) {{ float* d; {host} }}\n"
    )
    pointer = Parameter("a", "float*", FLOAT, is_pointer=True, is_const=False)
    number = Parameter("n", "int", INT, is_pointer=False, is_const=False)
    return proposed_launch(KernelSource("main.cu", {"main.cu": text}), "f", [pointer, *[number] * numbers])


def test_the_files_own_launch_is_whole_where_constants_say_all_of_it() -> None:
    found = proposed(FLAT, "cudaMalloc(&d, N * 4); f<<<N / 128, 128>>>(d, N);")
    assert (found.is_whole, found.grid, found.block) == (True, (8, 1, 1), (128, 1, 1))
    assert found.arguments == ("float[1024]=0", "int=1024")


def test_a_launch_that_is_too_large_gets_fewer_blocks_and_keeps_its_buffers() -> None:
    found = proposed(WIDE, "cudaMalloc(&d, N * N * 4); dim3 b(32, 32), g(N / b.x, N / b.y); f<<<g, b>>>(d, N);")
    found_again = proposed(WIDE, "cudaMalloc(&d, N * N * 4); f<<<dim3(32, 32), dim3(32, 32)>>>(d, N);")
    assert not found_again.is_whole
    assert (found_again.grid, found_again.block) == ((2, 2, 1), (32, 32, 1))
    assert found_again.arguments == found.arguments == ("float[1048576]=0", "int=1024")


def test_where_only_the_buffer_is_known_the_grid_does_not_leave_it() -> None:
    found = proposed(FLAT, "cudaMalloc(&d, 512 * 4); f<<<atoi(v[1]), 256>>>(d, N);")
    assert (found.grid, found.block, found.arguments) == ((2, 1, 1), (256, 1, 1), ("float[512]=0", "int=1024"))


def test_a_number_of_the_file_is_not_taken_without_its_buffers() -> None:
    found = proposed(FLAT, "cudaMalloc(&d, atoi(v[1])); f<<<4, 256>>>(d, N);")
    assert found.arguments == ("float[1024]=0", "int=1024")


@pytest.mark.parametrize(("block", "grid", "number"), [("32, 32", (2, 2, 1), 64), ("16, 16", (2, 2, 1), 32)])
def test_in_two_dimensions_numbers_are_as_large_as_the_grid(
    block: str, grid: tuple[int, int, int], number: int
) -> None:
    found = proposed(WIDE, f"f<<<atoi(v[1]), dim3({block})>>>(d, atoi(v[2]));")
    assert (found.grid, found.arguments[1]) == (grid, f"int={number}")


def test_three_numbers_of_a_wide_kernel_are_half_as_large_and_so_is_the_grid() -> None:
    found = proposed(WIDE, "f<<<atoi(v[1]), dim3(32, 32)>>>(d, atoi(v[2]), 1, 2);", 3)
    assert (found.grid, set(found.arguments[1:])) == ((1, 1, 1), {"int=32"})


@pytest.mark.parametrize(("numbers", "size"), [(3, 64), (5, 8), (7, 4)])
def test_the_more_numbers_the_smaller_they_are(numbers: int, size: int) -> None:
    assert set(proposed(FLAT, "", numbers).arguments[1:]) == {f"int={size}"}


def test_a_kernel_that_asks_for_no_block_gets_one() -> None:
    assert proposed("a[threadIdx.x] = 0;", "").grid == (1, 1, 1)
    assert proposed(FLAT, "").grid == (4, 1, 1)


def test_dynamic_shared_memory_of_unknown_size_is_large_and_leaves_room_for_arrays() -> None:
    assert proposed(f"extern __shared__ float s[]; {FLAT}", "f<<<4, 256, atoi(v[1])>>>(d, N);").shared_bytes == 32 << 10
    assert proposed(f"extern __shared__ float s[]; {FLAT}", "f<<<4, 256, 512>>>(d, atoi(v[1]));").shared_bytes == 512


_KERNELS = tomllib.loads(Path(__file__).with_name("proposals.toml").read_text(encoding="utf-8"))["kernel"]
_TYPES = {"float": FLOAT, "int": INT, "unsigned": numbers_type("unsigned int", "unsigned", 4)}


def parameter(text: str) -> Parameter:
    """Of `const float* A`."""
    plain = text.strip().removeprefix("const ")
    written, name = plain.rsplit(" ", 1)
    is_pointer = written.endswith("*")
    return Parameter(name, written, _TYPES[written.rstrip("*")], is_pointer=is_pointer, is_const=plain != text.strip())


@pytest.mark.parametrize("kernel", _KERNELS, ids=lambda one: one["name"])
def test_sizes_and_grid_follow_from_the_kernels_own_indices(kernel: dict[str, Any]) -> None:
    text = kernel["text"]
    head = text[text.index(" f(") + 3 : text.index(") {", text.index(" f("))]
    found = proposed_launch(KernelSource("f.cu", {"f.cu": text}), "f", list(map(parameter, head.split(","))))
    assert list(found.arguments) == kernel["arguments"]
    assert kernel["launch"] in found.command(["f.cu"])
