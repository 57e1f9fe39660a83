"""What a kernel did in a lab's cases, so that two kernels can be compared: which cases fail, how, and how many elements are wrong. Pure.

Two kernels with one behaviour may have different mistakes. Names, lines and values play no part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from grader.model.outcomes.outcome import JudgedCase
from grader.model.result import Case, Launch
from grader.model.verdicts import Verdict


def behaviour(cases: Sequence[JudgedCase | Case]) -> str:
    """A digest; empty where every case passes, and where something broke on our side or was not run."""
    verdicts = {case.verdict for case in cases}
    undecided = any(one.facts.tone in {"ours", "waiting"} for one in verdicts)
    if undecided or not any(case.launches for case in cases) or verdicts == {Verdict.PASS}:
        return ""
    seen = [(case.name, case.verdict, [_launch(one) for one in case.launches]) for case in cases]
    return hashlib.blake2b(repr(sorted(seen)).encode(), digest_size=12).hexdigest()


def _launch(launch: Launch) -> tuple[object, ...]:
    kinds = sorted({finding.kind for finding in launch.findings if finding.severity == "error"})
    wrong = (launch.mismatch.wrong, launch.mismatch.unwritten) if launch.mismatch else (0, 0)
    return launch.shape, launch.inputs, launch.verdict, [str(kind) for kind in kinds], wrong
