"""Where a kernel that passes stands on its lab's climb, from the last counted launch that students are told everything of. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.labs import Lab
from grader.model.result import Case, GpuKernel, Outlook
from grader.traffic.launch_facts import facts_of
from grader.traffic.outlook import outlook


def lab_outlook(lab: Lab, cases: Sequence[Case], kernel: GpuKernel | None) -> Outlook | None:
    """None where the lab has no climb, and where nothing was counted. Students are told, so hidden launches have no part in it."""
    if lab.public.climb is None:
        return None
    launches = [launch for case in cases if case.feedback == "full" for launch in case.launches if launch.traffic]
    facts = facts_of(launches[-1], kernel) if launches else None
    return outlook(lab.public, facts, launches[-1].shape) if facts else None
