"""A submission gets the same verdicts and findings, however its blocks and threads are shuffled.

Detection follows from the ordering rules, and not from the order that happened to run. There are three exceptions. Where a launch is
stopped by its budget or by a crash, the order decides which thread was running, and for the budget also its line. Where a ticket
decides which block continues, the block that is named is the one that drew the ticket. How often a plain access races
with atomic functions on one element depends on how many of them come after it. Nothing else may depend on the order.
The tests take a sample of the kernels by default, and all of them with TILELAB_WHOLE_CORPUS=1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.outcome import LabOutcome
from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("built_once")]

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917
SHUFFLES = (1, 77)
CORPUS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("solutions/*/rejects/*.cu", "tests/labs/accepted/*/*.cu")
    for path in ROOT.glob(pattern)
)
SAMPLE = sample(CORPUS, 112)
# Always in the sample: races whose winner decides what is read next, and every kind of finding.
ALWAYS = (
    "solutions/01-naive/rejects/counter_that_never_grows.cu",
    "solutions/02-tiled/rejects/no_barriers.cu",
    "solutions/02-tiled/rejects/barrier_for_some.cu",
    "solutions/03-boundary/rejects/no_zero_fill.cu",
    "solutions/03-boundary/rejects/unguarded_store.cu",
)
# The last block reads what the others wrote.
TICKETS = (
    "solutions/04-open/rejects/last_block_without_fence.cu",
    "solutions/04-open/rejects/ticket_by_plain_increment.cu",
)
# Whether a block waits for a later one, which is a note, depends on their order.
WAITING = ("tests/labs/accepted/04-open/grid_wide_spin_barrier.cu",)


def who(site: Site) -> tuple[object, ...]:
    return (site.line, site.access, site.block, site.thread)


def told(finding: Finding) -> tuple[object, ...]:
    """Everything that a report says about a finding."""
    if finding.kind in {
        Verdict.TIMEOUT,
        Verdict.NEEDS_GPU,
    }:  # the latter: a block that waits for one that has not run yet
        return (finding.kind, finding.severity, finding.count)
    if finding.kind is Verdict.CRASH:
        return (finding.kind, finding.severity, finding.line, finding.count)
    other = who(finding.other) if finding.other else None
    with_atomics = finding.other is not None and "atomic" in {finding.access, finding.other.access}
    return (
        finding.kind,
        finding.severity,
        who(finding),
        other,
        finding.array,
        finding.element,
        0 if with_atomics else finding.count,
        finding.message,
    )


def told_of_whichever_block(finding: Finding) -> tuple[object, ...]:
    other = (finding.other.line, finding.other.access) if finding.other else None
    return (finding.kind, finding.severity, finding.line, finding.access, other, finding.array)


def seen(outcome: LabOutcome, told: Callable[[Finding], tuple[object, ...]] = told) -> list[tuple[object, ...]]:
    return [
        (
            case.name,
            case.passed,
            case.verdict,
            [Counter(told(finding) for finding in launch.findings) for launch in case.launches],
        )
        for case in outcome.cases
    ]


@pytest.mark.parametrize("kernel", sorted({*SAMPLE, *ALWAYS, *TICKETS}))
def test_findings_do_not_depend_on_the_order_of_threads(kernel: str, toolset: Toolset, tmp_path: Path) -> None:
    lab = load_lab(ROOT, next(part for part in Path(kernel).parts if (ROOT / "assignments" / part).is_dir()))

    def judged(order: int) -> list[tuple[object, ...]]:
        outcome = LabJudge(toolset, SEED, public_only=True)(lab, ROOT / kernel, tmp_path, order=order)
        if kernel in WAITING:
            return [
                (
                    case.name,
                    case.verdict,
                    [one for launch in case.launches for one in launch.findings if one.severity == "error"],
                )
                for case in outcome.cases
            ]
        return seen(outcome, told_of_whichever_block if kernel in TICKETS else told)

    in_order = judged(0)
    for shuffle in SHUFFLES:
        assert judged(shuffle) == in_order, f"shuffled by {shuffle}"
