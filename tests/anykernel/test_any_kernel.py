"""`tilelab check` on kernels of all kinds: each file's first line says how to run it and what has to be found.

By default a sample of the files is checked, with TILELAB_WHOLE_CORPUS=1 all.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.engines.backend import COMPILER_VARIABLE

pytestmark = pytest.mark.long

HERE = Path(__file__).resolve().parent
FIRST_LINE = re.compile(
    r"// (?:check|(?P<verdict>[\w-]+)(?: of (?P<array>[\w.[\]]+))? in line (?P<line>\d+)): (?P<options>.*)"
)


# Each compiler sets the tables of virtual functions and asks for null pointers before `delete` in its own way, and takes other steps
# between two looks at a clock or a flag.
OWN_COUNTS = frozenset(
    {
        "clock_of_each_block",
        "free_by_two_threads",
        "memory_from_the_heap",
        "scan_with_look_back",
        "values_on_the_heap",
        "virtual_functions",
    }
)


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.out)
        return said


def check(file: Path, *options: str) -> Done:
    done = CliRunner().invoke(app, ["check", str(file), *options])
    return Done(done.exit_code, done.stdout, done.stderr)


def first_line(file: Path) -> re.Match[str]:
    match = FIRST_LINE.match(file.read_text(encoding="utf-8"))
    assert match is not None, f"{file}: its first line does not say how it is checked"
    return match


def named(folder: str) -> list[Path]:
    found = sorted((HERE / folder).glob("*.cu"))
    assert found
    return found


@pytest.mark.parametrize("file", sample(named("clean"), 18), ids=lambda file: file.stem)
def test_nothing_is_found_in_a_correct_kernel(file: Path) -> None:
    done = check(file, *shlex.split(first_line(file)["options"]), "--json")
    assert done.status == 0, done.out + done.err
    assert done.json["verdict"] == "pass"
    assert [one for one in done.json["findings"] if one["severity"] == "error"] == []


@pytest.mark.parametrize("file", sample(named("found"), 18), ids=lambda file: file.stem)
def test_a_mistake_is_found_where_it_is(file: Path) -> None:
    match = first_line(file)
    done = check(file, *shlex.split(match["options"]), "--json")
    assert done.status == 1, done.out + done.err
    assert done.json["verdict"] == match["verdict"]
    where = {(one["kind"], one.get("line", 0)) for one in done.json["findings"] if one["severity"] == "error"}
    assert (match["verdict"], int(match["line"])) in where
    if match["array"]:
        assert {one.get("array") for one in done.json["findings"] if one["severity"] == "error"} == {match["array"]}


@pytest.mark.parametrize(
    "file",
    sample([*named("clean"), *named("found")], 52),
    ids=lambda file: file.stem,
)
def test_both_compilers_find_and_count_the_same(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes a sample of the files by default."""
    if shutil.which("g++") is None or shutil.which("clang++") is None:
        pytest.skip("g++ and clang++ are not both installed")
    options = shlex.split(first_line(file)["options"])
    said = {}
    for compiler in ("g++", "clang++"):
        monkeypatch.setenv(COMPILER_VARIABLE, compiler)
        said[compiler] = check(file, *options, "--json").json
    if file.stem in OWN_COUNTS:
        for one in said.values():
            del one["metrics"]
            one["findings"] = [(finding["kind"], finding.get("line")) for finding in one["findings"]]
    assert said["clang++"] == said["g++"]


