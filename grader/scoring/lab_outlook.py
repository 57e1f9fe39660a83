"""Where a kernel that passes stands on its lab's climb, from the last counted launch that students are told everything of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.model.labs import Lab
from grader.model.result import Case, GpuKernel, Outlook
from grader.traffic.launch_facts import cuts_sums, facts_of
from grader.traffic.outlook import outlook


def lab_outlook(lab: Lab, cases: Sequence[Case], kernel: GpuKernel | None) -> Outlook | None:
    """None where the lab has no climb, and where nothing was counted. Students are told, so hidden launches have no part in it."""
    if lab.public.climb is None:
        return None
    told = [launch for case in cases if case.feedback == "full" for launch in case.launches]
    counted = [launch for launch in told if launch.traffic]
    facts = facts_of(counted[-1], kernel) if counted else None
    if facts is None:
        return None
    return outlook(lab.public, replace(facts, cuts_sums=any(map(cuts_sums, told))), counted[-1].shape)
