"""What a task of a real Slurm runs in tests: judges a slice of the course in which nothing is compiled. `real_task.py COURSE ARRAY`.

A source with WAITS in it is judged when there is a file called `go` beside the course.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "roll/batch"), str(HERE.parents[3])]

from fake_course import FILES, SEED, FakeJudge  # noqa: E402 -- the path is set above

from grader.model.labs import Lab, load_lab  # noqa: E402
from grader.model.outcome import LabOutcome  # noqa: E402
from grader.model.result import Environment  # noqa: E402
from grader.plugins.slurm.slice_judging import ArrayFolder, judge_slice, task_of  # noqa: E402
from grader.roll.batch.judging_jobs import JudgingSetup  # noqa: E402


def main() -> None:
    root, array = Path(sys.argv[1]), ArrayFolder(Path(sys.argv[2]))
    number, node = task_of(os.environ)
    fake = FakeJudge()

    def judge(lab: Lab, source: Path, scratch: Path) -> LabOutcome:
        while "WAITS" in source.read_text(encoding="utf-8") and not (root.parent / "go").exists():
            time.sleep(0.05)
        with (root.parent / "judged.txt").open("a", encoding="utf-8") as file:
            file.write(f"{lab.id} {node}\n")
        return fake(lab, source, scratch)

    environment = Environment(kit="0", compiler="g++ 12", sandbox="none", date="2026-01-01")
    setup = JudgingSetup(judge, environment, dict.fromkeys(FILES, "kit 1"), SEED)
    labs = {lab: load_lab(root, lab) for lab in array.order().labs}
    answer = judge_slice(array, labs, setup, os.environ, workers=2)
    array.write_answer(number, answer)


if __name__ == "__main__":
    main()
