"""Runs what the story of a race needs: the launch with its threads in the opposite order, and the file with a barrier more."""

from __future__ import annotations

import dataclasses
import subprocess
import tempfile
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.single_launch.added_barrier import BarrierSearch
from grader.single_launch.lab_launch import LaunchRefusedError
from grader.single_launch.tracing import Traced, trace_file
from grader.step_page.race_story import race_of, race_story
from grader.step_page.story import Story


def story_of_race(toolset: Toolset, traced: Traced, source: bytes, scratch: Path) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `scratch`: an empty folder of the caller. None where no two threads of a block
    race, or where the runs do not show both orders.
    """
    finding = race_of(traced.report.launch)
    if finding is None or finding.line is None or finding.other is None or finding.other.line is None:
        return None
    request = dataclasses.replace(traced.request, block=finding.block or (0, 0, 0))

    def folder() -> Path:
        return Path(tempfile.mkdtemp(dir=scratch))

    try:
        there = traced.request.block == request.block
        forward = traced if there else trace_file(toolset, traced.lab, source, request, folder())
        backward = trace_file(toolset, traced.lab, source, dataclasses.replace(request, reversed=True), folder())
    except (LaunchRefusedError, RuntimeError, subprocess.TimeoutExpired):  # the first page stands without this one
        return None
    search = BarrierSearch(toolset, traced.lab, request, folder())
    added = search.add_barrier(source, (finding.line, finding.other.line))
    return race_story(forward, backward, added, source.decode("utf-8", "replace").split("\n"))
