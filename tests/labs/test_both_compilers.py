"""A submission gets the same verdicts, findings and counts, whichever of the two host compilers builds it.

Some differences cannot be avoided: the compilers' own messages, how many steps a launch takes (each compiler makes other basic
blocks), how deep a recursion gets, how far a thread came in a statement before a finding ended it, and code that GCC cannot follow
and Clang can. The tests take a sample of the kernels by default, and all of them with TILELAB_WHOLE_CORPUS=1.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.backend import COMPILER_VARIABLE
from grader.engines.toolset import Toolset
from grader.model.course_root import load_labs
from grader.model.outcome import LabOutcome
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917
PATTERNS = (
    "solutions/*/*.cu",
    "solutions/*/rejects/*.cu",
    "tests/labs/accepted/*/*.cu",
    "assignments/*/*.cu",
    "tests/class/*/*.cu",
)
ASKED_FOR = {lab.public.file for lab in load_labs(ROOT, [])}
CORPUS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in PATTERNS
    for path in ROOT.glob(pattern)
    if not pattern.startswith("tests/class") or path.name in ASKED_FOR  # some students of the class misname their files
)
SAMPLE = sample(CORPUS, 120)
# A quarter of these in each run: a finding of every kind, and code that the compilers announce differently.
OFTEN = (
    "solutions/01-naive/rejects/unaligned_float4.cu",
    "solutions/02-tiled/rejects/reads_past_the_tile.cu",
    "solutions/03-boundary/rejects/zeros_only_once.cu",
    "tests/labs/accepted/01-naive/lookup_tables.cu",
    "tests/labs/accepted/02-tiled/float4_loads.cu",
    "tests/labs/accepted/02-tiled/dynamic_shared.cu",
    "tests/labs/accepted/04-open/last_block_resets_its_ticket.cu",
    # Hostile: code before the kernel, other people's files, a forged verdict, host calls, assembly.
    "tests/class/craig-early/matmul_naive.cu",
    "tests/class/craig-early/matmul_tiled.cu",
    "tests/class/craig-early/matmul_boundary.cu",
    "tests/class/craig-early/matmul_open.cu",
    "tests/class/eve-reads-files/matmul_naive.cu",
    "tests/class/mallet-impostor/matmul_naive.cu",
    "tests/class/mallet-impostor/matmul_tiled.cu",
    "tests/class/peggy-exits/matmul_naive.cu",
    "tests/class/walter-ptx/matmul_naive.cu",
)
# Each compiler has its own name for an intrinsic's implementation, and for the path by which a file includes itself.
WORDS_DIFFER = (
    "solutions/01-naive/rejects/streaming_store.cu",
    "tests/class/oscar-hangs/matmul_boundary.cu",
)
# GCC 14 and newer name the last line of a copy of an object over several lines, and the others name its first.
LINES_DIFFER = ("tests/labs/accepted/02-tiled/vectorised_epilogue.cu",)
# GCC makes two moves of a copy of twelve bytes whose name is no macro any more, and each of them counts. Of a structure of a page that is
# passed by value, GCC's copies are loads of local memory, and half of Clang's are stores. Clang looks at the subscript of `parts[k % 5] +=`
# before the access, and GCC does not: there the read is found.
COUNTS_DIFFER = (
    "tests/labs/accepted/01-naive/builtin_copies.cu",
    "tests/labs/accepted/01-naive/large_structures.cu",
    "solutions/01-naive/rejects/past_a_local_array.cu",
)
UNFOLLOWED = "which the CPU executor cannot follow"  # part of the message that GCC's dump leads to
# These verdicts stop a thread in the middle of a statement. How far it came depends on the order of evaluation.
CUT_SHORT = {Verdict.CRASH, Verdict.TIMEOUT, Verdict.OUT_OF_BOUNDS, Verdict.MISALIGNED, Verdict.NEEDS_GPU}


@pytest.fixture(scope="module")
def toolsets() -> Iterator[tuple[Toolset, Toolset]]:
    """A toolset for GCC and one for Clang."""
    if shutil.which("clang++") is None or shutil.which("g++") is None:
        pytest.skip("g++ and clang++ are not both installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMPILER_VARIABLE, "g++")
        gcc = Toolset.open(ROOT, allow_no_sandbox=True)
        patch.setenv(COMPILER_VARIABLE, "clang++")
        yield gcc, Toolset.open(ROOT, allow_no_sandbox=True)


def told(finding: Finding) -> dict[str, object]:
    """Everything that a report says about the finding. For a time-out, only its kind."""
    if finding.kind is Verdict.TIMEOUT:
        return {"kind": finding.kind, "severity": finding.severity}
    if finding.kind is Verdict.CRASH and "overflows its stack" in finding.message:
        # The size of a frame decides which statement, or which of our own functions, reaches the guard page first.
        return finding.model_dump(exclude={"line", "source", "advice", "function"}) | {
            "message": finding.message.partition(" line ")[0]
        }
    return finding.model_dump()


def seen_in(launch: Launch, *, with_lines: bool) -> dict[str, object]:
    whole = launch.verdict not in CUT_SHORT
    traffic = launch.traffic.model_copy(update={} if with_lines else {"lines": ()}) if launch.traffic else None
    return {
        "shape": (launch.shape, launch.inputs, launch.grid, launch.block, launch.shared_bytes),
        "verdict": launch.verdict,
        "findings": sorted(map(repr, map(told, launch.findings))),
        "mismatch": launch.mismatch,
        "explanation": launch.explanation,
        "counters": {name: count for name, count in launch.counters.items() if name != "events"} if whole else None,
        "traffic": traffic if whole else None,
        "printed": re.sub(r"0x[0-9a-f]+|\d+\.\d+(?= ms\b)", "…", launch.printed),  # addresses and times are of one run
    }


def seen(outcome: LabOutcome, *, with_lines: bool = True) -> list[object]:
    cases = [
        (case.name, case.passed, case.verdict, [seen_in(one, with_lines=with_lines) for one in case.launches])
        for case in outcome.cases
    ]
    refusals = [
        (one.kind, one.line, "" if one.kind is Verdict.COMPILE_ERROR else one.message) for one in outcome.findings
    ]
    return [outcome.verdict, refusals, *cases]


@pytest.mark.parametrize("kernel", sorted({*SAMPLE, *sample(OFTEN, 4)}))
def test_both_compilers_lead_to_the_same_findings_and_counts(
    kernel: str, toolsets: tuple[Toolset, Toolset], tmp_path: Path
) -> None:
    lab = next(
        lab for lab in load_labs(ROOT, []) if lab.id in Path(kernel).parts or lab.public.file == Path(kernel).name
    )
    by_gcc, by_clang = (LabJudge(toolset, SEED, public_only=True)(lab, ROOT / kernel, tmp_path) for toolset in toolsets)
    if any(finding.kind is Verdict.NEEDS_GPU and UNFOLLOWED in finding.message for finding in by_gcc.findings):
        assert by_clang.cases or by_clang.verdict is Verdict.NEEDS_GPU
        return
    if kernel in WORDS_DIFFER:
        assert [by_clang.verdict, by_clang.cases] == [by_gcc.verdict, by_gcc.cases]
        return
    if kernel in COUNTS_DIFFER:
        cases = [[(one.name, one.passed, one.verdict) for one in outcome.cases] for outcome in (by_clang, by_gcc)]
        assert (by_clang.verdict, cases[0]) == (by_gcc.verdict, cases[1])
        return
    with_lines = kernel not in LINES_DIFFER
    assert seen(by_clang, with_lines=with_lines) == seen(by_gcc, with_lines=with_lines)
