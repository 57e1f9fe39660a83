"""What a linked runner's debug information contains: shared arrays with name, element and dimensions, and functions with signatures."""

# ruff: noqa: E501 -- a case of a table is one line
from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from grader.engines.objects.debug_info import DebugInfo, read_debug_info

LAUNCH = "LaunchConfig scale_launch(int n) { return {dim3(1), dim3(32)}; }\n"
SOURCE = (
    "#include <tilelab/device.cuh>\n"
    + LAUNCH
    + """
struct Cell { float value; int count; };
namespace mine { namespace deep { __device__ float twice(const volatile float* a) { return 2 * a[0]; } } }
template <typename T, int N> __device__ T tile(T a) { __shared__ T s[N][N + 1]; s[1][2] = a; return s[1][2]; }
struct Acc { float sum; __device__ float add(float a) { return sum += a; } };
__device__ static float pick(Cell& cell, const Cell* const cells, unsigned long long n, const int (*rows)[4]) { return cell.value + cells[n].value + rows[0][0]; }
extern __shared__ float pool[];
__global__ void scale(const float* in, float* out, int n) {
  __shared__ Cell cells[8];
  __shared__ double cube[2][3][4];
  __shared__ int counter;
  extern __shared__ unsigned char bytes[];
  int rows[1][4] = {};
  Acc acc{0};
  cells[0] = {1, 2}; cube[1][2][3] = 1; counter = 1; pool[0] = 1; bytes[4] = 1;
  out[0] = mine::deep::twice(in) + tile<float, 16>(1) + tile<int, 8>(1) + acc.add(1) + pick(cells[0], cells, 0, rows);
}
"""
)


@pytest.fixture
def info(build: Callable[[str], Any]) -> DebugInfo:
    built = build(SOURCE)
    assert built.verdict == "built", built.build.log
    return read_debug_info(built.folder / "runner", "scale.cu")


def test_shared_arrays_are_known_with_their_elements_and_dimensions(info: DebugInfo) -> None:
    static = {(a.name, a.element, a.element_bytes, a.dimensions, a.bytes) for a in info.shared if not a.dynamic}
    assert static >= {
        ("cells", "Cell", 8, (8,), 64),
        ("cube", "double", 8, (2, 3, 4), 192),
        ("counter", "int", 4, (), 4),
        ("s", "float", 4, (16, 17), 16 * 17 * 4),
        ("s", "int", 4, (8, 9), 8 * 9 * 4),
    }
    places = sorted((a.offset, a.offset + a.bytes) for a in info.shared if not a.dynamic)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(places))


def test_dynamic_arrays_of_any_name_and_type_share_one_block(info: DebugInfo) -> None:
    dynamic = {a.name: a for a in info.shared if a.dynamic}
    assert (dynamic["pool"].element, dynamic["pool"].element_bytes) == ("float", 4)
    assert dynamic["bytes"].element_bytes == 1
    assert {a.offset for a in dynamic.values()} == {info.offsets["tilelab_dynamic_shared"]}


def test_functions_have_the_signatures_that_demanglers_write(info: DebugInfo) -> None:
    signatures = {f.signature for f in info.functions if f.in_submission}
    assert signatures >= {
        "scale(float const*, float*, int)",
        "scale_launch(int)",
        "mine::deep::twice(float const volatile*)",
        "tile<float, 16>(float)",
        "tile<int, 8>(int)",
        "Acc::add(float)",
    }
    assert {f.returns for f in info.functions if f.name == "scale_launch"} == {"LaunchConfig"}


def test_every_function_has_code_of_its_own(info: DebugInfo) -> None:
    ranges = sorted((f.first, f.end) for f in info.functions)
    assert all(first < end for first, end in ranges)
    assert all(end <= first for (_, end), (first, _) in pairwise(ranges))


def test_the_image_says_the_same(build: Callable[[str], Any]) -> None:
    built = build(SOURCE)
    image = json.loads((built.folder / "image.json").read_text(encoding="utf-8"))
    cube = next(array for array in image["shared"] if array["name"] == "cube")
    assert (cube["element"], cube["dimensions"], cube["dynamic"]) == ("double", [2, 3, 4], False)
    assert image["static_shared_bytes"] == 64 + 192 + 4 + 16 * 17 * 4 + 8 * 9 * 4
