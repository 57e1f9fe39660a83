"""`tilelab trace` on real kernels: what it shows, what it checks, and its messages where it fails."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.run import judge_call

pytestmark = [pytest.mark.usefixtures("built_once"), pytest.mark.in_turn(4)]

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu"
BY_HAND = ("--shape", "8x8x8")  # of the write-up's example
CHECKED = "threads stores the sum of the products of what it has read."


def trace(file: Path, *options: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    done = CliRunner().invoke(app, ["trace", str(file), *options])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model solution with a tile of 4, which is the write-up's example."""
    source = MODEL.read_text(encoding="utf-8")
    assert source.count("tile = 16;") == 1
    file = tmp_path_factory.mktemp("worked") / MODEL.name
    file.write_text(source.replace("tile = 16;", "tile = 4;"), encoding="utf-8")
    return file


def lab_file(path: str) -> Path:
    return ROOT / "solutions" / path


def test_it_follows_the_example_by_hand_phase_by_phase(worked: Path) -> None:
    status, shown, _ = trace(worked, *BY_HAND)
    assert status == 0
    lines = [line.split() for line in shown.splitlines()]
    assert [words[-2:] for words in lines if words[:1] == ["(0,0)"] and "+" in words] == [
        ["30", "30"],
        ["1374", "1404"],
    ]
    assert [words[-2:] for words in lines if words[:1] == ["(1,0)"] and "+" in words] == [
        ["70", "70"],
        ["1670", "1740"],
    ]
    words = " ".join(shown.split())
    assert "(1,0) As[0][1] ← A[0][1] = 2 Bs[0][1] ← B[0][1] = 5" in words
    assert "(1,0) As[0][1] ← A[0][5] = 18 Bs[0][1] ← B[4][1] = 21" in words
    assert f"Checked: each of the 16 {CHECKED}" in shown


def test_a_barrier_is_named_with_its_line(worked: Path) -> None:
    lines = worked.read_text(encoding="utf-8").split("\n")
    barriers = [number for number, line in enumerate(lines, 1) if "__syncthreads()" in line]
    shown = trace(worked, *BY_HAND)[1]
    assert [f"up to barrier {i + 1} in line {barriers[i % 2]}" in shown for i in range(4)] == [True] * 4


def test_another_block_loads_other_elements(worked: Path) -> None:
    _, shown, _ = trace(worked, *BY_HAND, "--block", "1,0", "--thread", "2,3")
    assert "As[3][2] ← A[3][2] = 15   Bs[3][2] ← B[3][6] = 28" in shown
    assert "C[3][6]" in shown
    assert "(0,0)  " not in shown


@pytest.mark.parametrize(
    "path",
    [
        "01-naive/matmul_naive.cu",
        "02-tiled/matmul_tiled.cu",
        "03-boundary/matmul_boundary.cu",
        "05-transpose/transpose_tiled.cu",
    ],
)
def test_what_it_shows_by_itself_fits_on_two_screens(path: str) -> None:
    status, shown, _ = trace(lab_file(path))
    assert status == 0
    assert len(shown.splitlines()) <= 100
    assert "What is stored" in shown


def test_threads_that_do_the_same_share_a_row_with_the_formula_of_their_subscripts() -> None:
    shown = trace(lab_file("02-tiled/matmul_tiled.cu"))[1]
    assert "(0…15,0…15)    As[y][x] ← A[y][x + 16]    Bs[y][x] ← B[y + 16][x]" in shown
    assert "(0…15,0…15)    As[y][0…15], Bs[0…15][x]" in shown
    assert "(5,0)" not in shown


def test_threads_without_a_step_share_a_row() -> None:
    shown = trace(lab_file("01-naive/matmul_naive.cu"))[1]
    assert shown.count("none") == 2
    assert "(8…15,0…7), (0…15,8…15)   none" in shown


def test_every_thread_is_shown_where_that_is_asked_for() -> None:
    shown = trace(lab_file("01-naive/matmul_naive.cu"), "--all")[1]
    assert sum("none" in line for line in shown.splitlines()) == 2 * (256 - 64)
    assert "(5,0)  " in shown


def test_a_part_of_the_labs_name_is_enough(worked: Path) -> None:
    status, shown, _ = trace(worked, *BY_HAND, "--lab", "02")
    assert status == 0
    assert shown.splitlines()[-1] == "next: follow another block with --block, or run the tests"


