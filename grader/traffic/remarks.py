"""What to look at in a kernel's memory traffic, line by line: in the labs' words, without a solution. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.result import LineTraffic
from grader.traffic.metrics import OPERATIONS, SECTORS_PER_PASS, global_names, passes, shared_names

_SPREAD = (
    1.5 * SECTORS_PER_PASS
)  # sectors a request, from which on its lanes do not lie side by side; floats side by side take 4 or 5
_WORTH = 0.05  # of all passes: a line below it is not worth a word
_CONFLICTS = 1.25  # wavefronts where one would do


def remarks(lines: Sequence[LineTraffic]) -> Iterator[str]:
    total = sum(passes(line.metrics) for line in lines)
    for line in lines:
        if passes(line.metrics) < _WORTH * total:
            continue
        yield from _of(line)


def _of(line: LineTraffic) -> Iterator[str]:
    for operation in OPERATIONS:
        names = global_names(operation)
        requests, sectors = line.metrics.get(names.requests, 0), line.metrics.get(names.sectors, 0)
        if requests and sectors / requests > _SPREAD:
            yield (
                f"Line {line.line}: the 32 threads of a warp touch {sectors / requests:.3g} sectors of 32 bytes at once; 32 floats "
                "side by side are 4. Which index does threadIdx.x move, and how far apart in memory are two neighbours?"
            )
    for operation in OPERATIONS:
        shared = shared_names(operation)
        wavefronts, conflicts = line.metrics.get(shared.wavefronts, 0), line.metrics.get(shared.conflicts, 0)
        if conflicts and wavefronts > _CONFLICTS * (wavefronts - conflicts):
            yield (
                f"Line {line.line}: bank conflicts make {wavefronts:,} wavefronts of {wavefronts - conflicts:,}. In which of the "
                "32 banks do the elements lie that a warp asks for here?"
            )
