"""`tilelab check` names a local variable that nothing sets before something is added to it, and no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.engines.backend import COMPILER_VARIABLE
from grader.model.result import Finding
from grader.run.launches.kernel_check import CheckReport

HEAD = """__device__ void clear(float& x) { x = 0; }
struct Sum {
  float total;
  __device__ Sum() : total(0) {}
  __device__ void add(float v) { total += v; }
};
"""
KERNEL = "__global__ void k(const float* in, float* out, int n) {\n"
END = "  out[threadIdx.x] = sum;\n}\n"
UNSET = {
    "never": ("  float sum;\n  sum += in[0];\n", 9),
    "never in a loop": ("  float other = 1, sum;\n\n  for (int i = 0; i < n; ++i) sum += in[i] * other;\n", 10),
    "a jump over a declaration without a value": (
        "  float sum = 2;\n  if (n > 0) goto behind;\n  {\n    float part;\n  behind:\n    part += in[0];\n    sum = part;\n  }\n",
        13,
    ),
}
SET = {
    "at once": "  float sum = 0;\n  sum += in[0];\n",
    "on each way": "  float sum;\n  if (n > 3) sum = 0; else sum = 1;\n  sum += in[0];\n",
    "by a function": "  float sum;\n  clear(sum);\n  sum += in[0];\n",
    "by a constructor": "  Sum all;\n  all.add(in[0]);\n  float sum = all.total;\n",
}


def notes(body: str, folder: Path) -> list[Finding]:
    file = folder / "sum.cu"
    file.write_text(f"{HEAD}{KERNEL}{body}{END}", encoding="utf-8")
    options = ["--kernel", "k", "--arg", "float[32]=random", "--arg", "float[32]=0", "--arg", "int=32", "--json"]
    done = CliRunner().invoke(app, ["check", str(file), *options])
    assert done.exit_code == 0, done.stdout + done.stderr
    return [one for one in CheckReport.model_validate_json(done.stdout).findings if "has no value" in one.message]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("case", sorted(UNSET))
def test_what_nothing_sets_is_named_with_its_line(
    case: str, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.setenv(COMPILER_VARIABLE, compiler)
    body, line = UNSET[case]
    (note,) = notes(body, tmp_path)
    assert (note.severity, note.line) == ("note", line)
    assert note.source


@pytest.mark.parametrize("case", sorted(SET))
def test_what_has_a_value_is_not(case: str, tmp_path: Path) -> None:
    assert notes(SET[case], tmp_path) == []


def test_the_first_line_says_that_there_is_a_note(tmp_path: Path) -> None:
    file = tmp_path / "sum.cu"
    file.write_text(f"{KERNEL}{UNSET['never'][0]}{END}", encoding="utf-8")
    options = ["--kernel", "k", "--arg", "float[32]=random", "--arg", "float[32]=0", "--arg", "int=32"]
    assert "no mistake was seen; 1 note" in CliRunner().invoke(app, ["check", str(file), *options]).stdout
