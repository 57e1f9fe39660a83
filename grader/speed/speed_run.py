"""Times one lab of one submission: the baseline, the submission, the model solution and the baseline again, in the same run; with them
what the lab's tiers are shares of (`yardstick.py`).

Only right kernels are timed. A run on a noisy machine is repeated. If the machine stays noisy, speed is not graded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.model.labs import Lab, LabError, load_lab
from grader.model.outcomes.outcome import Contest, LabOutcome, SpeedOutcome
from grader.speed.contest import run_contest
from grader.speed.contestants import Built, Contestant, ContestError, LibraryContestant, build, contestant_of
from grader.speed.paired_times import ALL_ROUNDS, FIRST_ROUNDS, Speed, is_unsteady, needs_more, noise_trouble
from grader.speed.speed_score import speed_in
from grader.speed.yardstick import LIBRARY, failed_yardstick, library_share, thresholds, yardsticks

TRIES = 3


def time_lab(toolset: Toolset, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> SpeedOutcome | None:
    """None where the lab is not timed, or this machine cannot time it."""
    performance = lab.public.performance
    if performance is None or not toolset.gpu.runs:
        return None
    kernels, speed = contestants_of(toolset, lab, source, outcome), SpeedOutcome()
    for yardstick in yardsticks(toolset, lab):
        try:
            speed = _speed(toolset, lab, [*kernels[:-1], *yardstick, kernels[-1]], scratch)
        except ContestError as error:
            speed = SpeedOutcome(trouble=str(error))
            continue
        if not failed_yardstick(speed.names, speed.contests):
            break
    return speed


def _speed(
    toolset: Toolset, lab: Lab, contestants: Sequence[Contestant | LibraryContestant], scratch: Path
) -> SpeedOutcome:
    with tempfile.TemporaryDirectory(prefix="contest-", dir=scratch) as name:
        built = build(toolset, contestants, Path(name))
        if lab.private_dir is None and (trouble := _own_baseline_trouble(toolset, lab, built)):
            return SpeedOutcome(trouble=trouble)
        speed = _measure(toolset, lab, built, tuple(one.name for one in contestants))
        return replace(speed, silent="student" in built.silent)


def contestants_of(toolset: Toolset, lab: Lab, source: Path, outcome: LabOutcome) -> list[Contestant]:
    """The contestants in the order of launching. `outcome`: what is known about the submission so far.

    A handout has no model solutions. There the baseline is the student's own kernel of the baseline's lab. Raises LabError.
    """
    assert lab.public.performance is not None
    base = load_lab(toolset.root, lab.public.performance.baseline)
    baseline = (base.private_dir or base.public_dir) / base.public.file
    if not baseline.is_file():
        message = f"{baseline} is missing: {lab.id} is timed against it."
        raise LabError(message)
    ours = base.private_dir is not None
    limit = outcome.gpu.register_limit if outcome.gpu else None
    student = contestant_of(lab, source, "student", limit, silent=_prints(lab, outcome))
    contestants = [contestant_of(base, baseline, "baseline", trusted=ours), student]
    if lab.private_dir is not None:
        contestants.append(contestant_of(lab, lab.private_dir / lab.public.file, "model", trusted=True))
    return [*contestants, contestant_of(base, baseline, "control", trusted=ours)]


def _prints(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether it prints where a student may know of it: that it was timed without its words is said beside the times."""
    told = {spec.name for spec in lab.cases if spec.feedback == "full"}
    cases = (*outcome.cases, *(outcome.gpu.cases if outcome.gpu else ()))
    return any(launch.printed for case in cases if case.name in told for launch in case.launches)


def _own_baseline_trouble(toolset: Toolset, lab: Lab, built: Built) -> str:
    """Why the student's own baseline cannot be used: it has to be right. Empty: it can."""
    assert lab.public.performance is not None
    contest = run_contest(toolset, built, problem_of(lab), lab.public.performance.shape, rounds=1, kept=0, warm_up_ms=0)
    right = contest.status == "completed" and not contest.faults
    own = lab.public.performance.baseline
    return (
        ""
        if right or contest.contestant != 0
        else f"your speed is compared with your own kernel of {own}, and that kernel is not correct yet"
    )


def _measure(toolset: Toolset, lab: Lab, built: Built, names: tuple[str, ...]) -> SpeedOutcome:
    assert lab.public.performance is not None
    shape, kept = lab.public.performance.shape, names.index("student")
    device = toolset.gpu.device
    peak = device.peak if device else None
    outcome = SpeedOutcome()
    for number in range(1, TRIES + 1):
        contests: tuple[Contest, ...] = (
            run_contest(toolset, built, problem_of(lab), shape, rounds=FIRST_ROUNDS, kept=kept),
        )
        speed = speed_in(names, contests)
        if speed is not None and _is_undecided(lab, speed, names, contests):
            more = run_contest(
                toolset,
                built,
                problem_of(lab),
                shape,
                rounds=ALL_ROUNDS - FIRST_ROUNDS,
                kept=kept,
            )
            contests = (*contests, more)
            speed = speed_in(names, contests)
        outcome = SpeedOutcome(
            names,
            contests,
            noise_trouble(speed) if speed else "",
            peak_flops=peak.flops if peak else 0,
            peak_bytes=peak.bytes if peak else 0,
            tries=number,
        )
        if not outcome.trouble and not (speed and (is_unsteady(speed) or speed.spike)):
            break
    return outcome


def _is_undecided(lab: Lab, speed: Speed, names: tuple[str, ...], contests: tuple[Contest, ...]) -> bool:
    share = library_share(lab, names, contests)
    by_library = share is not None and needs_more(speed, thresholds(lab, LIBRARY), share)
    return by_library or needs_more(speed, thresholds(lab, "model"))


def problem_of(lab: Lab) -> str:
    """The name under which the problem registers itself: that of its header."""
    return Path(lab.public.problem).stem
