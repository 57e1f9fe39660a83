"""What to look at next, per kind of finding: in the lab's words and without the solution."""

from __future__ import annotations

from grader.model.result import Finding, Verdict

_ADVICE = {
    Verdict.RACE: (
        "Between a write to shared memory and another thread's access to the same element there has to be a "
        "__syncthreads() that both threads pass."
    ),
    Verdict.OUT_OF_BOUNDS: (
        "Work out the largest index this expression takes: for the last block of the grid, the last thread of the "
        "block, the last pass of the loop."
    ),
    Verdict.UNINITIALIZED_READ: (
        "Follow who writes this element, and when: every element that is read needs a thread that wrote it before, "
        "on every path."
    ),
    Verdict.BARRIER_DIVERGENCE: (
        "A __syncthreads() inside an if or a loop is safe only when every thread of the block takes the same way. "
        "Guard the loads and stores instead of the barrier."
    ),
    Verdict.INPUT_MODIFIED: "Write results only to the output.",
    Verdict.MISALIGNED: (
        "A float4 starts at a multiple of 16 bytes: at every fourth element, and in every row only when the row's "
        "length is a multiple of four."
    ),
    Verdict.TIMEOUT: "Look at what ends this loop: does its variable change in every pass, and in the right direction?",
    Verdict.CRASH: "Look at the indices, pointers and divisors of this line.",
    Verdict.LAUNCH_ERROR: "Check the grid and the block that your launch function answers for this shape.",
}
_EXITED = "A thread that has nothing to compute may still be needed to load: let it stay until the last barrier, and guard its accesses."


_BETWEEN_BLOCKS = (
    "Blocks run in any order and at the same time. Give each element to one block, use an atomic function, or let blocks "
    "hand over results with __threadfence() and an atomic."
)


def advice_for(finding: Finding) -> str | None:
    if finding.kind is Verdict.RACE and finding.other and finding.other.block != finding.block:
        return _BETWEEN_BLOCKS
    if finding.kind is Verdict.BARRIER_DIVERGENCE and finding.severity == "note":
        return _EXITED
    return _ADVICE.get(finding.kind)
