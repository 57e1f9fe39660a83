"""Runs Oclgrind, the program that is most like our executor, on the tiled kernel in OpenCL C, and lets it detect races and uninitialised
reads. It is only run and checked here; ratios.py compares.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

TWIN = Path(__file__).resolve().with_name("tiled_twin.cl")
_WATCHING = ("--data-races", "--uninitialized")


def oclgrind() -> str | None:
    """The program that runs one kernel from a description. None where it is not installed."""
    return shutil.which("oclgrind-kernel")


def version(program: str) -> str:
    said = subprocess.run([program, "--version"], check=False, capture_output=True, text=True).stdout.split("\n")
    return next((line for line in said if line.startswith("Oclgrind")), program)


def run_twin(program: str, scratch: Path, size: int) -> None:
    """Multiplies ones by twos, with M = N = K = `size`. Raises RuntimeError where the product is wrong or anything was found."""
    described = scratch / "twin.sim"
    described.write_text(_description(size), encoding="utf-8")
    finished = subprocess.run([program, *_WATCHING, str(described)], check=False, capture_output=True, text=True)
    last = f"C[{size * size - 1}] = {2 * size}"
    if finished.returncode != 0 or finished.stderr.strip() or last not in finished.stdout:
        message = f"Oclgrind does not multiply {size} x {size} x {size}: {(finished.stderr or finished.stdout)[-500:]}"
        raise RuntimeError(message)


def _description(size: int) -> str:
    """The description that Oclgrind reads: program, kernel, global and local size, then each argument."""
    matrix = f"<size={4 * size * size} float"
    arguments = [f"{matrix} fill=1>", f"{matrix} fill=2>", f"{matrix} noinit dump>", *[f"<size=4 int>\n{size}"] * 3]
    return "\n".join([str(TWIN), "tiled_twin", f"{size} {size} 1", "16 16 1", "", *arguments, ""])
