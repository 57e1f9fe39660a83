"""Wrong kernels: each must get the verdict on its first line and, where that names a line, an error finding there.

// verdict: race line: 17
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.result import Finding, LabResult, Verdict

ROOT = Path(__file__).resolve().parents[2]
REJECTS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("solutions/*/rejects/*.cu"))
_FIRST_LINE = re.compile(r"// verdict: ([a-z-]+)(?: line: (\d+))?")


def demanded(source: Path) -> tuple[Verdict, int | None]:
    """The verdict, and the line a finding must name, from the first line of `source`."""
    first = source.read_text(encoding="utf-8").split("\n", 1)[0]
    match = _FIRST_LINE.fullmatch(first)
    assert match, f"{source}:1: {first!r} is no `// verdict: …`"
    return Verdict(match[1]), int(match[2]) if match[2] else None


def lines_of(finding: Finding) -> set[int | None]:
    """Both ends of a race or of a divergence count."""
    return {finding.line, finding.other.line if finding.other else None}


@pytest.mark.parametrize("reject", REJECTS)
def test_a_wrong_kernel_gets_the_verdict_on_its_first_line(
    reject: str, grade: Callable[[str, Path], LabResult]
) -> None:
    verdict, line = demanded(ROOT / reject)
    result = grade(reject.split("/")[1], ROOT / reject)
    errors = [finding for finding in result.findings if finding.severity == "error"]
    seen = [(finding.kind.value, finding.line, finding.message) for finding in errors]
    assert (result.verdict, verdict is not Verdict.PASS) == (verdict, True), seen
    assert result.points < result.max_points
    if line is not None:
        assert any(finding.kind is verdict and line in lines_of(finding) for finding in errors), seen


@pytest.mark.parametrize("lab_id", sorted({reject.split("/")[1] for reject in REJECTS}))
def test_every_lab_has_rejects_for_different_verdicts(lab_id: str) -> None:
    verdicts = {demanded(ROOT / reject)[0] for reject in REJECTS if reject.split("/")[1] == lab_id}
    assert len(verdicts) >= 3