def test_several_threads_may_be_named_at_once(worked: Path) -> None:
    shown = trace(worked, *BY_HAND, "--thread", "1,0 2,0")[1]
    assert "(1,0)  " in shown
    assert "(2,0)  " in shown
    assert "(3,0)  " not in shown


def test_a_naive_kernel_is_one_interval_of_reads_and_a_store() -> None:
    status, shown, _ = trace(lab_file("01-naive/matmul_naive.cu"), "--thread", "1,0")
    assert status == 0
    assert "From the start, to the end" in shown
    assert "A[0][0…7], B[0…7][1]" in shown
    assert "barrier" not in shown
    assert CHECKED in shown


def test_zeros_that_fill_a_tile_are_not_loaded_from_anywhere() -> None:
    _, shown, _ = trace(lab_file("03-boundary/matmul_boundary.cu"), "--shape", "3x3x3", "--thread", "3,0")
    assert "As[0][3] ← 0" in shown
    assert CHECKED in shown


def test_other_inputs_are_traced_as_well(worked: Path) -> None:
    status, shown, _ = trace(worked, "--inputs", "random", "--shape", "4x8x12")
    assert (status, CHECKED in shown) == (0, True)


@pytest.mark.parametrize("style", ["double_buffer", "dynamic_shared", "padded_transposed", "linear_shared"])
def test_the_sum_is_found_in_other_ways_of_writing_it(style: str) -> None:
    file = ROOT / "tests" / "labs" / "accepted" / "02-tiled" / f"{style}.cu"
    status, shown, _ = trace(file, "--shape", "32x32x32")
    assert (status, CHECKED in shown) == (0, True)


def test_a_kernel_that_is_no_plain_sum_says_so() -> None:
    file = ROOT / "tests" / "labs" / "accepted" / "02-tiled" / "register_tile.cu"
    status, shown, _ = trace(file, "--shape", "32x32x32")
    assert status == 0
    assert "64 of 64 threads store something other than the sum of their products" in shown
    assert CHECKED not in shown


def test_a_race_is_shown_with_its_line_and_fails() -> None:
    status, shown, _ = trace(
        lab_file("02-tiled/rejects/no_second_barrier.cu"), "--shape", "32x32x32", "--thread", "0,0"
    )
    assert status == 1
    assert "Data race" in shown
    assert "race in line" in shown


def test_a_wrong_result_is_told_with_its_first_element() -> None:
    status, shown, _ = trace(
        lab_file("02-tiled/rejects/tile_transposed.cu"), "--shape", "32x32x32", "--inputs", "integers"
    )
    assert status == 1
    assert "Wrong answer" in shown
    assert "The first wrong element, in row 0 and column" in shown


def test_a_kernel_that_never_ends_is_shown_as_far_as_it_came() -> None:
    status, shown, _ = trace(lab_file("01-naive/rejects/counter_that_never_grows.cu"))
    assert status == 1
    assert "Time-out" in shown
    assert "It goes on like this: the loop did not end; the recording stops after 20,000 steps." in shown
    assert len(shown) < 1_000_000


ENDLESS = """#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {{
  {launch}
  return {{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)}};
}}
__device__ int deep(int n, const float* A) {{
  volatile int here[4] = {{n, int(A[0])}};
  return deep(n + 1, A) + here[0];
}}
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {{
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  {kernel}
  float sum = 0;
  if (row >= M || col >= N) return;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}}
"""
LOOP = "for (volatile int i = 0; i < 2;)"


