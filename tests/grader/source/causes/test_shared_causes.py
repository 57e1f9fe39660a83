"""Arrays that should be shared are told from those that are a thread's own for a reason."""

from __future__ import annotations

import pytest

from grader.source.kernel_causes import (
    dynamic_without_bytes,
    forgotten_shared,
    larger_than_the_block,
    never_set,
    pointers_without_memory,
)
from grader.source.student_code import StudentCode

FILLED = "  {}\n  int tx = threadIdx.x;\n  a[tx] = A[tx];\n  __syncthreads();\n  C[tx] = a[tx ^ 1];\n"


@pytest.mark.parametrize("declared", ["float a[32];", "int a[32] ;", "volatile float a[32];", "float b[2], a[32];"])
def test_a_thread_s_own_array_that_the_block_fills_is_told(declared: str) -> None:
    found = list(forgotten_shared(StudentCode(FILLED.format(declared))))
    assert [(one.place.line, one.message.split(" ")[0]) for one in found] == [(1, "`a`")]


@pytest.mark.parametrize(
    "text",
    [
        FILLED.format("__shared__ float a[32];"),
        FILLED.format("float a[32];").replace("__syncthreads();", ""),
        "  float acc[4];\n  for (int i = 0; i < 4; ++i) acc[i] = 0;\n  __syncthreads();\n  C[threadIdx.x] = acc[0];\n",
        "  float a[4];\n  a[threadIdx.x] = 1;\n  __syncthreads();\n  C[0] = a[threadIdx.x];\n",
    ],
)
def test_an_array_of_a_threads_own_is_not_told_where_it_may_be_meant(text: str) -> None:
    assert list(forgotten_shared(StudentCode(text))) == []


def test_a_shared_pointer_is_told_only_where_nothing_sets_it() -> None:
    assert len(list(pointers_without_memory(StudentCode("  __shared__ float* a;\n  a[0] = 1;\n")))) == 1
    assert list(pointers_without_memory(StudentCode("  __shared__ float* a;\n  a = C;\n"))) == []


def test_dynamic_shared_memory_is_told_only_where_the_launch_asks_for_none() -> None:
    code = StudentCode("  extern __shared__ float a[];\n")
    assert len(list(dynamic_without_bytes(code, 0, "go"))) == 1
    assert list(dynamic_without_bytes(code, 64, "go")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  float sum;\n  sum += 1;\n", "`sum`, declared in line 1, has no value when it is first added to in line 2."),
        ("  int i, n;\n  ++n;\n", "`n`, declared in line 1, has no value when it is first counted up in line 2."),
        ("  float sum;\n  sum = 0;\n  sum += 1;\n", ""),
        ("  float sum;\n  load(&sum);\n  sum += 1;\n", ""),
        ("  __shared__ float sum;\n  sum += 1;\n", ""),
        ("  float sum = 0;\n  sum += 1;\n", ""),
        ("}\nvoid f() {\n  float sum;\n}\nvoid g(float sum) {\n  sum += 1;\n}\n", ""),
    ],
)
def test_a_sum_that_never_got_a_value_is_followed_to_the_statement_that_adds_to_it(text: str, said: str) -> None:
    assert [one.message for one in never_set(StudentCode(text))] == ([said] if said else [])


@pytest.mark.parametrize(
    ("declared", "threads", "told"),
    [
        ("__shared__ float a[T * T];", 64, "`a` in line 2 has 256 elements, and a block has 64 threads"),
        ("__shared__ float b[4], a[T][T + 1];", 256, "`a` in line 2 has 272 elements, and a block has 256 threads"),
        ("__shared__ float a[T][T];", 256, ""),
        ("__shared__ float a[side];", 4, ""),
        ("float a[T][T];", 4, ""),
    ],
)
def test_a_tile_with_more_elements_than_threads_is_told(declared: str, threads: int, told: str) -> None:
    found = list(larger_than_the_block(StudentCode(f"#define T 16\n  {declared}\n"), "a", threads))
    assert [one.message.startswith(told) for one in found] == ([True] if told else [])


LOOP = "  for (int y = threadIdx.y; y < 32; y += 8)\n    a[y][x] = 1;\n"


@pytest.mark.parametrize(
    ("stores", "told"),
    [
        ("  a[threadIdx.y][x] = 1;\n", True),
        ("  for (int start = 0; start < K; start += 16) {\n    a[ty][tx] = A[start];\n  }\n", True),
        (LOOP, False),
        ("  for (int i = t; i < 1024; i += 256) {\n    int r = i / 32, c = i % 32;\n    a[r][c] = A[i];\n  }\n", False),
        ("  while (i < 1024) {\n    a[i / 32][i % 32] = A[i];\n    i += 256;\n  }\n", False),
        ("".join(f"  a[ty + {8 * n}][tx] = A[{n}];\n" for n in range(4)), False),
        ("".join(f"  a[ty + {8 * n}][tx] = A[{n}];\n" for n in range(2)), True),
    ],
)
def test_a_thread_that_stores_several_elements_is_not_told_to_store_more_than_one(stores: str, told: bool) -> None:
    found = list(larger_than_the_block(StudentCode(f"  __shared__ float a[32][32];\n{stores}"), "a", 256))
    assert bool(found) == told
