"""Compares our source-level counts of the model solutions with Nsight Compute's counts of the kernels that nvcc -O3 made.

    .venv/bin/python tests/golden/against_ncu.py prepare build/ncu    # here: programs (needs nvcc), our counts
    bash build/ncu/run.sh                                             # where there is a GPU and ncu; build/ncu may be copied there
    .venv/bin/python tests/golden/against_ncu.py table build/ncu      # prints a Markdown table

This is no test: it needs a GPU. Its output is put into docs/profiling.md by hand, with the date and the device.
"""

# ruff: noqa: T201 -- it prints
from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

from grader.engines.entry_points import name_of
from grader.model.course_root import load_labs
from grader.model.labs import Lab

ROOT = Path(__file__).resolve().parents[2]
SIDE = 128  # the side of every shape; a multiple of the tiles
METRICS = (
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
)
HEADS = (
    "load requests",
    "load sectors",
    "store sectors",
    "shared loads",
    "shared load wavefronts",
    "shared store wavefronts",
)
MAIN = """#include <cstdio>
#include "{file}"
int main() {{
  float* buffers[8];
  for (float*& one : buffers) {{
    if (cudaMalloc(&one, sizeof(float) * {side} * {side}) != cudaSuccess) return 1;
    cudaMemset(one, 0, sizeof(float) * {side} * {side});
  }}
  const LaunchConfig config = {launch}({sizes});
  {kernel}<<<config.grid, config.block, config.shared_bytes>>>({arguments});
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(error));
  return error != cudaSuccess;
}}
"""


def arguments(signature: str) -> tuple[list[str], list[str]]:
    """The arguments of a kernel with this signature: buffers of one size, and that size. Also the size on its own."""
    kinds = [kind.strip() for kind in signature.partition("(")[2].removesuffix(")").split(",")]
    given = [f"buffers[{i}]" if kind.endswith("*") else str(SIDE) for i, kind in enumerate(kinds)]
    return given, [one for one in given if not one.startswith("buffers")]


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run = [
        "#!/usr/bin/env bash",
        "# Counts every program beside this file with Nsight Compute.",
        "set -euo pipefail",
        'cd "$(dirname "$0")"',
    ]
    for lab in (one for one in load_labs(ROOT, []) if not one.public.starts_itself):
        source = ROOT / "solutions" / lab.id / lab.public.file
        given, sizes = arguments(lab.public.kernel)
        program = folder / f"{lab.id}.cu"
        program.write_text(
            MAIN.format(
                file=source, side=SIDE, launch=name_of(lab.public.launch), kernel=name_of(lab.public.kernel),
                sizes=", ".join(sizes), arguments=", ".join(given),
            ),
            encoding="utf-8",
        )  # fmt: skip
        include = f"-I{ROOT / 'kit' / 'include'}"
        command = [
            "nvcc",
            "-O3",
            "-std=c++17",
            "-arch=sm_90",
            "-cudart=static",
            include,
            str(program),
            "-o",
            str(folder / lab.id),
        ]
        subprocess.run(command, check=True)
        counted = ROOT / ".venv" / "bin" / "tilelab"
        shape = "x".join(sizes)
        profile = [str(counted), "profile", str(source), "--lab", lab.id, "--shape", shape, "--json"]
        answer = subprocess.run(profile, check=True, capture_output=True, text=True, cwd=ROOT).stdout
        (folder / f"{lab.id}.json").write_text(answer, encoding="utf-8")
        run.append(f"ncu --csv --metrics {','.join(METRICS)} ./{lab.id} > {lab.id}.csv")
    (folder / "run.sh").write_text("\n".join(run) + "\n", encoding="utf-8")


def measured(report: Path) -> dict[str, float]:
    """The metrics in ncu's CSV, by name. The program's own output may come before the CSV."""
    lines = report.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    return {
        row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
        for row in csv.DictReader(lines[start:])
        if row["Metric Name"] in METRICS
    }


def ratios(lab: Lab, folder: Path) -> list[str]:
    ours = json.loads((folder / f"{lab.id}.json").read_text(encoding="utf-8"))["metrics"]
    theirs = measured(folder / f"{lab.id}.csv")
    return [
        "-"
        if not (ours[name] or theirs[name])
        else f"{ours[name] / theirs[name]:.2f}"
        if theirs[name]
        else "none there"
        for name in METRICS
    ]


def table(folder: Path) -> None:
    print("| solution | " + " | ".join(HEADS) + " |")
    print("|---|" + "--:|" * len(HEADS))
    for lab in (one for one in load_labs(ROOT, []) if not one.public.starts_itself):
        print(f"| `{lab.id}` | " + " | ".join(ratios(lab, folder)) + " |")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in {"prepare", "table"}:
        sys.exit(__doc__)
    {"prepare": prepare, "table": table}[sys.argv[1]](Path(sys.argv[2]).resolve())
