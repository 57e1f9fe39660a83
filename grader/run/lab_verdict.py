"""Combines the results of both executors for one lab: a verdict for each case, and the lab's. Pure. It knows no points.

A case passes only if the lab's files list it, the judge saw it exactly once, its buffers match and no error was found in it.
A listed case that was not seen is our failure (`internal-error`), for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.labs import CaseSpec, Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import UNCOUNTED, Finding, Launch, OnGpu
from grader.model.verdicts import Verdict, is_wrong, worst
from grader.run.speed.speed_score import wrong_verdict, wrong_when_timed

# Combines the verdicts of the CPU executor and a GPU for one case. Pure.
#
# A case counts if both pass it. A finding that a GPU cannot see (a race, a stray read) is no disagreement. If one executor
# calls a kernel right, the other wrong, and there is no such reason, a person has to look and sees both verdicts.


@dataclass(frozen=True)
class Agreed:
    """A case's combined verdict. `difference` is empty if nobody has to look."""

    verdict: Verdict
    passed: bool
    message: str
    on_gpu: OnGpu | None = None
    difference: str = ""


def agreed(verdict: Verdict, message: str, gpu: JudgedCase | None, *, passed: bool) -> Agreed:
    """`verdict`, `passed` and `message` are the CPU executor's."""
    if gpu is None or not was_run(gpu):
        return Agreed(verdict, passed, message)
    seen = OnGpu(verdict=gpu.verdict, passed=gpu.passed, message=gpu.message)
    both = f"the CPU executor says {verdict.value} ({message}), the GPU {gpu.verdict.value} ({gpu.message})"
    if gpu.verdict is Verdict.INTERNAL_ERROR or gpu.seen != 1:
        trouble = f"the GPU could not judge this case, so the CPU executor's verdict counts: {gpu.message}"
        return Agreed(verdict, passed, message, seen, trouble)
    if verdict is Verdict.NEEDS_GPU:
        return Agreed(gpu.verdict, gpu.passed, gpu.message, seen)
    if passed and not gpu.passed:
        return Agreed(gpu.verdict, False, f"on the GPU: {gpu.message}", seen, both)
    if not passed and gpu.passed and not verdict.facts.unseen_on_gpu:
        return Agreed(verdict, passed, message, seen, both)
    return Agreed(verdict, passed, message, seen)


def was_run(case: JudgedCase) -> bool:
    """After three launches that did not end the judge runs no more, and its message says nothing about these shapes."""
    last = case.launches[-1] if case.launches else None
    return not (case.verdict is Verdict.TIMEOUT and last is not None and last.grid is None)


NOT_RUN = "not run"  # a case's message where nothing of the lab could be run


@dataclass(frozen=True)
class CaseVerdict:
    """One case that the lab's files list."""

    spec: CaseSpec
    agreed: Agreed
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class LabVerdict:
    verdict: Verdict
    correct: bool  # every case that judges the result passed
    cases: tuple[CaseVerdict, ...]
    findings: tuple[Finding, ...]  # of the outcome itself, not those of its launches
    wrong_when_timed: Finding | None = None  # right in every case, and wrong in a timed launch

    @property
    def every_case_passed(self) -> bool:
        """Those of technique among them."""
        return all(case.agreed.passed for case in self.cases)

    @property
    def before_timing(self) -> Verdict:
        """The verdict of the cases, without timing."""
        return Verdict.PASS if self.wrong_when_timed else self.verdict


def lab_verdict(lab: Lab, outcome: LabOutcome) -> LabVerdict:
    of_spec = {spec.name: [case for case in _judged_cases(outcome) if case.name == spec.name] for spec in lab.cases}
    each = ((spec, of_spec[spec.name]) for spec in lab.cases)
    cases = tuple(CaseVerdict(spec, _together(outcome, spec, of), of[0].launches if of else ()) for spec, of in each)
    strange = (case.name for case in _judged_cases(outcome) if case.name not in of_spec)
    fault = "the judge ran a case that the lab's files do not list: {!r}; this is a fault of the grader"
    unlisted = [Finding(kind=Verdict.INTERNAL_ERROR, message=fault.format(name)) for name in strange]
    verdict = _verdict(outcome, cases, unlisted=bool(unlisted))
    correct = all(case.agreed.passed for case in cases if case.spec.role == "correctness")
    message = wrong_when_timed(outcome) if verdict is Verdict.PASS and correct else ""
    timed = Finding(kind=wrong_verdict(outcome), message=message, file=lab.public.file) if message else None
    return LabVerdict(timed.kind if timed else verdict, correct, cases, (*outcome.findings, *unlisted), timed)