def test_json_holds_counts_by_nsight_computes_names() -> None:
    file = HERE / "clean" / "rows_of_bytes.cu"
    done = check(file, *shlex.split(first_line(file)["options"]), "--json")
    assert done.json["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 10


def test_the_page_shows_the_line_both_threads_and_the_way_on() -> None:
    file = HERE / "found" / "race_in_a_reduction.cu"
    done = check(file, *shlex.split(first_line(file)["options"]))
    assert "▸10 │" in done.out
    assert re.search(r"thread \(\d+,0,0\) reads partial\[\d+\]", done.out)
    assert re.search(r"thread \(\d+,0,0\) writes partial\[\d+\]", done.out)
    assert "Look at next: " in done.out


def test_what_was_left_out_of_the_file_is_told() -> None:
    file = HERE / "clean" / "vector_sum_with_main.cu"
    done = check(file, *shlex.split(first_line(file)["options"]))
    assert "no_such_header_anywhere.h" in done.out.replace("\n", "")


def test_without_arguments_it_proposes_a_command_that_runs() -> None:
    file = HERE / "clean" / "templates_and_namespaces.cu"
    asked = check(file, "--kernel", "lab::scale<double>")
    assert asked.status == 2
    assert "lab::scale<double>(const double* A, double* C, double factor, unsigned long n)" in asked.err
    proposed = shlex.split(asked.err.strip().splitlines()[-1])
    assert proposed[:3] == ["tilelab", "check", str(file)]
    assert check(file, *proposed[3:]).status == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kernel", "scael"], "The kernels in templates_and_namespaces.cu are: lab::scale."),
        (["--kernel", "lab::scale"], "no --arg was given, but lab::scale<float>(const float* A"),
        (["--kernel", "scale<double>"], "no --arg was given, but lab::scale<double>(const double* A"),
        (["--kernel", "rm -rf"], "write a name"),
        (["--kernel", "lab::scale<float>", "--grid", "0x4"], "write one to three numbers"),
        (["--kernel", "lab::scale<float>", "--arg", "float=1"], "one --arg was given, but"),
        (
            [
                "--kernel",
                "lab::scale<float>",
                *(f"--arg={one}" for one in ("float[4]", "int[4]", "float=1", "size_t=1")),
            ],
            "--arg 'int[4]' does not fit the parameter `float* C`",
        ),
        (
            [
                "--kernel",
                "lab::scale<float>",
                *(f"--arg={one}" for one in ("float[4]", "float=4", "float=1", "size_t=1")),
            ],
            "--arg 'float=4' does not fit the parameter `float* C`",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_done_is_said_with_the_remedy(options: list[str], said: str) -> None:
    done = check(HERE / "clean" / "templates_and_namespaces.cu", *options)
    assert done.status == 2
    assert said in done.err
    assert done.out == ""


def test_a_kernel_that_does_not_compile_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.cu"
    file.write_text("__global__ void broken(float* A) {\n  A[0] = ;\n}\n", encoding="utf-8")
    done = check(file, "--json", "--arg", "float[1]=0")
    assert done.status == 2
    assert done.json["verdict"] == "compile-error"
    assert done.json["findings"][0]["line"] == 2
    assert "broken.cu:2: compile-error" in done.err


def test_headers_beside_the_file_are_found_and_findings_in_them_shown(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "half.cuh").write_text(
        "#pragma once\n__device__ float half_of(const float* A, int i) {\n  return A[i + 1] / 2;\n}\n", encoding="utf-8"
    )
    file = tmp_path / "halve.cu"
    file.write_text(
        '#include "inc/half.cuh"\n__global__ void halve(const float* A, float* C) { C[threadIdx.x] = half_of(A, threadIdx.x); }\n',
        encoding="utf-8",
    )
    done = check(file, "--block", "8", "--arg", "float[8]=iota", "--arg", "float[8]", "--json")
    assert done.status == 1
    [finding] = done.json["findings"]
    assert (finding["file"], finding["line"]) == ("half.cuh", 3)


def test_two_runs_say_the_same_and_a_seed_makes_other_numbers(tmp_path: Path) -> None:
    file = tmp_path / "shows.cu"
    file.write_text(
        '#include <cstdio>\n__global__ void shows(const float* A) { printf("%.9g\\n", A[0]); }\n', encoding="utf-8"
    )
    options = ["--block", "1", "--arg", "float[1]=random"]
    first, again, other = check(file, *options), check(file, *options), check(file, *options, "--seed", "2")
    assert first.out == again.out
    assert first.out != other.out


def test_a_result_that_hangs_on_the_order_of_threads_is_a_note() -> None:
    file = HERE / "clean" / "list_of_what_warps_found.cu"
    options = shlex.split(first_line(file)["options"])
    done = check(file, *options, "--json")
    assert done.status == 0
    [note] = done.json["findings"]
    assert (note["kind"], note["severity"]) == ("race", "note")
    assert re.search(r"found\[\d+\] is \d+ when .* but \d+ when they run in the reverse order", str(note["message"]))
    assert "On a GPU the order changes from run to run" in check(file, *options).out.replace("\n", " ")


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("auto token = cg::this_thread_block().barrier_arrive();", 4, "`barrier_arrive()`"),
        ("auto all = cg::this_cluster();", 4, "`cooperative_groups::this_cluster`"),
        ("curandStateMRG32k3a state;", 4, "`curandStateMRG32k3a`"),
        ("__prof_trigger(0);", 4, "`__prof_trigger`"),
        ("A[0] = __viaddmax_s32(A[1], A[2], 0);", 4, "`__viaddmax_s32`"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("`") else "",
)
def test_what_the_executor_lacks_needs_a_gpu_and_is_named(tmp_path: Path, body: str, line: int, said: str) -> None:
    file = tmp_path / "lacks.cu"
    file.write_text(
        f"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void lacks(int* A) {{\n  {body}\n}}\n",
        encoding="utf-8",
    )
    done = check(file, "--arg", "int[4]=0", "--json")
    assert done.status == 2
    [finding] = done.json["findings"]
    assert (done.json["verdict"], finding["line"]) == ("needs-gpu", line)
    assert said in str(finding["message"])


@pytest.mark.parametrize(
    ("header", "body", "said"),
    [
        (
            "cuda/pipeline",
            "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> s;",
            "`cuda::pipeline_shared_state`",
        ),
        ("cuda/barrier", "__shared__ cuda::barrier<cuda::thread_scope_system> s;", "`cuda::barrier`"),
        (
            "cuda/barrier",
            "__shared__ cuda::barrier<cuda::thread_scope_block> s; s.no_such(1);",
            "`no_such` of `cuda::barrier",
        ),
        ("cuda/std/cmath", "A[0] = cuda::std::norm_of_all(1.0f);", "`cuda::std::norm_of_all`"),
        ("mma.h", "nvcuda::wmma::experimental::precision::b1 bit;", "`nvcuda"),
    ],
)
def test_what_a_header_of_ours_lacks_needs_a_gpu_and_is_named(
    tmp_path: Path, header: str, body: str, said: str
) -> None:
    file = tmp_path / "lacks.cu"
    file.write_text(f"#include <{header}>\n__global__ void lacks(int* A) {{\n  {body}\n}}\n", encoding="utf-8")
    done = check(file, "--arg", "int[4]=0", "--json")
    assert done.json["verdict"] == "needs-gpu"
    assert said in str(done.json["findings"][0]["message"])


def test_half_precision_without_its_header_does_not_compile_and_the_header_is_named(tmp_path: Path) -> None:
    file = tmp_path / "halves.cu"
    file.write_text("__global__ void halves(float* A) {\n  half h = A[0];\n  A[1] = h;\n}\n", encoding="utf-8")
    done = check(file, "--arg", "float[2]=0", "--json")
    assert done.json["verdict"] == "compile-error"
    assert "#include <cuda_fp16.h>" in str(done.json["findings"][0]["advice"])


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("early_return_where_it_is_an_error", "Let every thread stay until"),
        ("mask_without_its_own_lane", "must be named in the mask"),
        ("value_of_a_lane_that_has_left", "A shuffle brings a value only"),
        ("barrier_that_some_skip", "not around the barrier"),
    ],
)
def test_the_advice_fits_how_a_barrier_or_a_lane_was_missed(name: str, advice: str) -> None:
    file = HERE / "found" / f"{name}.cu"
    done = check(file, *shlex.split(first_line(file)["options"]), "--json")
    assert advice in str(done.json["findings"][0]["advice"])
