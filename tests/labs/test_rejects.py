"""Wrong kernels: each has to get the verdict on its first line. Where that names a line, there has to be an error finding in it.

// verdict: race line: 17

By default those are tried in which a lab or a verdict comes for the first time, with TILELAB_WHOLE_CORPUS=1 all. `make check` tries all
of every lab.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import covering

from grader.model.labs import load_lab
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.roll.batch.controls import demanded, unmet

ROOT = Path(__file__).resolve().parents[2]
REJECTS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("solutions/*/rejects/*.cu"))


def lab_of(reject: str) -> str:
    return reject.split("/")[1]


def verdict_of(reject: str) -> Verdict:
    return demanded(ROOT / reject).verdict


def starts_itself(reject: str) -> bool:
    return load_lab(ROOT, lab_of(reject)).public.starts_itself


TRIED = covering(sorted(REJECTS, key=starts_itself), lab_of, verdict_of)  # kernels first: they take less time


@pytest.mark.parametrize("reject", TRIED)
def test_a_wrong_kernel_gets_the_verdict_on_its_first_line(
    reject: str, grade: Callable[[str, Path], LabResult]
) -> None:
    assert unmet(demanded(ROOT / reject), grade(lab_of(reject), ROOT / reject)) is None


@pytest.mark.parametrize("lab_id", sorted(set(map(lab_of, REJECTS))))
def test_every_lab_has_rejects_for_different_verdicts(lab_id: str) -> None:
    assert len({verdict_of(reject) for reject in REJECTS if lab_of(reject) == lab_id}) >= 3
