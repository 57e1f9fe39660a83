"""Correct and wrong kernels on a real GPU and the CPU executor: the common verdict, and the GPU's own verdict."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from corpus_sample import sample
from kernel_labs import kernel_labs

from grader.engines.toolset import Toolset
from grader.model.result import LabResult
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[[Sequence[tuple[str, Path]]], list[LabResult]]
Measured = Callable[[str], None]
ACCEPTED = sample(sorted((ROOT / "tests" / "labs" / "accepted").glob("*/*.cu")), 6)
REJECTS = sample(sorted(ROOT.glob("solutions/*/rejects/*.cu")), 6)
_FIRST_LINE = re.compile(r"// verdict: ([a-z-]+)")


def failures(lab: LabResult) -> list[tuple[str, str, str]]:
    cases = [(case.name, case.verdict.value, case.message) for case in lab.cases if not case.passed]
    return cases or [("", one.kind.value, one.message) for one in lab.findings if one.severity == "error"]


def alone(lab: LabResult) -> str:
    """The verdict from the results on the GPU only, without the CPU executor."""
    seen = [case.on_gpu.verdict for case in lab.cases if case.on_gpu]
    order = list(Verdict)
    return min(seen, key=order.index).value if seen else "not run"


def test_the_machine(on_gpu: Toolset, measured: Measured) -> None:
    assert on_gpu.gpu.toolchain is not None
    measured(f"{on_gpu.gpu.device}; {on_gpu.gpu.toolchain.name}; sandbox: {on_gpu.confinement.name}")


def test_model_solutions_get_full_marks(grade: Grade, measured: Measured) -> None:
    labs = kernel_labs(ROOT)
    hand_ins = [(lab.id, lab.private_dir / lab.public.file) for lab in labs if lab.private_dir]
    results = grade(hand_ins)
    assert {lab_id: failures(result) for (lab_id, _), result in zip(hand_ins, results, strict=True)} == {
        lab_id: [] for lab_id, _ in hand_ins
    }
    ran = sum(case.on_gpu is not None for result in results for case in result.cases)
    assert ran > len(hand_ins)
    measured(f"{len(hand_ins)} solutions, {ran} cases on the GPU")


def test_correct_kernels_pass_there_too(grade: Grade, measured: Measured) -> None:
    results = grade([(path.parent.name, path) for path in ACCEPTED])
    wrong = {path.stem: failures(result) for path, result in zip(ACCEPTED, results, strict=True) if failures(result)}
    recompiled = [
        path.stem
        for path, result in zip(ACCEPTED, results, strict=True)
        if result.gpu_kernel and result.gpu_kernel.note
    ]
    unasked = [path.stem for path, result in zip(ACCEPTED, results, strict=True) if result.gpu_trouble]
    measured(
        f"{len(ACCEPTED) - len(wrong)} of {len(ACCEPTED)} pass; compiled again for fewer registers: {recompiled};"
        f" the GPU could not be asked: {unasked}; wrong: {wrong}"
    )
    assert wrong == {}


def test_wrong_kernels_get_their_verdict(grade: Grade, measured: Measured) -> None:
    demanded = [match[1] for path in REJECTS if (match := _FIRST_LINE.match(path.read_text(encoding="utf-8")))]
    results = grade([(path.parent.parent.name, path) for path in REJECTS])
    rows = list(zip(REJECTS, demanded, results, strict=True))
    # The GPU judges what the CPU executor cannot run.
    wrong = {
        path.stem: (verdict, result.verdict.value, failures(result)[:2])
        for path, verdict, result in rows
        if (result.verdict.value != verdict if verdict != "needs-gpu" else result.verdict is Verdict.NEEDS_GPU)
    }
    on_gpu = Counter(alone(result) for result in results)
    passed = sorted(f"{path.stem} ({verdict})" for path, verdict, result in rows if alone(result) == "pass")
    differences = {
        path.stem: next(case.difference for case in result.cases if case.difference)
        for path, _, result in rows
        if any(case.difference for case in result.cases)
    }
    measured(
        f"{len(REJECTS) - len(wrong)} of {len(REJECTS)} as demanded; comparing on the GPU alone: {dict(on_gpu)};"
        f" passed there: {passed}; differences: {differences}; not as demanded: {wrong}"
    )
    assert wrong == {}
