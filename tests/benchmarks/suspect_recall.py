"""How often the search names the line of a beginner's mistake. It makes mistakes in the model solutions of labs 01, 02 and 03, one in
each copy, and prints for each kind how many the search found. It asserts nothing.

A mutant counts only where its result is wrong in a public case and nothing worse happens: races and accesses out of bounds have lines
of their own. `--most`: how many changes are tried for each mutant. Takes some minutes.
"""

# ruff: noqa: T201 -- printing is what it is for
from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.suspect_search import MOST_EDITS, SuspectSearch, places, wrong_case
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import Lab, load_lab
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
LABS = ("01-naive", "02-tiled", "03-boundary")
# What stands in a model solution, and what a beginner writes there.
MISTAKES = {
    "accumulator of another type": (
        ("float sum = 0.0f", ("int sum = 0", "unsigned sum = 0", "short sum = 0", "bool sum = false")),
        ("__shared__ float As", ("__shared__ int As", "__shared__ short As")),
        ("__shared__ float Bs", ("__shared__ int Bs", "__shared__ char Bs")),
    ),
    "`=` for `+=`": (("sum +=", ("sum =", "sum -=")),),
    "tile that does not advance": (
        ("row * K + start + tx", ("row * K + tx", "row * K + start", "row * K + start * tile + tx")),
        ("(start + ty) * N", ("ty * N", "start * N", "(start * tile + ty) * N")),
        ("a_col = start + tx", ("a_col = tx", "a_col = start")),
        ("b_row = start + ty", ("b_row = ty", "b_row = start")),
        ("start += tile", ("start += 2 * tile", "start += tile + 1")),
    ),
    "indices exchanged at use": (
        ("As[ty][k]", ("As[k][ty]", "As[tx][k]", "As[k][tx]")),
        ("Bs[k][tx]", ("Bs[tx][k]", "Bs[k][ty]", "Bs[ty][k]")),
        ("A[row * K + k]", ("A[k * K + row]", "A[col * K + k]", "B[row * K + k]")),
        ("B[k * N + col]", ("B[col * N + k]", "B[k * N + row]", "A[k * N + col]")),
        ("] * B", ("] + B",)),
    ),
    "indices exchanged at load or store": (
        ("As[ty][tx] = ", ("As[tx][ty] = ",)),
        ("Bs[ty][tx] = ", ("Bs[tx][ty] = ",)),
        ("C[row * N + col]", ("C[col * N + row]", "C[col * M + row]")),
        ("row * K + start + tx", ("row * K + start + ty", "col * K + start + tx")),
        ("(start + ty) * N + col", ("(start + tx) * N + col", "(start + ty) * N + row")),
    ),
    "shifted loop": (
        ("int k = 0", ("int k = 1",)),
        ("k < K", ("k < K - 1", "k <= K - 2")),
        ("k < tile", ("k < tile - 1", "k < K / tile", "k + 1 < tile")),
        ("start = 0", ("start = tile",)),
        ("start < K", ("start < K - tile", "start < K - 1")),
        ("float sum = 0.0f", ("float sum = 1.0f",)),
    ),
    "wrong bound": (
        ("row >= M || col >= N", ("row >= M - 1 || col >= N", "row >= M || col > N - 2", "row >= N || col >= M")),
        ("row < M && col < N", ("row < M - 1 && col < N", "row < N && col < M", "row < M || col < N")),
        ("a_col < K", ("a_col < K - 1", "a_col <= K", "a_col < N")),
        ("b_row < K", ("b_row < K - 1", "b_row <= K", "b_row < M")),
        ("? A[row * K + a_col] : 0.0f", ("? A[row * K + a_col] : 1.0f",)),
    ),
    "M, N and K exchanged": (
        ("A[row * K", ("A[row * N", "A[row * M")),
        ("B[k * N", ("B[k * K", "B[k * M")),
        ("ty) * N", ("ty) * K", "ty) * M")),
        ("b_row * N", ("b_row * K", "b_row * M")),
        ("C[row * N", ("C[row * M", "C[row * K")),
        ("k < K", ("k < N", "k < M")),
        ("start < K", ("start < N", "start < M")),
    ),
    "`.x` for `.y`": (
        ("int ty = threadIdx.y", ("int ty = threadIdx.x",)),
        ("int tx = threadIdx.x", ("int tx = threadIdx.y",)),
        ("int row = blockIdx.y", ("int row = blockIdx.x",)),
        ("int col = blockIdx.x", ("int col = blockIdx.y",)),
        ("+ threadIdx.y;", ("+ threadIdx.x;",)),
        ("blockDim.y + threadIdx.y", ("blockIdx.y + threadIdx.y",)),
    ),
    "grid": (
        ("(N + block.x - 1) / block.x", ("N / block.x", "(M + block.x - 1) / block.x")),
        ("(M + block.y - 1) / block.y", ("M / block.y", "(N + block.y - 1) / block.y")),
        ("dim3(N / tile, M / tile)", ("dim3(M / tile, N / tile)", "dim3(N / tile, N / tile)")),
        ("(N + tile - 1) / tile", ("N / tile", "(N - 1) / tile")),
        ("(M + tile - 1) / tile", ("M / tile", "(M - 1) / tile")),
    ),
    "barrier left out": (("__syncthreads();", ("", "__syncwarp();")),),
}


