"""Redaction: a student gets nothing that a case's feedback policy withholds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, PrivateSpec, PublicSpec
from grader.model.outcome import JudgedCase, LabOutcome, unjudged
from grader.model.result import (
    Build,
    Environment,
    Finding,
    Launch,
    Mismatch,
    Result,
    Submission,
    Suspect,
    SweepPoint,
    Timing,
    WrongElement,
)
from grader.model.verdicts import Verdict
from grader.run.scoring.lab_score import score_lab
from grader.run.scoring.redaction import for_student

_POLICIES = ("full", "verdict", "none")


def make_lab() -> Lab:
    public = PublicSpec(title="T", summary="", problem="p", file="k.cu", kernel="k()", launch="l()", shapes="any")
    cases = tuple(
        CaseSpec.model_validate({"name": f"case {one}", "points": 1, "feedback": one, "advice": f"advice {one}"})
        for one in _POLICIES
    )
    technique = CaseSpec(name="loads", points=1, feedback="verdict", role="technique")
    return Lab("lab", public, PrivateSpec(case=(*cases, technique)), Path("a"), Path("b"))


def failing_launch(secret: int, line: int, kind: Verdict) -> Launch:
    """A launch in which every field that could disclose the shape contains `secret`."""
    return Launch(
        shape=f"M={secret} N=1 K=1", inputs="signed random", verdict=kind, grid=(secret, 1, 1), block=(16, 16, 1),
        message=f"element {secret} is wrong", counters={"global_load_bytes": secret}, printed=f"{secret}\n",
        findings=(
            Finding(kind=kind, file="k.cu", line=line, source="A[i]", message=f"reads A[{secret}] of A", count=secret,
                    element=f"A[{secret}]", array="A", advice=f"not {secret}", thread=(3, 0, 0)),
        ),
        mismatch=Mismatch(output="C", rows=secret, columns=1, wrong=1, unwritten=0, tile_rows=16, tile_columns=16, summary="all",
                          first=(WrongElement(row=0, column=0, expected=secret, got=None),)),
    )  # fmt: skip


def make_result(*, same_line: bool = False) -> Result:
    secrets = {"full": 11_111, "verdict": 22_222, "none": 33_333}
    lines = {one: 5 if same_line else number for number, one in enumerate(_POLICIES, 5)}
    kinds = {"full": Verdict.OUT_OF_BOUNDS, "verdict": Verdict.OUT_OF_BOUNDS, "none": Verdict.OUT_OF_BOUNDS}
    if not same_line:
        kinds["none"] = Verdict.RACE
    cases = [
        JudgedCase(f"case {one}", passed=False, verdict=kinds[one], message=f"M={secrets[one]} is wrong",
                   launches=(failing_launch(secrets[one], lines[one], kinds[one]),))
        for one in _POLICIES
    ]  # fmt: skip
    cases.append(JudgedCase("loads", passed=False, verdict=Verdict.PASS, message="44444 bytes, 22222 allowed"))
    lab = score_lab(make_lab(), LabOutcome("lab", cases=tuple(cases)))
    environment = Environment(kit="0", compiler="g++", sandbox="none", date="2026-01-01")
    return Result(
        submission=Submission(id="anna", name="anna"), environment=environment, labs={"lab": lab}, total=0, max=4
    )


def test_shows_everything_of_a_full_case() -> None:
    before, after = make_result(), for_student(make_result())
    assert after.labs["lab"].cases[0] == before.labs["lab"].cases[0]


def test_withholds_shapes_values_and_counts_of_the_other_cases() -> None:
    for same_line in (True, False):
        text = for_student(make_result(same_line=same_line)).model_dump_json()
        assert "11111" in text
        for secret in ("22222", "33333", "44444"):
            assert secret not in text


def test_a_verdict_case_tells_its_verdict_and_nothing_that_happened_in_it() -> None:
    lab = for_student(make_result()).labs["lab"]
    case = lab.cases[1]
    assert (case.verdict, case.passed, case.launches) == (Verdict.OUT_OF_BOUNDS, False, ())
    assert (case.message, case.advice) == ("a thread uses an element outside the array", "advice verdict")
    assert [one.cases for one in lab.findings] == [("case full",)]


def test_its_message_is_the_same_whatever_the_judge_said() -> None:
    result = make_result()
    lab = result.labs["lab"]
    words = lab.model_copy(
        update={"cases": tuple(case.model_copy(update={"message": "reads B where it"}) for case in lab.cases)}
    )
    shown = [for_student(result.model_copy(update={"labs": {"lab": one}})).labs["lab"] for one in (lab, words)]
    assert shown[0].cases[1:] == shown[1].cases[1:]
    assert shown[0].cases[0] != shown[1].cases[0]


def test_what_compute_sanitizer_alone_says_is_the_instructors() -> None:
    result = make_result()
    lab = result.labs["lab"]
    note = Finding(kind=Verdict.RACE, severity="note", message="racecheck alone says", confirmed_by=("racecheck",))
    told = result.model_copy(update={"labs": {"lab": lab.model_copy(update={"findings": (*lab.findings, note)})}})
    assert "racecheck" in told.model_dump_json()
    assert for_student(told) == for_student(result)


def test_a_none_case_tells_only_that_it_did_not_pass() -> None:
    lab = for_student(make_result()).labs["lab"]
    case = lab.cases[2]
    assert (case.passed, case.verdict, case.launches, case.advice) == (False, Verdict.WRONG_ANSWER, (), "")
    assert all("case none" not in finding.cases and finding.kind is not Verdict.RACE for finding in lab.findings)


def test_a_finding_of_a_full_and_a_withheld_case_is_told_as_the_full_one_saw_it() -> None:
    lab = for_student(make_result(same_line=True)).labs["lab"]
    (finding,) = lab.findings
    assert finding.cases == ("case full",)
    assert (finding.element, finding.count) == ("A[11111]", 11_111)


def test_of_the_lines_to_look_at_a_student_gets_those_of_public_cases_and_no_change() -> None:
    result = make_result()
    known = (
        Suspect(lines=(3,), before="was 55555", after="is 55555", every=True),
        Suspect(lines=(66_666,), before="b", after="a", every=True, public=False),
    )
    lab = result.labs["lab"].model_copy(update={"suspects": known})
    shown = for_student(result.model_copy(update={"labs": {"lab": lab}})).labs["lab"].suspects
    assert shown == (Suspect(lines=(3,)),)


def test_points_stay() -> None:
    before, after = make_result(), for_student(make_result())
    assert [case.points for case in after.labs["lab"].cases] == [case.points for case in before.labs["lab"].cases]
    assert after.labs["lab"].cases[3].message.startswith("the result is right")


@pytest.mark.parametrize("verdict", [one for one in Verdict if not one.facts.never_ran or one is Verdict.REJECTED])
def test_no_failure_is_told_as_a_right_result(verdict: Verdict) -> None:
    """A program may be rejected for what its run shows, such as a connection to the grader that it broke."""
    told = for_student(with_verdicts(verdict=verdict)).labs["lab"].cases
    assert not any(one.message.startswith("the result is right") for one in told if one.verdict is not Verdict.PASS)


def with_verdicts(**verdicts: Verdict) -> Result:
    """Each case with the one that its policy names here; the others pass."""
    found = {one: verdicts.get(one, Verdict.PASS) for one in _POLICIES}
    cases = [
        JudgedCase(f"case {one}", found[one] is Verdict.PASS, found[one], "said", (failing_launch(7, 7, found[one]),))
        for one in _POLICIES
        if found[one] is not Verdict.PASS
    ]
    cases += [
        JudgedCase(f"case {one}", passed=True, verdict=Verdict.PASS) for one in _POLICIES if found[one] is Verdict.PASS
    ]
    cases.append(JudgedCase("loads", passed=True, verdict=Verdict.PASS))
    return make_result().model_copy(
        update={"labs": {"lab": score_lab(make_lab(), LabOutcome("lab", cases=tuple(cases)))}}
    )


def test_the_labs_verdict_does_not_tell_how_a_case_without_details_failed() -> None:
    crash, race, wrong = Verdict.CRASH, Verdict.RACE, Verdict.WRONG_ANSWER
    assert with_verdicts(none=race).labs["lab"].verdict is race
    told = [for_student(with_verdicts(none=one)).labs["lab"] for one in (race, crash, wrong)]
    assert told[0] == told[1] == told[2]
    assert told[0].verdict is wrong
    assert for_student(with_verdicts(none=crash, verdict=race)).labs["lab"].verdict is race
    assert for_student(with_verdicts(full=crash)).labs["lab"].verdict is crash


def test_what_is_still_to_be_graded_is_told_whatever_the_policy() -> None:
    for undecided in (Verdict.NEEDS_GPU, Verdict.INTERNAL_ERROR):
        lab = for_student(with_verdicts(none=undecided)).labs["lab"]
        assert (lab.verdict, lab.cases[2].verdict) == (undecided, undecided)
        assert "7" not in lab.cases[2].model_dump_json()


def test_no_time_is_told() -> None:
    outcome = LabOutcome("lab", Verdict.CRASH, build=Build(ok=True, seconds=3.25), seconds=7.5)
    lab = for_student(make_result().model_copy(update={"labs": {"lab": score_lab(make_lab(), outcome)}})).labs["lab"]
    assert lab.build is not None
    assert (lab.seconds, lab.build.seconds) == (0, 0)


def test_a_failure_of_ours_shows_none_of_our_insides() -> None:
    outcome = unjudged("lab", Verdict.INTERNAL_ERROR, "the grader broke: KeyError: /srv/course/seed")
    result = make_result().model_copy(update={"labs": {"lab": score_lab(make_lab(), outcome)}})
    assert "KeyError" not in for_student(result).model_dump_json()
    assert "KeyError" in result.model_dump_json()


def test_says_why_a_lab_was_never_run_whatever_the_policy() -> None:
    outcome = unjudged("lab", Verdict.COMPILE_ERROR, "k.cu:3: expected ';'")
    result = make_result().model_copy(update={"labs": {"lab": score_lab(make_lab(), outcome)}})
    lab = for_student(result).labs["lab"]
    assert {case.verdict for case in lab.cases} == {Verdict.COMPILE_ERROR}
    assert {case.message for case in lab.cases} == {"not run"}
    assert lab.findings[0].message == "k.cu:3: expected ';'"


def test_a_sweep_shows_what_the_kernel_did_and_not_what_broke_on_our_side() -> None:
    said = ("your kernel: C[0][7] is wrong", "the timer failed: /srv/course", "left out")
    points = tuple(SweepPoint(shape="M=8", sizes=(8,), trouble=one, ours="/srv" in one) for one in said)
    lab = score_lab(make_lab(), unjudged("lab", Verdict.COMPILE_ERROR, "")).model_copy(
        update={"timing": Timing(words="fast", review="look at it", sweep=points)}
    )
    shown = for_student(make_result().model_copy(update={"labs": {"lab": lab}})).labs["lab"].timing
    assert shown is not None
    assert shown.review == ""
    assert [one.trouble for one in shown.sweep] == [said[0], "could not be measured", said[2]]


def test_a_log_names_no_folder_of_this_machine() -> None:
    log = "/usr/bin/ld: /nfs/prof.mayer/tilelab/kit/lib/libsimt.a(x.o): in `f'\n/srv/course/kit/device.cuh:3: a / b, k.cu:4\n"
    lab = score_lab(make_lab(), unjudged("lab", Verdict.COMPILE_ERROR, "")).model_copy(
        update={"build": Build(ok=False, log=log, seconds=1)}
    )
    shown = for_student(make_result().model_copy(update={"labs": {"lab": lab}})).labs["lab"].build
    assert shown is not None
    assert shown.log == "/usr/bin/ld: …/libsimt.a(x.o): in `f'\n…/device.cuh:3: a / b, k.cu:4\n"


@pytest.mark.parametrize(("feedback", "shown"), [("verdict", Verdict.RACE), ("none", Verdict.WRONG_ANSWER)])
def test_a_wrong_result_in_a_hidden_technique_case_tells_no_more_than_the_case(feedback: str, shown: Verdict) -> None:
    lab = make_lab()
    cases = [JudgedCase(spec.name, passed=True, verdict=Verdict.PASS) for spec in lab.cases[:-1]]
    loads = lab.cases[-1].model_copy(update={"feedback": feedback})
    lab = replace(lab, private=PrivateSpec(case=(*lab.cases[:-1], loads)))
    raced = JudgedCase("loads", passed=False, verdict=Verdict.RACE, message="M=7")
    result = score_lab(lab, LabOutcome("lab", cases=(*cases, raced)))
    environment = Environment(kit="1", compiler="g++", sandbox="none", date="2026-01-01")
    whole = Result(
        submission=Submission(id="e", name="e"), environment=environment, labs={"lab": result}, total=0, max=1
    )
    assert (result.verdict, for_student(whole).labs["lab"].verdict) == (Verdict.RACE, shown)
