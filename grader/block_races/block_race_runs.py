"""Runs what the story of a race between blocks needs: blocks in order, reversed, with one thread held, and with an atomic function."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable

from grader.block_races.block_race import block_race_of, shared_element, update_of, writes_before
from grader.block_races.block_race_story import BlockRuns, block_race_story
from grader.model.errors import RemediableError
from grader.single_launch.added_atomic import AddedAtomic, add_atomics
from grader.single_launch.tracing import Build, Run, Traced, TracedLaunch, TraceRequest
from grader.step_page.story import Story


def story_of_block_race(traced: Traced, run: Run, build: Build, source: bytes) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `run`: makes it again. `build`: of changed files. None where no two blocks
    race, or where the runs do not show both orders.
    """

    def mend(lines: tuple[int, ...], request: TraceRequest) -> AddedAtomic | None:
        try:
            return add_atomics(build, source, lines, request)
        except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # no such function for this type
            return None

    return told_block_race(traced, run, source.decode("utf-8", "replace").split("\n"), mend)


def told_block_race(
    traced: TracedLaunch,
    run: Callable[[TraceRequest], TracedLaunch],
    lines: list[str],
    mend: Callable[[tuple[int, ...], TraceRequest], AddedAtomic | None] | None = None,
) -> Story | None:
    """`run`: makes the launch again. `mend`: tries an atomic function in these lines; none: nobody does."""
    race = block_race_of(traced.report.launch)
    if race is None:
        return None
    request = dataclasses.replace(
        traced.request, block=race.sides[0].block, beside=race.sides[1].block, reversed=False, held=None
    )
    try:
        forward = run(request)
        backward = run(dataclasses.replace(request, reversed=True))
        shared = shared_element(forward.report.trace, race) if forward.report.trace is not None else None
        held = added = None
        if shared is not None and forward.report.trace is not None:
            trace, thread = forward.report.trace, race.sides[0].thread
            updates = update_of(trace, shared.uses[0]), update_of(trace, shared.uses[1])
            if updates[0] is not None and updates[1] is not None:
                held = run(dataclasses.replace(request, held=(thread, writes_before(trace, thread, updates[0][1]))))
            written = {trace.places[trace.steps[update[1]][7]].line for update in updates if update is not None}
            added = mend(tuple(sorted(written)), request) if mend is not None and written else None
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # other pages stand without this one
        return None
    return block_race_story(BlockRuns(forward, backward, held, added), lines)
