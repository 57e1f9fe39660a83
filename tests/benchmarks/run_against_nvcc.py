"""What `tilelab run` of a program costs, and `make test` of a lab, as ratios to nvcc compiling the same file:
`run_against_nvcc.py [--programs N] [--labs LAB …] [--pairs N]`.

It prints and asserts nothing. Use a quiet machine. The programs are those of tests/programs/clean. `first`: no kernel of the program
was built before. `again`: all of them were, as when only host code was changed. nvcc only compiles and links; `tilelab run` also runs.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from spending import Spent, alternate, exact, spread

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "programs"


def program_arguments(file: Path) -> list[str]:
    return shlex.split(file.read_text(encoding="utf-8").partition("\n")[0].partition(":")[2])


def nvcc(file: Path, program: Path, *options: str) -> Callable[[], None]:
    command = [
        shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc",
        "-arch=sm_90",
        *options,
        "-o",
        str(program),
        str(file),
    ]
    return lambda: _run(command, file.parent)


def tilelab(file: Path, *, first: bool) -> Callable[[], None]:
    command = [str(Path(sys.executable).with_name("tilelab")), "run", str(file), *program_arguments(file)]

    def run() -> None:
        if first:
            shutil.rmtree(KEPT, ignore_errors=True)
        _run(command, file.parent)

    return run


def test_of_lab(lab_id: str, file: Path) -> Callable[[], None]:
    """The public tests of a lab on its model solution, without nvcc, as a student without a toolkit runs them."""
    command = ["env", "TILELAB_BACKEND=cpu", str(Path(sys.executable).with_name("tilelab")), "test", lab_id]
    return lambda: _run([*command, "--file", str(file)], ROOT)


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL, cwd=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--labs", nargs="*", default=["00-first-program", "06-reduction"])
    parser.add_argument("--pairs", type=int, default=3)
    asked = parser.parse_args()
    files = sorted((ROOT / "tests/programs/clean").glob("*.cu"))
    files = files[:: max(1, len(files) // asked.programs)]
    if not exact():
        print("Note: kernel.perf_event_paranoid forbids the task clock: times of killed sandboxes are missing below.")
    pairs: list[tuple[Spent, Spent]]
    for lab_id in asked.labs:
        (file,) = (ROOT / "solutions" / lab_id).glob("*.cu")
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            header = ["-I", str(ROOT / "kit/include"), "-Xcompiler", "-fPIC", "-shared"]
            compiled = nvcc(file, Path(folder, "program"), *(header if "main(" not in file.read_text("utf-8") else ()))
            pairs = list(alternate(test_of_lab(lab_id, file), compiled, asked.pairs))
        print(f"make test of {lab_id}: {asked.pairs} pairs")
        print(f"  processor time  ratio {spread([one.cpu_s / other.cpu_s for one, other in pairs])}")
        print(f"  by the clock    ratio {spread([one.wall_s / other.wall_s for one, other in pairs])}")
    for name, first in (("first", True), ("again", False)):
        pairs = []
        for file in files:
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                copy = Path(shutil.copy(file, folder))
                taken = list(alternate(tilelab(copy, first=first), nvcc(copy, Path(folder, "program")), asked.pairs))
            pairs += taken
            print(f"  {file.stem:45} {median(one.wall_s / other.wall_s for one, other in taken):.2f}")
        print(f"{name}: {len(files)} programs, {asked.pairs} pairs each")
        print(f"  processor time  ratio {spread([one.cpu_s / other.cpu_s for one, other in pairs])}")
        print(f"  by the clock    ratio {spread([one.wall_s / other.wall_s for one, other in pairs])}")


if __name__ == "__main__":
    main()
