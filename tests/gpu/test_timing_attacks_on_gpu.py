"""Kernels that try to look faster than they are, graded on this machine's GPU: each gets what its first line demands, keeps nobody else
from being measured, and changes no other kernel's times.

The first lines are explained in tests/exploits/README.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from attack_list import attack as expected

from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.result import LabResult, Timing
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab, speed_is_assessed, with_measured_speed
from grader.source.student_code import normalise

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917
ATTACKS = sorted(ROOT.glob("tests/exploits/timing/*/*.cu"))
SHAPE = "1024x1024x1024"
SAME = 1.03  # on an H200, two medians of the same source differed by at most 1.2 %
Measured = Callable[[str], None]


def attacked(lab_id: str) -> Lab:
    """The lab, timed at the size that the attacks are written for: they are about how kernels are timed, and not about a size."""
    lab = load_lab(ROOT, lab_id)
    assert lab.public.performance is not None
    spec = lab.public.performance.model_copy(update={"shape": SHAPE})
    return dataclasses.replace(lab, public=lab.public.model_copy(update={"performance": spec}))


def graded(toolset: Toolset, lab: Lab, source: Path, scratch: Path) -> LabResult:
    """As a submission to the lab, with its hidden cases, where speed counts."""
    handed_in = scratch / lab.public.file
    handed_in.write_bytes(normalise(source.read_bytes())[0])
    outcome = LabJudge(toolset, SEED, public_only=False)(lab, handed_in, scratch)
    return with_measured_speed(lab, score_lab(lab, outcome))


def timing(result: LabResult) -> Timing:
    assert result.timing is not None
    assert result.timing.speedup is not None, result.performance
    return result.timing


def reached(said: Timing, share: float) -> list[bool]:
    """Which tiers a kernel with this share of the model solution's speed reaches, of those that are shares of it."""
    return [tier.share <= share for tier in said.tiers if tier.of == "model"]


@pytest.fixture(scope="module")
def honest(on_gpu: Toolset, tmp_path_factory: pytest.TempPathFactory) -> dict[str, LabResult]:
    """The model solution of each lab that is attacked."""
    results = {}
    for lab_id in sorted({path.parent.name for path in ATTACKS}):
        lab = attacked(lab_id)
        assert lab.private_dir is not None
        results[lab_id] = graded(on_gpu, lab, lab.private_dir / lab.public.file, tmp_path_factory.mktemp(lab_id))
    return results


def test_an_honest_kernel_is_shown_to_nobody(honest: dict[str, LabResult], measured: Measured) -> None:
    for lab_id, result in honest.items():
        measured(f"{lab_id}: {result.performance}; review: {timing(result).review!r}")
        assert timing(result).review == ""
        assert result.performance_points == result.performance_max


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_attack_on_timing_earns_nothing_and_harms_nobody(
    attack: Path, honest: dict[str, LabResult], on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    lab, demanded, usual = attacked(attack.parent.name), expected(attack), honest[attack.parent.name]
    result = graded(on_gpu, lab, attack, tmp_path)
    measured(f"{result.verdict.value}, {result.performance_points:g} points for speed: {result.performance}")
    measured("; ".join([one.message for one in result.findings][:2]))
    if demanded["verdict"] == "any" and result.verdict is not Verdict.PASS:
        assert result.performance_points == 0
        return
    assert [(case.name, case.message) for case in result.cases if case.role == "correctness" and not case.passed] == []
    if demanded["verdict"] not in {"any", "pass"}:
        assert (result.verdict, result.performance_points) == (Verdict(demanded["verdict"]), 0)
        return
    assert result.verdict is Verdict.PASS
    said = timing(result)
    slowest, fastest = (pick(said.contestants[1].samples) / 1e6 for pick in (max, min))
    measured(f"its launches took {fastest:.4f} to {slowest:.4f} ms; review: {said.review!r}")
    assert bool(said.review) == demanded.get("review", False)
    if demanded["gains"] == "nothing":
        assert said.speedup is not None
        assert said.speedup.low <= said.speedup.middle <= SAME
    else:
        assert said.share is not None
        assert reached(said, said.share.high) != reached(said, said.share.low)
        assert [tier.reached for tier in said.tiers if tier.of == "model"] == reached(said, said.share.low)
    assert speed_is_assessed(lab, [result, usual])
    assert said.model_speedup is not None
    ours, of_others = said.model_speedup.middle, timing(usual).model_speedup
    assert of_others is not None
    measured(f"the model solution beside it: {ours:.3f} times as fast as naive; otherwise {of_others.middle:.3f}")
    assert 1 / SAME < ours / of_others.middle < SAME