@pytest.mark.parametrize(
    ("launch", "kernel", "verdict", "left_out"),
    [
        ("", f"{LOOP} {{}}", "timeout", "It goes on like this: the block did not end."),
        ("", f"{LOOP} __syncthreads();", "timeout", "the loop did not end; the recording stops after 20,000 steps."),
        ("", f'{LOOP} printf("%d", row);', "timeout", "It goes on like this: the block did not end."),
        ("", "C[0] = deep(row, A);", "crash", "The block came no further than this."),
        (
            "",
            "if (row + col == 0) for (int i = 0; i < 30000; ++i) if (A[i % K] == 0.25f) C[0] = 1;",
            "pass",
            "This is only the beginning: the block does more, and the recording stops after 20,000 steps.",
        ),
        (f"{LOOP} {{}}", "", "timeout", None),
    ],
    ids=["no access", "barriers", "printf", "recursion", "long and right", "launch function"],
)
def test_what_a_recording_leaves_out_is_told(
    launch: str, kernel: str, verdict: str, left_out: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "matmul_naive.cu"
    file.write_text(ENDLESS.format(launch=launch, kernel=kernel), encoding="utf-8")
    page = tmp_path / "page.html"
    _, shown, _ = trace(file, "--page", str(page), "--no-show")
    found = json.loads(trace(file, "--json")[1])
    assert found["launch"]["verdict"] == verdict
    if left_out is None:
        assert found["trace"] is None
        return
    assert found["trace"]["left_out"].endswith(left_out)
    assert left_out in shown
    if "recording stops" in left_out:
        assert left_out in page.read_text(encoding="utf-8")


def test_memory_that_the_executor_lacks_is_told_as_that_and_not_as_a_crash() -> None:
    file = ROOT / "tests" / "exploits" / "kernels" / "02-tiled" / "touches_all_its_device_memory.cu"
    launch = json.loads(trace(file, "--lab", "02-tiled", "--shape", "32x32x32", "--json")[1])["launch"]
    assert launch["verdict"] == "needs-gpu"
    assert "needs more memory than the 1024 MiB that the CPU executor may use" in launch["message"]


def test_processor_time_that_a_sandbox_ends_is_a_time_out_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = dataclasses.replace(judge_call.RUN_LIMITS, cpu_seconds=1)
    monkeypatch.setattr(judge_call, "RUN_LIMITS", limits)
    file = lab_file("01-naive/rejects/counter_that_never_grows.cu")
    sizes = [*["--arg", "float[64]=random"] * 2, "--arg", "float[64]=0", *["--arg", "int=8"] * 3]
    arguments = ["check", str(file), "--kernel", "matmul_naive", "--grid", "1", "--block", "16,16", *sizes, "--json"]
    found = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert found["verdict"] == "timeout"
    assert [one["kind"] for one in found["findings"]] == ["timeout"]


def test_a_shape_the_launch_cannot_take_says_what_cuda_refuses() -> None:
    status, shown, _ = trace(lab_file("02-tiled/matmul_tiled.cu"), "--shape", "8x8x8")
    assert status == 1
    assert "every dimension must be at least 1" in shown


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        (None, ["--shape", "80x8x8"], "each from 1 to 64"),
        (None, ["--shape", "8x8"], "it takes MxNxK"),
        (None, ["--shape", "8x8x8x"], "it takes MxNxK"),
        (None, ["--shape", "99999999999x1x1"], "it takes MxNxK"),
        (None, [*BY_HAND, "--block", "2,0"], "outside the grid: the launch has 2 x 2 x 1 blocks"),
        (None, ["--block", "one"], "write two or three numbers"),
        (None, ["--inputs", "zeros"], "it takes worked, integers, random"),
        (None, ["--lab", "99-none"], "99-none"),
        (lab_file("01-naive/rejects/missing_semicolon.cu"), [], "is missing at the end of line 17"),
        (lab_file("none.cu"), [], "there is no such file"),
    ],
)
def test_what_cannot_be_traced_is_said_in_one_message(
    file: Path | None, options: list[str], said: str, worked: Path
) -> None:
    status, shown, complaint = trace(file or worked, *options)
    assert (status, shown) == (2, "")
    assert said in complaint
    assert "Traceback" not in complaint


def test_a_file_with_no_known_kernel_is_asked_for_its_lab(tmp_path: Path) -> None:
    strange = tmp_path / "strange.cu"
    strange.write_text("__global__ void scale(float* out) { out[0] = 1; }\n", encoding="utf-8")
    status, _, complaint = trace(strange)
    assert status == 2
    assert "Say which lab it is for: --lab" in complaint


def test_json_holds_what_the_tables_show(worked: Path) -> None:
    status, shown, _ = trace(worked, *BY_HAND, "--json")
    found = json.loads(shown)
    assert status == 0
    assert found["lab"] == "02-tiled"
    assert found["launch"]["verdict"] == "pass"
    second = found["trace"]["intervals"][3]["stays"][1]
    assert (second["thread"], second["sum_after"]) == ([1, 0, 0], 1740.0)
    assert found["trace"]["intervals"][0]["tiles"]["As"]["[0][1]"] == 2.0