def broke(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether something of ours failed. Then the lab is judged again, and the outcome is never kept."""
    return lab_verdict(lab, outcome).verdict is Verdict.INTERNAL_ERROR


def went_wrong(lab: Lab, outcome: LabOutcome) -> bool:
    """As grader/model/verdicts.py says it: what is missing, waits or is our fault did not go wrong."""
    found = lab_verdict(lab, outcome)
    return is_wrong(found.verdict, every_case_passed=found.every_case_passed)


def all_passed(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether every case that judges the result passed, so that the kernel may be timed."""
    found = lab_verdict(lab, outcome)
    return found.verdict is Verdict.PASS and found.correct


def fault_messages(lab: Lab, outcome: LabOutcome) -> list[str]:
    """What is known about a failure of ours."""
    found = lab_verdict(lab, outcome)
    broken = [case for case in found.cases if case.agreed.verdict is Verdict.INTERNAL_ERROR]
    findings = [*found.findings, *([found.wrong_when_timed] if found.wrong_when_timed else [])]
    return [
        *(finding.message for finding in findings),
        *(f"{case.spec.name}: {case.agreed.message}" for case in broken),
    ]


def _gpu_alone(outcome: LabOutcome) -> bool:
    """Whether only a GPU could judge: the CPU executor cannot run this kernel."""
    return outcome.gpu is not None and outcome.gpu.alone and bool(outcome.gpu.cases)


def _judged_cases(outcome: LabOutcome) -> tuple[JudgedCase, ...]:
    return outcome.gpu.cases if outcome.gpu is not None and _gpu_alone(outcome) else outcome.cases


def _together(outcome: LabOutcome, spec: CaseSpec, judged: list[JudgedCase]) -> Agreed:
    """The case's verdict by the CPU executor and, if it ran there too, by the GPU."""
    uncounted = (
        bool(judged) and judged[0].verdict is Verdict.NEEDS_GPU and outcome.gpu is not None and outcome.gpu.cases
    )
    if spec.role == "technique" and (_gpu_alone(outcome) or uncounted):
        by_hand = "the technique could not be checked: decide by hand"
        return Agreed(Verdict.PASS, passed=False, message=UNCOUNTED, difference=by_hand)
    verdict, passed, message = _judgement(outcome, spec, judged)
    on_gpu = () if outcome.gpu is None or _gpu_alone(outcome) else outcome.gpu.cases
    gpu = next((case for case in on_gpu if case.name == spec.name), None)
    return agreed(verdict, message, gpu, passed=passed)


def _judgement(outcome: LabOutcome, spec: CaseSpec, judged: list[JudgedCase]) -> tuple[Verdict, bool, str]:
    """Verdict, whether it passed, and why not."""
    if outcome.verdict is not None:
        return outcome.verdict, False, NOT_RUN
    if not judged:
        return Verdict.INTERNAL_ERROR, False, "the judge never ran this case; this is a fault of the grader"
    case = judged[0]
    if len(judged) != 1 or case.seen != 1:
        times = f"{max(len(judged), case.seen)} times"
        return Verdict.INTERNAL_ERROR, False, f"the judge reported this case {times}; this is a fault of the grader"
    errors = [one.kind for launch in case.launches for one in launch.findings if one.severity == "error"]
    verdict = worst([case.verdict, *errors])
    if case.passed and verdict is not Verdict.PASS:
        return verdict, False, case.message
    if not case.passed and verdict is Verdict.PASS and spec.role == "correctness":
        unexplained = "this case failed without a reason; this is a fault of the grader"
        return Verdict.INTERNAL_ERROR, False, case.message or unexplained
    return verdict, case.passed, case.message


def decides(role: str, verdict: Verdict) -> bool:
    """Whether a case decides the lab's verdict. One of technique does where its result is wrong, and not where it took too long."""
    return role == "correctness" or verdict not in {Verdict.PASS, Verdict.TIMEOUT, Verdict.NEEDS_GPU}


def _verdict(outcome: LabOutcome, cases: Iterable[CaseVerdict], *, unlisted: bool) -> Verdict:
    if outcome.verdict is not None:
        return outcome.verdict
    verdicts = [one.agreed.verdict for one in cases if decides(one.spec.role, one.agreed.verdict)]
    return worst([*verdicts, *([Verdict.INTERNAL_ERROR] if unlisted else [])])
