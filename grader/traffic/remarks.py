"""Says what to look at in a kernel's memory traffic, line by line, in the words of the labs and without a solution. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.result import LineTraffic
from grader.traffic.metrics import OPERATIONS, SECTORS_PER_PASS, global_names, passes, shared_names

# With more sectors per request, the elements of a warp do not lie side by side. Floats side by side take 4 or 5 sectors.
_SCATTERED = 1.5 * SECTORS_PER_PASS
_LEAST_SHARE = 0.05  # of all passes; a line with less gets no remark
_CONFLICTS = 1.25  # wavefronts with conflicts by wavefronts without; above that, a remark is made


def remarks(lines: Sequence[LineTraffic]) -> Iterator[str]:
    for line in _busy(lines):
        yield from _on_sectors(line)
        yield from _on_conflicts(line)


def conflict_remarks(lines: Sequence[LineTraffic]) -> Iterator[str]:
    """Of bank conflicts alone."""
    for line in _busy(lines):
        yield from _on_conflicts(line)


def _busy(lines: Sequence[LineTraffic]) -> Iterator[LineTraffic]:
    total = sum(passes(line.metrics) for line in lines)
    return (line for line in lines if passes(line.metrics) >= _LEAST_SHARE * total)


def _on_sectors(line: LineTraffic) -> Iterator[str]:
    for operation in OPERATIONS:
        names = global_names(operation)
        requests, sectors = line.metrics.get(names.requests, 0), line.metrics.get(names.sectors, 0)
        if requests and sectors / requests > _SCATTERED:
            yield (
                f"Line {line.line}: one request of a warp touches {sectors / requests:.3g} sectors of 32 bytes; 32 neighbouring "
                "floats need only 4. Which index does threadIdx.x change, and how far apart in memory are the elements of two "
                "neighbouring threads?"
            )


def _on_conflicts(line: LineTraffic) -> Iterator[str]:
    for operation in OPERATIONS:
        shared = shared_names(operation)
        wavefronts, conflicts = line.metrics.get(shared.wavefronts, 0), line.metrics.get(shared.conflicts, 0)
        if conflicts and wavefronts > _CONFLICTS * (wavefronts - conflicts):
            yield (
                f"Line {line.line}: because of bank conflicts, {wavefronts - conflicts:,} wavefronts become {wavefronts:,}. In "
                "which of the 32 banks are the elements that a warp uses here?"
            )