@dataclass(frozen=True)
class Mutant:
    lab: Lab
    kind: str
    line: int
    before: str
    after: str
    text: str


def mutants() -> Iterator[Mutant]:
    for lab_id in LABS:
        lab = load_lab(ROOT, lab_id)
        text = (ROOT / "solutions" / lab_id / lab.public.file).read_text(encoding="utf-8")
        for kind, pairs in MISTAKES.items():
            for before, others in pairs:
                if (at := text.find(before)) >= 0:
                    line = text.count("\n", 0, at) + 1
                    yield from (Mutant(lab, kind, line, before, one, text.replace(before, one, 1)) for one in others)


def found(toolset: Toolset, mutant: Mutant, most: int, folder: Path) -> str:
    """How the mutant ended."""
    source = folder / mutant.lab.public.file
    source.write_text(mutant.text, encoding="utf-8")
    outcome = LabJudge(toolset, PUBLIC_SEED, public_only=True)(mutant.lab, source, folder)
    kinds = {case.verdict.value for case in outcome.cases} - {"pass"}
    if kinds != {"wrong-answer"} or not wrong_case(replace(mutant.lab, private=None), outcome.cases):
        return "-" + (",".join(sorted(kinds)) or (outcome.verdict.value if outcome.verdict else "pass"))
    lines = {one.line for one in outcome.causes}
    if mutant.line in lines:
        return "named without a search"
    search = SuspectSearch(toolset, PUBLIC_SEED, most=most)
    tried = search.edits(mutant.lab, mutant.text, outcome.cases)
    shown = places(tried.helping)
    if not shown:
        return "nothing found" if not tried.helping else "another line: too many"
    right = any(mutant.line in one.lines for one in shown)
    return "line found" if right else f"another line {[one.lines for one in shown]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=MOST_EDITS)
    most = parser.parse_args().most
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    ends: dict[str, Counter[str]] = {}
    for mutant in mutants():
        with tempfile.TemporaryDirectory() as folder:
            end = found(toolset, mutant, most, Path(folder))
        print(f"{mutant.lab.id} {mutant.kind}: {mutant.before} → {mutant.after}: {end}", flush=True)
        group = "searched" if end.startswith("-") else end.split(" [")[0].split(":")[0]
        ends.setdefault(mutant.kind, Counter())["another verdict" if group == "searched" else group] += 1
    print("\n| mistake | wrong results | line named | another line | nothing found |\n|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for kind, count in ends.items():
        total += count
        print(_row(kind, count))
    print(_row("all", total))


def _row(kind: str, count: Counter[str]) -> str:
    named = count["line found"] + count["named without a search"]
    wrong = named + count["another line"] + count["nothing found"]
    return f"| {kind} | {wrong} | {named} | {count['another line']} | {count['nothing found']} |"


if __name__ == "__main__":
    main()
