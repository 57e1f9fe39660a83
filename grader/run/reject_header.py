"""What the first lines of a wrong kernel in `rejects/` demand: its verdict, optionally the line of the finding, and the name of the mistake
that explains its output: several, in alphabetical order, where different launches show different ones. A reject that names no mistake must
get no explanation.

// verdict: wrong-answer
// explains: a-transposed
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grader.model.labs import LabError
from grader.model.result import LabResult
from grader.model.verdicts import Verdict

_SECOND_LINE = re.compile(r"// explains: ([a-z-]+(?:, [a-z-]+)*)")
_FIRST_LINE = re.compile(r"// verdict: ([a-z-]+)(?: line: (\d+))?")


@dataclass(frozen=True)
class Demand:
    verdict: Verdict
    line: int | None
    explains: str | None = None


def demanded(source: Path) -> Demand:
    """Raises LabError where the first line of `source` states no verdict, or `pass`."""
    first, second, *_ = [*source.read_text(encoding="utf-8", errors="replace").splitlines(), "", ""]
    match = _FIRST_LINE.fullmatch(first)
    known = {verdict.value for verdict in Verdict} - {Verdict.PASS, Verdict.INTERNAL_ERROR}
    if match is None or match[1] not in known:
        raise LabError(f"{first!r} is not a line `// verdict: …` with one of {', '.join(sorted(known))}")
    mistake = _SECOND_LINE.fullmatch(second)
    return Demand(Verdict(match[1]), int(match[2]) if match[2] else None, mistake[1] if mistake else None)


def unmet(demand: Demand, result: LabResult) -> str | None:
    """Why `result` is not what was demanded. None: it is."""
    errors = [finding for finding in result.findings if finding.severity == "error"]
    seen = "; ".join(f"{finding.kind} in line {finding.line}: {finding.message}" for finding in errors) or "no finding"
    if result.verdict is not demand.verdict:
        return f"should get {demand.verdict}, but gets {result.verdict} ({seen})"
    if result.points >= result.max_points:
        return f"gets {demand.verdict}, but also full marks"
    places = [one for finding in errors if finding.kind is demand.verdict for one in (finding, finding.other) if one]
    found = any(one.line == demand.line for one in places)  # both lines of a race or of a divergence count
    if demand.line is not None and not found:
        return f"should get {demand.verdict} in line {demand.line}, but it is found elsewhere ({seen})"
    explained = sorted(
        {launch.explanation.mistake for case in result.cases for launch in case.launches if launch.explanation}
    )
    wanted_ones = demand.explains.split(", ") if demand.explains else []
    # A launch that goes out of bounds may end before there is an output. Whether there is one then depends on the random shape.
    may_lack_one = demand.verdict is not Verdict.WRONG_ANSWER and not explained
    if explained != wanted_ones and not may_lack_one:
        wanted = f"`// explains: {demand.explains}`" if demand.explains else "no explanation"
        line = f"`// explains: {', '.join(explained)}`"
        remedy = f"{'make its second line' if demand.explains else 'add the second line'} {line}"
        return (
            f"should get {wanted}, but gets {', '.join(explained) or 'none'}; if that is right, "
            f"{remedy if explained else 'remove its second line'}"
        )
    return None
