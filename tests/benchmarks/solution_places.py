"""How many wrong kernels find a line of the model solution: every reject, mistake and mutant of the course.

Usage: .venv/bin/python tests/benchmarks/solution_places.py --kept FOLDER, the folder of mistake_clusters.py. Mutants are the solution
but for one change, so whatever has a line has its counterpart; rejects and mistakes were written by hand, and are what counts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from mistake_clusters import ROOT, Kernel, judged, kernels

from grader.engines.toolset import Toolset
from grader.explain.clustering import behaviour, went_wrong
from grader.explain.small_edits import mutants_of
from grader.explain.solution_maps import solution_map
from grader.explain.suspect_search import SolutionMutants
from grader.model.course_root import load_labs
from grader.model.labs import Lab
from grader.model.result import LabResult, Result
from grader.run.scoring.lab_score import score_lab

SAMPLE = ROOT / "tests" / "reports" / "samples" / "pass.json"


def counted(lab: Lab, toolset: Toolset, kept: Path) -> Counter[str]:
    wrong = [(one, result) for one in kernels(lab) if went_wrong(result := score_lab(lab, judged(one, toolset, kept)))]
    by_hand = [(one, result) for one, result in wrong if not one.name.startswith("mutants/")]
    solution = _solution(lab)
    likenesses = _likenesses(solution, wrong)
    counts = Counter[str]()
    for name, group in (("mutants", [one for one in wrong if one not in by_hand]), ("by hand", by_hand)):
        results = [_result(lab, one, result) for one, result in group]
        texts = {one.name: one.text.decode("utf-8", "replace") for one, _ in group}
        like = likenesses if name == "by hand" else {}
        found = solution_map(lab.id, lab.public.file, solution, results, texts, like)
        if found is not None:
            counts[f"{name}: wrong"] += found.wrong
            for why, who in found.unplaced:
                counts[f"{name}: {why}"] += len(who)
    return counts


def _solution(lab: Lab) -> str:
    assert lab.private_dir is not None
    return (lab.private_dir / lab.public.file).read_text(encoding="utf-8")


def _likenesses(solution: str, wrong: list[tuple[Kernel, LabResult]]) -> dict[str, str]:
    known = SolutionMutants(Path(), "", mutants_of(solution))
    numbers = {one.name: behaviour(result.cases) for one, result in wrong if one.name.startswith("mutants/")}
    known.known = {int(name.split("/")[1].split("-")[0]): seen for name, seen in numbers.items()}
    return dict(known.likenesses())


def _result(lab: Lab, kernel: Kernel, result: LabResult) -> Result:
    one = Result.model_validate_json(SAMPLE.read_text(encoding="utf-8"))
    submission = one.submission.model_copy(update={"id": kernel.name})
    return one.model_copy(update={"submission": submission, "labs": {lab.id: result}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, required=True)
    kept = parser.parse_args().kept
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    total = Counter[str]()
    for lab in load_labs(ROOT, ()):
        found = counted(lab, toolset, kept)
        total += found
        sys.stdout.write(f"{lab.id}: {dict(found)}\n")
    sys.stdout.write(f"all: {dict(total)}\n")


if __name__ == "__main__":
    main()
