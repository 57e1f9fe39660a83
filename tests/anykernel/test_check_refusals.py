"""What `tilelab check` does not run is named, with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_file import check


def test_a_file_that_is_not_there_is_reported_too(tmp_path: Path) -> None:
    done = check(str(tmp_path / "none.cu"), "--json")
    assert (done.status, done.report.verdict) == (2, None)
    assert "there is no such file" in done.report.message


def test_a_name_that_a_missing_header_may_declare_is_told_with_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text('#include "dims.h"\n__global__ void k(Image* A) {\n  A[0] = WIDTH;\n}\n', encoding="utf-8")
    done = check(str(file))
    assert done.status == 2
    assert "k.cu:2: compile-error: " in done.err
    assert "Image" in done.err
    assert "is declared in dims.h" in done.err
    assert "declared void" not in done.err


def test_a_function_that_the_file_does_not_have_is_named(tmp_path: Path) -> None:
    file = tmp_path / "apply.cu"
    file.write_text(
        "__device__ float twice(float x) { return 2 * x; }\n"
        "__global__ void apply(float* v, float (*f)(float)) { v[threadIdx.x] = f(v[threadIdx.x]); }\n",
        encoding="utf-8",
    )
    done = check(str(file), "--arg", "float[32]=random", "--arg", "Function=thrice")
    assert done.status == 2
    assert "has no function 'thrice'" in done.err + done.out
    assert check(str(file), "--arg", "float[32]=random", "--arg", "Function=twice").status == 0


def test_a_union_by_value_is_refused_by_name_and_without_a_line_that_would_not_run(tmp_path: Path) -> None:
    file = tmp_path / "both.cu"
    file.write_text(
        "union Both { float f; int i; };\nstruct Held { Both b; };\n__global__ void set(Held h, int* n) { *n = h.b.i; }\n"
    )
    done = check(str(file), "--json")
    assert (done.status, done.report.proposals) == (2, ())
    assert "`Held h`: it is passed by value and holds a union" in done.report.message


def test_a_name_with_brackets_does_not_hide_what_the_compiler_says(tmp_path: Path) -> None:
    file = tmp_path / "lab 1 (2).cu"
    file.write_text("__global__ void f(float* a, Foo* b) { a[0] = SIDE; }\n")
    done = check(str(file), "--json")
    assert done.status == 2
    assert "`Foo`" in done.report.message
    assert "`for`" not in done.report.message
    assert [one.line for one in done.report.findings][:1] == [1]


@pytest.mark.parametrize("call", ["__shfl_down(a[0], 1)", "__any(a[0])", "__all(a[0])", "__ballot(a[0])"])
def test_functions_of_old_cuda_are_refused_with_what_to_write(call: str, tmp_path: Path) -> None:
    file = tmp_path / "old.cu"
    file.write_text(f"__global__ void f(int* a) {{\n  a[0] = {call};\n}}\n")
    done = check(str(file), "--json")
    (found,) = done.report.findings
    assert (done.status, found.kind, found.line) == (2, "compile-error", 2)
    assert f"Write `{call.partition('(')[0]}_sync(0xffffffff, …)`" in (found.advice or "")


def test_a_surface_reference_is_told_though_it_was_left_out(tmp_path: Path) -> None:
    file = tmp_path / "old_surface.cu"
    file.write_text("surface<void, 2> seen;\n__global__ void f(float* a) { surf2Dread(&a[0], seen, 0, 0); }\n")
    done = check(str(file), "--json")
    assert (done.status, done.report.verdict) == (2, "compile-error")
    assert "`seen` is a surface reference of old CUDA" in done.report.message


def test_a_texture_reference_of_old_cuda_is_named(tmp_path: Path) -> None:
    file = tmp_path / "old.cu"
    file.write_text(
        "texture<float, 2, cudaReadModeElementType> picture;\n"
        "__global__ void looks(float* out) { out[threadIdx.x] = tex2D(picture, threadIdx.x, 0); }\n",
        encoding="utf-8",
    )
    done = check(str(file), "--arg", "float[32]", "--block", "32", "--json")
    assert done.status == 2
    assert "`picture` is a texture reference of old CUDA" in done.report.message


@pytest.mark.parametrize(
    ("head", "body", "word"),
    [
        ("", 'if (threadIdx.x > 3) throw "too many";', "throw"),
        ("__host__ __device__ int half(int x) {\n  if (x % 2) throw x;\n  return x / 2;\n}\n", "A[0] = half(2);", "throw"),
        ("", "try { A[0] = 1; } catch (int) { A[0] = 2; }", "try"),
    ],
    ids=["throw", "called", "try"],
)  # fmt: skip
def test_an_exception_of_a_kernel_is_refused_in_its_line(tmp_path: Path, head: str, body: str, word: str) -> None:
    file = tmp_path / "throws.cu"
    file.write_text(f"#include <stdexcept>\n{head}__global__ void throws(int* A) {{\n  {body}\n}}\n", encoding="utf-8")
    done = check(str(file), "--arg", "int[4]=0", "--json")
    assert done.status == 2
    assert f"throws.cu:3: compile-error: `{word}` is for host code" in done.report.message


def test_a_line_of_an_error_is_the_files_own_where_macros_were_defined_before_it(tmp_path: Path) -> None:
    file = tmp_path / "wrong.cu"
    file.write_text("__global__ void wrong(int* A) {\n  A[0] = WIDTH;\n  A[0] = 0f;\n}\n", encoding="utf-8")
    done = check(str(file), "-D", "WIDTH=4", "--arg", "int[4]=0", "--json")
    assert done.status == 2
    assert "wrong.cu:3: compile-error: `0f` is no number" in done.report.message


@pytest.mark.parametrize(
    ("collective", "named"),
    [
        ("using Sort = cub::WarpMergeSort<int, 1>;", "`cub::WarpMergeSort`"),
        ("using Sum = cub::BlockReduce<int, 32>; Sum().Median(a[0]);", "`Median` of `cub::BlockReduce`"),
    ],
)
def test_a_part_of_cub_that_is_missing_is_named(tmp_path: Path, collective: str, named: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(f"#include <cub/cub.cuh>\n__global__ void k(int* a) {{ {collective} }}\n", encoding="utf-8")
    done = check(str(file))
    assert done.status == 2
    assert f"k.cu:2: needs-gpu: The CPU executor does not know {named}" in done.err
