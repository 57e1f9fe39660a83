"""`tilelab profile` on real kernels: the numbers of the H200, the lines that cost most, and its messages where it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
MEASURED: dict[str, dict[str, dict[str, int]]] = json.loads(
    (GOLDEN / "counters_on_h200.json").read_text(encoding="utf-8")
)["kernels"]


def profile(file: Path, *options: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    done = CliRunner().invoke(app, ["profile", str(file), *options])
    return done.exit_code, done.stdout, done.stderr


def counted(file: Path, shape: str, *options: str) -> dict[str, Any]:
    status, shown, said = profile(file, "--shape", shape, "--json", *options)
    assert (status, said) == (0, "")
    answer: dict[str, Any] = json.loads(shown)
    return answer


@pytest.mark.parametrize("kernel", ["naive_uncoalesced_16", "tiled_bank_conflict_32"])
def test_it_prints_the_numbers_of_an_h200(kernel: str) -> None:
    for shape, numbers in MEASURED[kernel].items():
        answer = counted(GOLDEN / "counters" / f"{kernel}.cu", shape)
        assert list(answer) == ["shape", "metrics", "lines", "findings", "predicted"]
        assert (answer["shape"], answer["findings"]) == (shape, [])
        assert {name: answer["metrics"][name] for name in numbers} == numbers
        for name, number in numbers.items():
            assert sum(line["metrics"].get(name, 0) for line in answer["lines"]) == number, name


def test_lines_come_with_their_source() -> None:
    kernel = ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu"
    text = kernel.read_text(encoding="utf-8").split("\n")
    lines = counted(kernel, "64x64x64")["lines"]
    assert len(lines) == 4  # two loads into tiles, the inner loop, the store
    assert [text[line["line"] - 1] for line in lines] == [line["source"] for line in lines]


def test_a_transpose_has_elements_to_move_and_no_arithmetic() -> None:
    metrics = counted(ROOT / "solutions" / "05-transpose" / "transpose_tiled.cu", "64x96")["metrics"]
    assert metrics["tilelab__elements.sum"] == 64 * 96
    assert metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 64 * 96 / 8
    assert metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] == 0
    assert [name for name in metrics if "flop" in name] == []


def test_its_table_says_what_a_strided_kernel_costs() -> None:
    status, shown, _ = profile(GOLDEN / "counters" / "naive_uncoalesced_16.cu", "--shape", "64x64x64")
    assert status == 0
    (line,) = [line for line in shown.splitlines() if "global loads of 8.50 sectors" in line]
    assert "16,384 global loads" in line
    assert "Which index does threadIdx.x change" in shown
    assert "source level" in shown
    assert shown.splitlines()[-1] == "next: change the line with the most sectors, and profile again"


def test_a_kernel_that_is_wrong_is_counted_and_told(tmp_path: Path) -> None:
    model = (ROOT / "solutions" / "01-naive" / "matmul_naive.cu").read_text(encoding="utf-8")
    wrong = tmp_path / "matmul_naive.cu"
    wrong.write_text(model.replace("C[row * N + col] = sum", "C[row * N + col] = sum + 1"), encoding="utf-8")
    status, shown, _ = profile(wrong, "--shape", "8x8x8")
    assert status == 1
    assert "What each line costs" in shown
    assert "Wrong" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--shape", "8x8"), "the shape 8x8 cannot be profiled: it takes MxNxK, each from 1 to 512"),
        (("--shape", "8x8x5000"), "each from 1 to 512"),
        (("--shape", "8x8x8", "--kernel", "scale"), "no lab asks for a kernel 'scale'; the labs' kernels are:"),
        (("--shape", "8x8x8", "--lab", "99-none"), "there is no lab '99-none'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(options: tuple[str, ...], said: str) -> None:
    status, shown, complaint = profile(ROOT / "solutions" / "01-naive" / "matmul_naive.cu", *options)
    assert (status, shown) == (2, "")
    assert said in complaint


def test_a_file_that_does_not_build_is_told_by_its_line(tmp_path: Path) -> None:
    broken = tmp_path / "matmul_naive.cu"
    broken.write_text("#include <tilelab/device.cuh>\nint x = ;\n", encoding="utf-8")
    status, _, complaint = profile(broken, "--shape", "8x8x8")
    assert status == 2
    assert "matmul_naive.cu:2: compile-error" in complaint
