"""How well clusters hold what went wrong: every wrong kernel of the course, mutants of the solutions among them, each known by its file.

Usage: .venv/bin/python tests/benchmarks/mistake_clusters.py --kept FOLDER. Judging takes half an hour; FOLDER keeps it.
It prints for each lab, and for all: how many wrong files are in at most twelve clusters; of a class of 300 in which few mistakes
are frequent and many are rare, how many are in a cluster of one cause, and how many made the most common mistake of their cluster.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.clustering import WrongSubmission, behaviour, clusters_of, went_wrong, wrong_submission
from grader.explain.small_edits import mutants_of
from grader.model.course_root import load_labs
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917
CLASS = 300


@dataclass(frozen=True)
class Kernel:
    lab: Lab
    name: str  # "rejects/no_barriers"
    text: bytes


def kernels(lab: Lab) -> Iterator[Kernel]:
    assert lab.private_dir is not None
    for number, mutant in enumerate(mutants_of((lab.private_dir / lab.public.file).read_text(encoding="utf-8"))):
        yield Kernel(lab, f"mutants/{number:02d}-{mutant.operator}", mutant.text.encode())
    for folder in (lab.private_dir / "rejects", ROOT / "tests" / "labs" / "mistakes" / lab.id):
        for path in sorted(folder.glob("*.cu")):
            yield Kernel(
                lab,
                f"{'rejects' if folder.name == 'rejects' else 'mistakes'}/{path.stem}",
                normalise(path.read_bytes())[0],
            )


def judged(kernel: Kernel, toolset: Toolset, kept: Path) -> LabOutcome:
    path = kept / kernel.lab.id / f"{kernel.name}.json"
    if path.is_file():
        return OUTCOME_JSON.validate_json(path.read_bytes())
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / kernel.lab.public.file
        source.write_bytes(kernel.text)
        outcome = LabJudge(toolset, SEED, public_only=False)(kernel.lab, source, Path(folder))
    path.write_bytes(OUTCOME_JSON.dump_json(outcome))
    return outcome


def wrong_kernels(lab: Lab, toolset: Toolset, kept: Path) -> list[WrongSubmission]:
    with ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(lambda one: (one, judged(one, toolset, kept)), list(kernels(lab)))
        scored = [(one, score_lab(lab, outcome)) for one, outcome in outcomes]
    return [
        wrong_submission(
            one.name, lab.id, result, one.text.decode("utf-8", "replace"), behaviour=behaviour(result.cases)
        )
        for one, result in scored
        if went_wrong(result)
    ]


def counted(wrong: Sequence[WrongSubmission]) -> Counter[str]:
    """`student` is the name of the file, with what tells students apart after a `#`."""
    clusters = clusters_of(wrong)
    found = Counter(wrong=len(wrong), covered=sum(len(one.members) for one in clusters))
    for one in clusters:
        found["by cause"] += len(one.members) if one.depth else 0
        found["the same"] += Counter(member.student.split("#")[0] for member in one.members).most_common(1)[0][1]
    return found


def a_class(wrong: Sequence[WrongSubmission]) -> list[WrongSubmission]:
    """The n-th mistake, in an order drawn from a seed, is made 1/n times as often as the first."""
    source = random.Random(1)
    order = source.sample(list(wrong), len(wrong))
    chosen = source.choices(order, [1 / n for n in range(1, len(order) + 1)], k=CLASS)
    return [replace(one, student=f"{one.student}#{n}") for n, one in enumerate(chosen)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, required=True)
    kept = parser.parse_args().kept
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    each, classes, alike = Counter[str](), Counter[str](), Counter[str]()
    for lab in load_labs(ROOT, ()):
        wrong = wrong_kernels(lab, toolset, kept)
        once, many = counted(wrong), counted(a_class(wrong))
        known = {one.behaviour for one in wrong if one.student.startswith("mutants/") and one.behaviour}
        ran = [one for one in wrong if one.behaviour and not one.student.startswith("mutants/")]
        alike += Counter(ran=len(ran), alike=sum(one.behaviour in known for one in ran))
        each, classes = each + once, classes + many
        sys.stdout.write(f"{lab.id}: {dict(once)}; of a class: {dict(many)}\n")
    sys.stdout.write(
        f"all: {dict(each)}; of classes: {dict(classes)}; wrong files that ran, and those like a mutant: {dict(alike)}\n"
    )


if __name__ == "__main__":
    main()
