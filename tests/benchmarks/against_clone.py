"""What grading a class costs in this clone, as a ratio to another built clone of the kit: `against_clone.py ../older-clone`.

It prints and asserts nothing. Use a quiet machine. The class is made of the kernels in tests/labs/accepted and the solutions, of which
each student gets one for each lab. Both clones grade the same files into empty folders, in the order ABBA.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from spending import alternate, exact, spend, spread

from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]


def make_class(students: int, folder: Path) -> None:
    """Nobody hands in what another one does, as far as there are kernels."""
    for lab_id in lab_ids(ROOT):
        lab = load_lab(ROOT, lab_id)
        kernels = [
            ROOT / "solutions" / lab_id / lab.public.file,
            *sorted((ROOT / "tests/labs/accepted" / lab_id).glob("*.cu")),
        ]
        for number, kernel in zip(range(students), itertools.cycle(kernels)):
            hand_in = folder / f"student{number:03}"
            hand_in.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kernel, hand_in / lab.public.file)


def grading(clone: Path, submissions: Path, scratch: Path) -> Callable[[], None]:
    def grade() -> None:
        with tempfile.TemporaryDirectory(dir=scratch) as out:
            command = [f"{clone}/.venv/bin/tilelab", "grade", str(submissions), "--out", f"{out}/out"]
            environment = {**os.environ, "TILELAB_BACKEND": "cpu"}
            # Another revision may fail to make a page, which costs the same.
            subprocess.run(command, check=False, capture_output=True, cwd=clone, env=environment)
            if not Path(out, "out", "grades.csv").is_file():
                message = f"{clone} wrote no grades"
                raise RuntimeError(message)

    return grade


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--students", type=int, nargs="*", default=[1, 20])
    asked = parser.parse_args()
    if not exact():
        print("Note: kernel.perf_event_paranoid forbids the task clock: times of killed sandboxes are missing below.")
    for students in asked.students:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            submissions = Path(folder) / "submissions"
            make_class(students, submissions)
            ours = grading(ROOT, submissions, Path(folder))
            theirs = grading(asked.clone.resolve(), submissions, Path(folder))
            spend(ours), spend(theirs)  # warms the page cache
            taken = list(alternate(ours, theirs, asked.pairs))
        print(f"a class of {students}, all labs [processor time, {asked.pairs} pairs]")
        print(f"  here     {spread([a.cpu_s for a, _ in taken])} s")
        print(f"  there    {spread([b.cpu_s for _, b in taken])} s")
        print(f"  ratio    {spread([a.cpu_s / b.cpu_s for a, b in taken])}")


if __name__ == "__main__":
    main()
