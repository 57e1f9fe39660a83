"""How many submissions a minute this clone grades, and what grading an unchanged class again costs: `class_throughput.py --students 60`.

It prints and asserts nothing. Use a quiet machine. The class is made: model solutions, wrong kernels and accepted kernels of each lab, no
two files equal, so that nothing is judged for two students at once. `--only-make FOLDER` writes the class and grades nothing.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from spending import exact, spend

from grader.model.labs import Lab, load_lab

ROOT = Path(__file__).resolve().parents[2]
HEART = ("01-naive", "02-tiled", "03-boundary")
RIGHT_OF_TEN = 6  # so many of ten students have a right kernel


def make_class(folder: Path, students: int, lab_ids: tuple[str, ...] = HEART) -> None:
    """Writes a folder for each student into `folder`."""
    for lab in (load_lab(ROOT, lab_id) for lab_id in lab_ids):
        right, wrong = itertools.cycle(_right(lab)), itertools.cycle(_wrong(lab))
        for number in range(students):
            kernel = next(right if number % 10 < RIGHT_OF_TEN else wrong)
            hand_in = folder / f"student{number:04}"
            hand_in.mkdir(parents=True, exist_ok=True)
            text = kernel.read_text(encoding="utf-8", errors="replace")
            own = f"// handed in by student {number}\nusing student_{number} = int;\n"
            (hand_in / lab.public.file).write_text(f"{text}\n{own}", encoding="utf-8")


def _right(lab: Lab) -> list[Path]:
    return [ROOT / "solutions" / lab.id / lab.public.file, *_sources(ROOT / "tests/labs/accepted" / lab.id)]


def _wrong(lab: Lab) -> list[Path]:
    """Those that end: a class has few kernels that hang, and each would cost as much as many others."""
    return [one for one in _sources(ROOT / "solutions" / lab.id / "rejects") if "timeout" not in _first_line(one)]


def _sources(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cu"))


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]


def grade(submissions: Path, out: Path, lab_ids: tuple[str, ...], jobs: int) -> str:
    """What the command printed."""
    command = [f"{ROOT}/.venv/bin/tilelab", "grade", str(submissions), "--out", str(out), "--jobs", str(jobs)]
    command += itertools.chain.from_iterable(("--lab", one) for one in lab_ids)
    environment = {**os.environ, "TILELAB_BACKEND": "cpu"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each command would compile the grader itself
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode != 0:
        message = f"grading ended with status {done.returncode}:\n{done.stdout}\n{done.stderr}"
        raise RuntimeError(message)
    return done.stdout


def measured(submissions: Path, out: Path, lab_ids: tuple[str, ...], students: int, jobs: int) -> Iterator[str]:
    """A line for each run: the first, and one where nothing has changed."""
    began = time.monotonic()
    first = spend(lambda: grade(submissions, out, lab_ids, jobs))
    yield (
        f"first run       {first.wall_s:7.1f} s by the clock, {first.cpu_s:7.1f} s of processor time: "
        f"{60 * students / first.wall_s:.0f} submissions a minute, {first.cpu_s / students:.2f} s each"
    )
    again = spend(lambda: grade(submissions, out, lab_ids, jobs))
    yield (
        f"nothing changed {again.wall_s:7.1f} s by the clock, {again.cpu_s:7.1f} s of processor time: "
        f"{again.cpu_s / first.cpu_s:.3f} of the first run"
    )
    yield f"altogether {time.monotonic() - began:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--lab", action="append", help="default: the three labs of the course's heart")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only-make", type=Path, help="a folder to write the class to")
    asked = parser.parse_args()
    lab_ids = tuple(asked.lab or HEART)
    if asked.only_make:
        make_class(asked.only_make, asked.students, lab_ids)
        return
    if not exact():
        print("Note: kernel.perf_event_paranoid forbids the task clock: times of killed sandboxes are missing below.")
    print(f"{asked.students} students, {len(lab_ids)} labs, {asked.jobs} jobs at once")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        submissions = Path(folder) / "submissions"
        make_class(submissions, asked.students, lab_ids)
        for line in measured(submissions, Path(folder) / "out", lab_ids, asked.students, asked.jobs):
            print(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
