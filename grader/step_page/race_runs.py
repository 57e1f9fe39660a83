"""Runs what the story of a race needs: the launch with its threads in the opposite order, and the file with a barrier more."""

from __future__ import annotations

import dataclasses
import subprocess

from grader.model.errors import RemediableError
from grader.single_launch.added_barrier import BarrierSearch
from grader.single_launch.tracing import Build, Run, Traced
from grader.step_page.race_story import race_of, race_story
from grader.step_page.story import Story


def story_of_race(traced: Traced, run: Run, build: Build, source: bytes) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `run`: makes it again. `build`: of changed files. None where no two threads of
    a block race, or where the runs do not show both orders.
    """
    finding = race_of(traced.report.launch)
    if finding is None or finding.line is None or finding.other is None or finding.other.line is None:
        return None
    request = dataclasses.replace(traced.request, block=finding.block or (0, 0, 0))
    try:
        forward = traced if traced.request.block == request.block else run(request)
        backward = run(dataclasses.replace(request, reversed=True))
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # the first page stands without this one
        return None
    added = BarrierSearch(build, request).add_barrier(source, (finding.line, finding.other.line))
    return race_story(forward, backward, added, source.decode("utf-8", "replace").split("\n"))
