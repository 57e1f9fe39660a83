"""Work of a kernel that the host did, in sentences: what it sends to the GPU, and what it reads of it. Only a judge tells of these."""

from __future__ import annotations

from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.told_mistake import Told

_ADVICE = "Let a kernel compute it from what is in the GPU's memory."


def host_computed(facts: Facts) -> Told:
    message = f"{_here(facts)} sends numbers of the result to the GPU, and no kernel wrote them there."
    return Told("Result computed by the host", message, _ADVICE)


def host_reads(facts: Facts) -> Told:
    message = f"{_here(facts)} shows the host what is in the GPU's memory. The result hangs on something that the host was shown."
    return Told("Result that hangs on what the host reads", message, _ADVICE)


def _here(facts: Facts) -> str:
    return facts.call[:1].upper() + facts.call[1:]
