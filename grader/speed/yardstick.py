"""What a lab's tiers are shares of besides its model solution: the routine of NVIDIA's library, timed in the same rounds.

Where the library is not on the machine, the kernel in `[stand_in]` is timed instead. Its share of the library's speed is known from
another machine, so a share of the library's speed follows from its time. Nothing here is kept between runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.engines.gpu.gpu_toolchain import cublas_of
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import Contest
from grader.speed.contestants import Contestant, LibraryContestant, contestant_of
from grader.speed.interval import Interval, ratio_interval

LIBRARY, STAND_IN = "library", "stand-in"
Yardstick = tuple[Contestant | LibraryContestant, ...]


def yardsticks(toolset: Toolset, lab: Lab) -> Iterator[Yardstick]:
    """What to time beside the kernels: the best first, the others for where it cannot be used. The last is nothing at all."""
    routine = lab.public.performance.library if lab.public.performance else None
    wanted = lab.private is None or any(tier.of == LIBRARY for tier in lab.private.tier)
    library = cublas_of(toolset.gpu.toolchain) if routine and wanted else None
    if routine and library:
        yield (LibraryContestant(LIBRARY, library, routine),)
    if wanted and lab.private and lab.private_dir and lab.private.stand_in:
        source = lab.private_dir / lab.private.stand_in.file
        yield (contestant_of(lab, source, STAND_IN, trusted=True),)
    yield ()


def failed_yardstick(names: Sequence[str], contests: Sequence[Contest]) -> bool:
    """Whether what ended a contest is the yardstick's own launch. It costs the student nothing."""
    return any(one.status != "completed" and names[one.contestant] in {LIBRARY, STAND_IN} for one in contests)


def library_share(lab: Lab, names: Sequence[str], contests: Sequence[Contest]) -> Interval | None:
    """The student's speed as a share of the library's. None where neither the library nor what stands in for it was timed."""
    name = next((one for one in (LIBRARY, STAND_IN) if one in names), None)
    if name is None or (name == STAND_IN and not (lab.private and lab.private.stand_in)):
        return None
    known = lab.private.stand_in.share if name == STAND_IN and lab.private and lab.private.stand_in else 1.0
    theirs, own = (
        tuple(time for one in contests for time in one.nanoseconds[names.index(whose)]) for whose in (name, "student")
    )
    ratio = ratio_interval(theirs, own)
    return Interval(known * ratio.low, known * ratio.middle, known * ratio.high)


def thresholds(lab: Lab, of: str) -> list[float]:
    """The shares of the lab's tiers."""
    return [tier.share for tier in lab.private.tier if tier.of == of] if lab.private else []
