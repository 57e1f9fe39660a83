"""`tilelab check` on a file as it is: it takes the file's own launch, proposes lines that run, and reports every end in the same form."""

from __future__ import annotations

import json
import os
import shlex
from functools import partial
from pathlib import Path

import pytest
from checked_file import check

from grader.cli.launches import check_command
from grader.engines.backend import COMPILER_VARIABLE
from grader.run.launches.kernel_check import CheckReport, CheckRequest

pytestmark = pytest.mark.in_turn(3)

HERE = Path(__file__).resolve().parent
PROGRAM = """#include <thrust/device_vector.h>
#define N 512
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
template <typename T, int TILE>
__global__ void turn(const T* in, T* out, int n) {
  __shared__ T tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.y][threadIdx.x];
}
int main() {
  const int bytes = N * sizeof(float);
  float *a, *b, *c;
  cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); cudaMalloc((void**)&c, bytes);
  dim3 block(128);
  dim3 grid((N + block.x - 1) / block.x);
  add<<<4, block>>>(a, b, c, N);
  turn<float, 8><<<grid, dim3(8, 8)>>>(a, b, atoi(argv[1]));
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "a program.cu"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def test_a_launch_with_constants_is_taken_as_it_is(program: Path) -> None:
    done = check(str(program), "--kernel", "add")
    assert done.status == 0, done.out + done.err
    words = " ".join(done.out.split())
    assert "grid (4,1,1) of blocks (128,1,1)" in words
    assert (
        "--arg 'float[512]=random' --arg 'float[512]=random' --arg 'float[512]=0' --arg 'int=512' (as in line 21 of the file)"
        in words
    )


def test_kernels_are_listed_with_lines_that_may_be_pasted(program: Path) -> None:
    done = check(str(program), "--json")
    assert done.status == 2
    report = done.report
    assert [shlex.split(line)[2:] for line in report.proposals] == [
        [str(program), "--kernel", "add"],
        [str(program), "--kernel", "turn"],
    ]
    second = check(*shlex.split(report.proposals[1])[2:], "--json")
    assert (second.status, second.report.verdict, second.report.kernel) == (2, None, "turn<float, 8>")
    third = check(*shlex.split(second.report.proposals[0])[2:], "--json")
    assert third.status == 0, third.out + third.err
    assert "--block 8,8 " in second.report.proposals[0]


@pytest.mark.parametrize(
    ("source", "options", "status", "verdict"),
    [
        ("__global__ void k(int* A) { A[0] = 1; }", ["--arg", "int[4]=0", "--block", "1"], 0, "pass"),
        ("__global__ void k(int* A) { A[4] = 1; }", ["--arg", "int[4]=0", "--block", "1"], 1, "out-of-bounds"),
        (
            "__global__ void k(int* A) { while (A[0] == 0) A[1]++; }",
            ["--arg", "int[4]=0", "--block", "1"],
            1,
            "timeout",
        ),
        ("__global__ void k(int* A) { A[0] = ; }", [], 2, "compile-error"),
        ('__global__ void k(int* A) { asm("trap.everything;"); }', [], 2, "needs-gpu"),
        ("__global__ void k(int* A) { __builtin_trap_now(); }", [], 2, None),
        ("__global__ void k(int* A) { }", [], 2, None),
        ("__global__ void k(int* A) { }", ["--arg", "int=4"], 2, None),
        ("__global__ void k(int* A) { }", ["--arg", "int[4]={1,2}"], 2, None),
        ("__global__ void k(int* A) { }", ["--kernel", "other"], 2, None),
        ("__global__ void k(int* A) { }", ["--grid", "none"], 2, None),
        ("__global__ void k(int* A) { }", ["-D", "4=x"], 2, None),
        ("int main() { }", [], 2, None),
    ],
)
def test_every_end_is_reported_in_the_same_form(
    source: str,
    options: list[str],
    status: int,
    verdict: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A loop that never ends makes all its steps.
    monkeypatch.setattr(check_command, "CheckRequest", partial(CheckRequest, event_budget=10_000_000))
    (tmp_path / "k.cu").write_text(source, encoding="utf-8")
    done = check(str(tmp_path / "k.cu"), *options, "--json")
    assert done.status == status, done.out + done.err
    report = done.report
    if verdict or status != 2:
        assert report.verdict == verdict
    assert status == 0 or report.message or report.findings
    assert set(json.loads(done.out)) == set(CheckReport.model_fields)


def test_macros_folders_lists_files_and_variables(tmp_path: Path) -> None:
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "sizes.h").write_text("const int taps = 3;\n", encoding="utf-8")
    (tmp_path / "in.csv").write_text("1,2,3\n4,5,6\n", encoding="utf-8")
    file = tmp_path / "k.cu"
    file.write_text(
        '#include <cstdio>\n#include "sizes.h"\n__constant__ float weights[taps];\n__device__ int offset;\n'
        "__global__ void k(const float* in, const int* at, const unsigned char* b, double scale) {\n"
        '  printf("%g %d %d %g %d\\n", in[SIDE] * weights[1] * scale, at[1], offset, weights[2], b[1]);\n}\n',
        encoding="utf-8",
    )
    done = check(
        str(file), "--block", "1", "-D", "SIDE=2+2", "-I", str(tmp_path / "headers"), "--set", "weights={0, 10, 0.5}", "--set",
        "offset=-7", "--arg", f"float[2][3]=@{tmp_path / 'in.csv'}", "--arg", "int[]={4, -5}", "--arg", "uchar[2]={1,255}", "--arg",
        "double=0.25",
    )  # fmt: skip
    assert done.status == 0, done.out + done.err
    assert "12.5 -5 -7 0.5 255" in done.out


def test_a_device_function_may_be_defined_in_the_source_beside_its_header(tmp_path: Path) -> None:
    (tmp_path / "colors.h").write_text(
        "#pragma once\n__device__ float half_of(float x);\nvoid show();\n", encoding="utf-8"
    )
    (tmp_path / "colors.cu").write_text(
        '#include "colors.h"\n#include <GL/glut.h>\n__device__ float half_of(float x) { return x / 2; }\nvoid show() { glutInit(); }\n',
        encoding="utf-8",
    )
    file = tmp_path / "k.cu"
    file.write_text(
        '#include "colors.h"\n__global__ void k(float* A) { A[threadIdx.x] = half_of(1); }\n', encoding="utf-8"
    )
    done = check(str(file), "--arg", "float[32]")
    assert done.status == 0, done.out + done.err


def test_a_header_of_templates_may_include_the_file_itself(tmp_path: Path) -> None:
    (tmp_path / "scale.cuh").write_text('#pragma once\nvoid run(float* a);\n#include "scale.cu"\n')
    file = tmp_path / "scale.cu"
    file.write_text('#include "scale.cuh"\n__device__ float twice(float x) { return 2 * x; }\n__global__ void scale(float* a) {\n'
                    "  a[threadIdx.x] = twice(a[threadIdx.x]);\n}\n")  # fmt: skip
    done = check(str(file), "--block", "8", "--arg", "float[8]=iota", "--json")
    assert done.status == 0, done.out + done.err


@pytest.mark.skipif(
    os.environ.get(COMPILER_VARIABLE) == "clang++",
    reason="in Clang's code a constructor with nothing in it announces accesses",
)
@pytest.mark.parametrize(("constructor", "status"), [("{}", 0), ("{ x = 1; }", 2), (": x(1) {}", 2)])
def test_an_object_in_constant_memory_may_have_a_constructor_with_nothing_in_it(
    constructor: str, status: int, tmp_path: Path
) -> None:
    file = tmp_path / "objects.cu"
    file.write_text(
        "struct Point { float x; __host__ __device__ Point() {} __device__ float twice() const { return 2 * x; } };\n"
        f"struct Disc {{ float x; Point centre; __host__ __device__ Disc() {constructor} }};\n"
        "__constant__ Disc all[4];\n"
        "__global__ void show(float* out) { out[threadIdx.x] = all[threadIdx.x].centre.twice() + all[0].x; }\n"
    )
    done = check(str(file), "--block", "4", "--arg", "float[4]", "--json")
    assert done.status == status, done.out + done.err


def test_versions_of_a_kernel_are_proposed_with_their_parameters(tmp_path: Path) -> None:
    file = tmp_path / "two versions.cu"
    file.write_text(
        "__global__ void f(float* a, const int n[]) { a[0] = n[0]; }\n"
        "__global__ void f(const float* __restrict__ a, /* here, too */ unsigned int n, float* out) { out[0] = a[0] + n; }\n"
    )
    done = check(str(file), "--kernel", "f", "--json")
    assert done.status == 2
    names = [shlex.split(one)[shlex.split(one).index("--kernel") + 1] for one in done.report.proposals]
    assert names == ["f(float*, const int*)", "f(const float*, unsigned int, float*)"]
    for name in names:
        assert check(str(file), "--kernel", name, "--json").report.proposals, name


@pytest.mark.parametrize("kernel", ["lengths", "grow"])
def test_lines_for_rows_and_objects_run_without_findings(kernel: str, tmp_path: Path) -> None:
    file = tmp_path / "rows (old).cu"
    file.write_text(
        "typedef struct { int width, height; float* data; } Matrix;\n"
        "__global__ void lengths(char** names, int* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;\n"
        "  if (i >= n) return;\n"
        "  while (names[i][k]) ++k;\n"
        "  out[i] = k;\n}\n"
        "__global__ void grow(Matrix a, Matrix b) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < a.width * a.height) a.data[i] += b.data[i];\n}\n"
    )
    asked = check(str(file), "--kernel", kernel, "--json")
    (line,) = asked.report.proposals
    assert "Matrix={width=32" in line or kernel == "lengths"
    done = check(*shlex.split(line)[2:], "--json")
    assert done.status == 0, done.out + done.err


def test_a_texture_is_proposed_as_the_file_uses_it_and_the_proposal_runs() -> None:
    file = HERE / "clean" / "blur_of_a_picture_in_a_texture.cu"
    proposals = check(str(file), "--json").report.proposals
    assert len(proposals) == 1
    assert "--arg 'texture(linear,normalized) float[32][32]=random'" in proposals[0]
    done = check(*shlex.split(proposals[0])[2:], "--json")
    assert (done.status, done.report.verdict) == (0, "pass")


def test_causes_are_those_of_the_kernel_and_one_cause_is_told_once() -> None:
    """Code of one warp needs __syncwarp(), a loop that counts waits for nobody, and a far address names its index."""
    warp = " ".join(check(str(HERE / "found/last_warp_without_syncwarp.cu"), *_OF_WARP).out.split())
    assert "no __syncwarp() between the two" in warp
    assert warp.count("Data race:") == 1
    loop = check(
        str(HERE / "found/counter_of_a_loop_that_wraps.cu"),
        "--block",
        "256",
        "--arg",
        "int[2]=0",
        "--arg",
        "int=2147483647",
    )
    assert "waits for it to change" not in loop.out
    assert "this loop may never end" in " ".join(loop.out.split())


_OF_WARP = ("--kernel", "sum", "--grid", "2", "--block", "128", "--arg", "float[256]=random", "--arg", "float[2]")
