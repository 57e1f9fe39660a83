"""The leaderboard of kernels that differ clearly in speed, graded twice on this machine's GPU as `make grade` does it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.result import Result

ROOT = Path(__file__).resolve().parents[2]
OPEN = ROOT / "solutions" / "04-open"
LAB = load_lab(ROOT, OPEN.name)
# By rising speed. The twins hand in the same file, and the last kernel keeps 12 bits of its inputs: the tests' whole numbers stay exact.
KERNELS = {
    "anna": OPEN / LAB.public.file,
    "ben": OPEN / "ladder" / "01_column_of_outputs.cu",
    "carl": OPEN / "ladder" / "05_double_buffer.cu",
    "twin-one": OPEN / "ladder" / "10_tuned.cu",
    "twin-two": OPEN / "ladder" / "10_tuned.cu",
    "rounded": OPEN / "rejects" / "drops_low_bits.cu",
}
Measured = Callable[[str], None]


def graded(on_gpu: Toolset, submissions: Path, out: Path) -> tuple[str, dict[str, float]]:
    """The public page, and the points by student."""
    sandbox = ["--no-sandbox"] if on_gpu.confinement.name == "none" else []
    subprocess.run(
        [Path(sys.executable).with_name("tilelab"), "grade", submissions, "--out", out, "--lab", LAB.id, *sandbox],
        cwd=ROOT,
        check=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TILELAB_BACKEND": "cuda"},
    )
    records = [out / "instructor" / f"{student}.json" for student in KERNELS]
    results = [Result.model_validate(json.loads(path.read_text(encoding="utf-8"))["result"]) for path in records]
    return (out / "leaderboard.html").read_text(encoding="utf-8"), {one.submission.id: one.total for one in results}


def ranks(page: str) -> dict[str, str]:
    """By name on the page."""
    return {name: rank for rank, name in re.findall(r'class="rank"><b>(\d+)</b>.*?<bdi>(.*?)</bdi>', page, re.DOTALL)}


def test_a_class_graded_twice_has_the_same_ranks_and_points(
    on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    submissions = tmp_path / "handed in"
    for student, kernel in KERNELS.items():
        (submissions / student).mkdir(parents=True)
        text = kernel.read_text(encoding="utf-8").replace("0xffff0000", "0xfffff000")
        (submissions / student / LAB.public.file).write_text(text, encoding="utf-8")
    first, points = graded(on_gpu, submissions, tmp_path / "one")
    # Measured anew, with the names and the history of the first time.
    kept = tmp_path / "two" / "instructor" / "leaderboard"
    shutil.copytree(tmp_path / "one" / "instructor" / "leaderboard", kept)
    shutil.copy(tmp_path / "one" / "instructor" / "OUT.txt", kept.parent)
    second, points_again = graded(on_gpu, submissions, tmp_path / "two")
    shares = re.findall(r"([\d.]+) % ?(?:\([^)]*\) )?of cuBLAS", first)
    measured(f"ranks {sorted(ranks(first).values())}; of cuBLAS: {', '.join(shares)} %; points {points}")
    assert sorted(ranks(first).values()) == ["1", "1", "3", "4", "5"]
    assert ranks(second) == ranks(first)
    assert points_again == points
    assert second.count("same file as last time") == 0  # the same batch again is not compared with itself
    assert "Not in fp32" in first
    assert not re.search(r"\b(anna|ben|carl|twin|rounded)\b", first)
