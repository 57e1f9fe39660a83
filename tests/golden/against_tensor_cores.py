"""Runs the kernels of `tensor_cores/` on a GPU and on the CPU executor, and prints how far their results are apart.

    .venv/bin/python tests/golden/against_tensor_cores.py prepare build/tensor   # here: programs (needs nvcc), our results
    bash build/tensor/run.sh                                                     # where there is a GPU; build/tensor may be copied there
    .venv/bin/python tests/golden/against_tensor_cores.py table build/tensor     # prints a Markdown table

Each kernel prints its results line by line: a name, a number, the bits of a float. This is no test: it needs a GPU. Its output is put
into docs/cuda-on-the-cpu.md by hand, with the date and the device.
"""

# ruff: noqa: T201 -- it prints
from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import read_kernel_source
from grader.run.launches.kernel_check import Checked, CheckRequest, check_kernel

ROOT = Path(__file__).resolve().parents[2]
KERNELS = Path(__file__).resolve().parent / "tensor_cores"
LINE = re.compile(r"^ *(\w+ \d+) ([0-9a-f]{8}) \S+ *$", re.MULTILINE)
MAIN = """#include "{file}"
int main() {{
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20);
  shows<<<1, 32>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::puts(cudaGetErrorString(error));
  return error != cudaSuccess;
}}
"""


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run = ["#!/usr/bin/env bash", "# Runs every program beside this file.", "set -uo pipefail", 'cd "$(dirname "$0")"']
    for source in sorted(KERNELS.glob("*.cu")):
        program = folder / f"{source.stem}.cu"
        program.write_text(MAIN.format(file=source), encoding="utf-8")
        command = ["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-cudart=static", f"-I{KERNELS}", str(program)]
        subprocess.run([*command, "-o", str(folder / source.stem)], check=True)
        (folder / f"{source.stem}.here").write_text(printed_here(source), encoding="utf-8")
        run.append(f"./{source.stem} > {source.stem}.there")
    (folder / "run.sh").write_text("\n".join(run) + "\n", encoding="utf-8")


def printed_here(source: Path) -> str:
    """All that the kernel prints on the CPU executor; `tilelab check` shows only its beginning."""
    request = CheckRequest(str(source), "shows", (1, 1, 1), (32, 1, 1), shared_bytes=0, arguments=[])
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        toolset = Toolset.open(ROOT, allow_no_sandbox=True)
        checked = check_kernel(toolset, read_kernel_source(source), request, Path(scratch))
    if not isinstance(checked, Checked) or checked.verdict is not Verdict.PASS:
        sys.exit(f"{source.name} is not clean here: {checked}")
    return checked.printed


def results(printed: Path) -> dict[str, float]:
    text = printed.read_text(encoding="utf-8")
    return {name: struct.unpack("<f", int(bits, 16).to_bytes(4, "little"))[0] for name, bits in LINE.findall(text)}


def table(folder: Path) -> None:
    print("| kernel | results | equal to the last bit | largest difference | of a result of | largest result |")
    print("|---|---|---|---|---|---|")
    for source in sorted(KERNELS.glob("*.cu")):
        here, there = (results(folder / f"{source.stem}.{place}") for place in ("here", "there"))
        both = [(here[name], there[name]) for name in here if name in there]
        equal = sum(one == other for one, other in both)
        worst = max(both, key=lambda pair: abs(pair[0] - pair[1]), default=(0.0, 0.0))
        largest = max((abs(other) for _, other in both), default=0.0)
        print(
            f"| `{source.stem}` | {len(both)} of {len(here)} | {equal} | {abs(worst[0] - worst[1]):.3g} | {worst[1]:.6g} | {largest:.6g} |"
        )


if __name__ == "__main__":
    action, place = sys.argv[1], Path(sys.argv[2]).resolve()
    {"prepare": prepare, "table": table}[action](place)
