"""Wrong kernels: each has to get the verdict on its first line. Where that names a line, there has to be an error finding in it.

// verdict: race line: 17

Every second one is tried by default, of labs that are extra credit every fourth;
with TILELAB_WHOLE_CORPUS=1 all are. `make check` tries all of every lab.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.judging.reject_header import demanded, unmet
from grader.model.labs import load_lab
from grader.model.result import LabResult

ROOT = Path(__file__).resolve().parents[2]
REJECTS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("solutions/*/rejects/*.cu"))
EXTRA = [reject for reject in REJECTS if load_lab(ROOT, reject.split("/")[1]).public.extra_credit]
TRIED = [*sample([reject for reject in REJECTS if reject not in EXTRA], 6), *sample(EXTRA, 9)]


@pytest.mark.parametrize("reject", TRIED)
def test_a_wrong_kernel_gets_the_verdict_on_its_first_line(
    reject: str, grade: Callable[[str, Path], LabResult]
) -> None:
    assert unmet(demanded(ROOT / reject), grade(reject.split("/")[1], ROOT / reject)) is None


@pytest.mark.parametrize("lab_id", sorted({reject.split("/")[1] for reject in REJECTS}))
def test_every_lab_has_rejects_for_different_verdicts(lab_id: str) -> None:
    verdicts = {demanded(ROOT / reject).verdict for reject in REJECTS if reject.split("/")[1] == lab_id}
    assert len(verdicts) >= 3
