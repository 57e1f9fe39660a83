"""What grading an unchanged class again costs, phase by phase: `unchanged_class.py --students 300`.

It prints and asserts nothing. The class is that of class_throughput.py. Only a few kernels of each lab are judged, and every student's file
is told what its kernel was told: their outcomes go straight into the job store, so that nobody waits for the judging of a whole class.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from class_throughput import HEART, ROOT, make_class

from grader.model.course_root import course_seed
from grader.model.labs import Lab, load_lab
from grader.model.outcome import LabOutcome
from grader.roll.batch.job_store import JobStore, job_key, judging_fingerprints, lab_fingerprint
from grader.roll.batch.opened_tools import lab_judge, open_toolset
from grader.roll.batch.output_folder import OutputFolder

_MARK = "// handed in by student "


def fill_store(submissions: Path, out: Path, labs: Iterable[Lab], most: int) -> None:
    """Outcomes for every file of `submissions`. At most `most` kernels of a lab are judged, and their outcomes stand for the others."""
    toolset = open_toolset(ROOT, allow_no_sandbox=False)
    seed = course_seed(ROOT)
    judge = lab_judge(toolset, seed, public_only=False)
    store = JobStore(out / "instructor" / "jobs")
    for lab in labs:
        setup = judging_fingerprints(toolset, [lab])[lab.id]
        asked = lab_fingerprint(lab)
        known: dict[str, LabOutcome] = {}
        with tempfile.TemporaryDirectory() as scratch:
            for number, source in enumerate(sorted(submissions.glob(f"*/{lab.public.file}"))):
                text = source.read_bytes()
                kernel = text.decode("utf-8", "replace").partition(_MARK)[0]
                if kernel not in known:
                    known[kernel] = (
                        judge(lab, source, Path(scratch)) if len(known) < most else [*known.values()][number % most]
                    )
                store.keep(job_key(text, asked, setup=setup, seed=seed), known[kernel])


def regrade(submissions: Path, out: Path, labs: Iterable[str]) -> str:
    """Seconds by the clock, and the most memory that the grader's process held."""
    command = [f"{ROOT}/.venv/bin/tilelab", "grade", str(submissions), "--out", str(out), "--search-seconds", "0"]
    for lab in labs:
        command += ["--lab", lab]
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    cpu = usage.ru_utime + usage.ru_stime
    return (
        f"{seconds:.1f} s by the clock, {cpu:.1f} s of processor time, {usage.ru_maxrss >> 10} MB, status {status >> 8}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--kernels", type=int, default=12, help="how many of each lab are judged")
    parser.add_argument("--keep", type=Path, help="a folder for the class and its OUT, which stays")
    asked = parser.parse_args()
    os.environ["TILELAB_BACKEND"] = "cpu"  # a key of the store says which executors were used
    with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
        folder = asked.keep or Path(temporary)
        submissions, out = folder / "submissions", folder / "out"
        if not out.exists():
            make_class(submissions, asked.students)
            OutputFolder(out, submissions).claim()
            fill_store(submissions, out, [load_lab(ROOT, one) for one in HEART], asked.kernels)
        for words in ("pages written", "again", "and again"):
            print(f"{words:14}", regrade(submissions, out, HEART))


if __name__ == "__main__":
    main()
