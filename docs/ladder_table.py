"""Writes the table and the figure of the open lab's ladder, from the times that `make ladder` measured.

`.venv/bin/python docs/ladder_table.py` prints the table. With `--write` it replaces the section between the two markers of the ladder's
README.md, draws ladder.svg beside it, and writes the speeds of the climb's steps into the lab's file; a test fails where they are not
current. Measures nothing.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "figures"))
import ladder_figures
from marked_section import MarkedSection

LADDER = Path(__file__).resolve().parent.parent / "solutions" / "04-open" / "ladder"
FIGURE = LADDER / "ladder.svg"
LAB = LADDER.parents[2] / "assignments" / "04-open" / "lab.toml"
SECTION = MarkedSection(LADDER / "README.md", "<!-- measured: begin (make ladder) -->", "<!-- measured: end -->")


def name_of(kernel: str) -> str:
    return {"baseline": "naive", "model": "the lab's model", "cublas": "cuBLAS"}.get(kernel, kernel.replace("_", " "))


def table(measured: Mapping[str, Any]) -> str:
    """GFLOP/s, and the share of cuBLAS's speed with half of its 95 % interval."""
    sizes = measured["sizes"]
    lines = [
        f"{measured['date']}, {measured['device']}, {measured['toolkit']}, fp32. Medians of {measured['rounds']} rounds, each with new",
        "inputs and a flushed L2. In each cell: GFLOP/s, and the share of cuBLAS's speed in the same rounds ± half of its 95 % interval.",
        "",
        "| kernel | " + " | ".join(f"{row['size']}³" for row in sizes) + " |",
        "|---|" + "--:|" * len(sizes),
    ]
    for place, kernel in enumerate(sizes[0]["kernels"]):
        cells = [_cell(row["flops"], row["kernels"][place]) for row in sizes]
        lines.append(f"| {name_of(kernel['name'])} | " + " | ".join(cells) + " |")
    noisy = [f"{row['size']}³: {row['trouble']}" for row in sizes if row["trouble"]]
    return "\n".join([*lines, *(["", "Not quiet: " + "; ".join(noisy) + "."] if noisy else [])])


def tensor_table(measured: Mapping[str, Any]) -> str:
    """As `table`, of the kernels that use tensor cores, beside cuBLAS in the same arithmetic. Empty where none was measured."""
    sizes = measured.get("tensor_cores", [])
    if not sizes:
        return ""
    lines = [
        "",
        "",
        "**Beyond the comparison, in TF32**: tensor cores read 10 bits of each float's fraction, so these sums are others. Here cuBLAS may",
        "use them too (`CUBLAS_TF32_TENSOR_OP_MATH`), and the share is that of its speed with them.",
        "",
        "| kernel | " + " | ".join(f"{row['size']}³" for row in sizes) + " |",
        "|---|" + "--:|" * len(sizes),
    ]
    for place, kernel in enumerate(sizes[0]["kernels"]):
        if kernel["name"] != "baseline":
            name = "cuBLAS in TF32" if kernel["name"] == "cublas" else name_of(kernel["name"])
            lines.append(
                f"| {name} | " + " | ".join(_cell(row["flops"], row["kernels"][place]) for row in sizes) + " |"
            )
    return "\n".join(lines)


def _cell(flops: float, kernel: Mapping[str, Any]) -> str:
    low, middle, high = kernel["share"]
    speed = f"{flops / kernel['ms'][1] / 1e6:,.0f}"
    return speed if kernel["name"] == "cublas" else f"{speed}<br>{middle:.3f} ± {(high - low) / 2:.3f}"


def section() -> str:
    """The table with the figure, or what to do where nothing was measured yet."""
    if not ladder_figures.MEASURED.is_file():
        return "Not measured in this form yet: run `make ladder` on a machine with a GPU."
    measured = json.loads(ladder_figures.MEASURED.read_text(encoding="utf-8"))
    return f"![Speed over sizes, and share of cuBLAS.]({FIGURE.name})\n\n{table(measured)}{tensor_table(measured)}"


def lab_with_speeds(text: str, measured: Mapping[str, Any]) -> str:
    """The lab's file with the speed of each step's kernel, in the order of the ladder, at the size that the file names."""
    wanted = re.search(r'^\[climb\]\nshape = "(\d+)x', text, re.MULTILINE)
    row = next((one for one in measured["sizes"] if wanted and one["size"] == int(wanted[1])), None)
    if row is None:
        return text
    speeds = iter(
        f"gflops = {row['flops'] / one['ms'][1] / 1e6:.0f}"
        for one in row["kernels"]
        if one["name"] not in {"baseline", "cublas"}
    )
    return re.sub(r"^gflops = \d+$", lambda found: next(speeds, found[0]), text, flags=re.MULTILINE)


def write() -> None:
    SECTION.write(section())
    if ladder_figures.MEASURED.is_file():
        FIGURE.write_text(ladder_figures.ladder(), encoding="utf-8")
        measured = json.loads(ladder_figures.MEASURED.read_text(encoding="utf-8"))
        LAB.write_text(lab_with_speeds(LAB.read_text(encoding="utf-8"), measured), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        sys.stdout.write(f"{section()}\n")
