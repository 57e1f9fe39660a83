"""What a lab's result says first, and what it says to look at next."""

from __future__ import annotations

from grader.model.result import Case, LabResult
from grader.model.verdicts import Verdict
from grader.pages.findings.one_cause import advice, what_happened
from grader.pages.student_page.lab_sections import LabView, case_section


def rejected(*passed: bool) -> LabResult:
    cases = [
        Case(
            name=str(i),
            visibility="public",
            verdict=Verdict.PASS if one else Verdict.REJECTED,
            passed=one,
            points=0,
            max_points=1,
        )
        for i, one in enumerate(passed)
    ]
    return LabResult(
        title="A lab",
        file="a.cu",
        contract="program",
        verdict=Verdict.REJECTED,
        points=0,
        max_points=2,
        cases=tuple(cases),
    )


def test_a_program_that_is_rejected_for_what_it_did_is_not_told_that_it_never_ran() -> None:
    ran, refused = rejected(True, False), rejected(False, False)
    assert ran.ran
    assert not refused.ran
    assert "The program ran" in what_happened(ran)
    assert "was not run" in what_happened(refused)
    assert "kernels compute" in advice(ran)
    assert "line shown" in advice(refused)


def test_its_cases_are_shown() -> None:
    for lab, shown in ((rejected(True, False), True), (rejected(False, False), False)):
        section = case_section(LabView(lab))
        assert section is not None
        assert section.groups[0].open is shown
