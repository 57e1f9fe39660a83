"""Which wrong kernels each case of a lab finds, and which it alone finds: `case_matrix.py 02-tiled …`.

It prints and asserts nothing. The kernels are the lab's rejects, the mistakes of beginners, the attacks on it, and every small
mistake in the model solution. A case that finds nothing alone costs each submission its time: its sizes can shrink, or it can
go. `--keep FILE` writes what was found, and `--against FILE` says which kernels are found by fewer cases than then.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.small_edits import mutants_of
from grader.model.labs import Lab, load_lab
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
SEED = 20240917
Found = dict[
    str, dict[str, list[str]]
]  # by kernel and case: the shapes of the launches that failed; "": all passed, and the case did not


def wrong_kernels(lab: Lab, scratch: Path) -> Iterator[Path]:
    for folder in (
        "solutions/{}/rejects",
        "tests/labs/mistakes/{}",
        "tests/exploits/kernels/{}",
        "tests/exploits/technique/{}",
    ):
        yield from sorted((ROOT / folder.format(lab.id)).glob("*.cu"))
    model = ROOT / "solutions" / lab.id / lab.public.file
    for number, mutant in enumerate(mutants_of(model.read_text(encoding="utf-8"))):
        path = scratch / f"mutant{number:03} {mutant.operator} line {mutant.line}.cu"
        path.write_text(mutant.text, encoding="utf-8")
        yield path


def failures(judge: LabJudge, lab: Lab, source: Path, scratch: Path) -> dict[str, list[str]]:
    """Empty where the kernel was refused before it ran."""
    found = {}
    for case in judge(lab, source, scratch).cases:
        if not case.passed:
            found[case.name] = [one.shape for one in case.launches if one.verdict is not Verdict.PASS] or [""]
    return found


def matrix(lab: Lab) -> Found:
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    judge = LabJudge(toolset, SEED, public_only=False, explained=False)
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        sources = list(wrong_kernels(lab, Path(folder)))
        return dict(
            zip(
                (one.stem for one in sources),
                pool.map(lambda one: failures(judge, lab, one, Path(folder)), sources),
                strict=True,
            )
        )


def table(lab: Lab, found: Found) -> Iterator[str]:
    yield f"{lab.id}: {len(found)} wrong kernels, {sum(map(bool, found.values()))} of them fail in a case"
    for case in lab.cases:
        finds = [kernel for kernel, cases in found.items() if case.name in cases]
        alone = [kernel for kernel in finds if len(found[kernel]) == 1]
        yield f"  {len(finds):4} found, {len(alone):3} alone: {case.name}" + (
            f" ({', '.join(alone[:6])})" if alone else ""
        )
        shapes = Counter(shape for kernel in finds for shape in found[kernel][case.name])
        lonely = Counter(found[kernel][case.name][0] for kernel in alone if len(found[kernel][case.name]) == 1)
        yield "         " + "; ".join(f"{shape or '-'}: {count}, {lonely[shape]}" for shape, count in shapes.items())


def differences(now: Found, then: Found) -> Iterator[str]:
    for kernel in now.keys() & then.keys():
        fewer = then[kernel].keys() - now[kernel].keys()
        if fewer:
            gone = "found by no case any more" if not now[kernel] else "not found any more in"
            yield f"  {kernel}: {gone} {', '.join(sorted(fewer))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--against", type=Path)
    asked = parser.parse_args()
    then = json.loads(asked.against.read_text()) if asked.against else {}
    found = {}
    for lab in (load_lab(ROOT, one) for one in asked.labs):
        found[lab.id] = matrix(lab)
        print("\n".join(table(lab, found[lab.id])), flush=True)
        if lab.id in then:
            print("\n".join(differences(found[lab.id], then[lab.id])))
    if asked.keep:
        asked.keep.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
