"""A case counts where CPU executor and GPU both pass it; a person looks where they disagree for no known reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, PublicSpec
from grader.model.outcome import GpuOutcome, JudgedCase, KernelResources, LabOutcome
from grader.model.result import Environment, Launch, Result, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.gpu_judging import register_limit
from grader.run.lab_verdict import agreed
from grader.run.scoring.lab_score import gpu_kernel, score_lab
from grader.run.scoring.redaction import for_student

PASS, WRONG, RACE = Verdict.PASS, Verdict.WRONG_ANSWER, Verdict.RACE
RESOURCES = KernelResources(
    registers=40, static_shared_bytes=2048, stack_bytes=0, spill_store_bytes=0, spill_load_bytes=0
)


def case(name: str, verdict: Verdict, message: str = "said") -> JudgedCase:
    launch = Launch(shape="n=37", inputs="ones", verdict=verdict, grid=(1, 1, 1), block=(16, 16, 1), message=message)
    return JudgedCase(name, verdict is PASS, verdict, message, (launch,))


@pytest.mark.parametrize(
    ("cpu", "gpu", "together", "flagged"),
    [
        (PASS, PASS, PASS, False),
        (PASS, WRONG, WRONG, True),
        (PASS, Verdict.TIMEOUT, Verdict.TIMEOUT, True),
        (RACE, PASS, RACE, False),
        (Verdict.UNINITIALIZED_READ, PASS, Verdict.UNINITIALIZED_READ, False),
        (WRONG, PASS, WRONG, True),
        (Verdict.TIMEOUT, PASS, Verdict.TIMEOUT, True),
        (WRONG, Verdict.CRASH, WRONG, False),
        (PASS, Verdict.INTERNAL_ERROR, PASS, True),
        (Verdict.NEEDS_GPU, PASS, PASS, False),
        (Verdict.NEEDS_GPU, WRONG, WRONG, False),
        (WRONG, Verdict.INTERNAL_ERROR, WRONG, True),
    ],
)
def test_both_executors_have_to_pass_a_case(cpu: Verdict, gpu: Verdict, together: Verdict, flagged: bool) -> None:
    found = agreed(cpu, "on the CPU", case("a", gpu), passed=cpu is PASS)
    assert (found.verdict, found.passed, bool(found.difference)) == (together, together is PASS, flagged)
    assert found.on_gpu is not None
    assert found.on_gpu.verdict is gpu


def test_without_a_gpu_the_cpu_executor_decides() -> None:
    found = agreed(WRONG, "why", None, passed=False)
    assert (found.verdict, found.message, found.on_gpu, found.difference) == (WRONG, "why", None, "")


def test_a_case_that_the_judge_skipped_on_the_gpu_says_nothing() -> None:
    launch = Launch(shape="n=37", inputs="ones", verdict=Verdict.TIMEOUT, message="not run")
    skipped = JudgedCase("a", passed=False, verdict=Verdict.TIMEOUT, message="not run", launches=(launch,))
    found = agreed(PASS, "4 shapes", skipped, passed=True)
    assert (found.verdict, found.on_gpu, found.difference) == (PASS, None, "")


LAB = Lab(
    "00-scale",
    PublicSpec(
        title="Scale", summary="", problem="scale", file="scale.cu", shapes="any", kernel="scale(int)", launch="scale_launch(int)",
        case=(
            CaseSpec(name="hidden", points=2, feedback="verdict"),
            CaseSpec(name="shares", points=1, role="technique", feedback="verdict"),
        ),
    ),
    None, Path(), None,
)  # fmt: skip


def test_a_case_that_fails_on_the_gpu_alone_loses_its_points_and_is_flagged() -> None:
    gpu = GpuOutcome("nvcc 13.0", 90, "a GPU", RESOURCES, cases=(case("hidden", WRONG, "n=37: 3 of 37"),))
    outcome = LabOutcome("00-scale", cases=(case("hidden", PASS), case("shares", PASS)), gpu=gpu)
    assert OUTCOME_JSON.validate_json(OUTCOME_JSON.dump_json(outcome)) == outcome
    lab = score_lab(LAB, outcome)
    assert (lab.verdict, lab.points) == (WRONG, 0)
    assert "n=37" in lab.cases[0].difference


def test_a_student_sees_no_hidden_shape_that_the_gpu_named() -> None:
    gpu = GpuOutcome("nvcc 13.0", 90, "a GPU", RESOURCES, cases=(case("hidden", WRONG, "n=37: 3 of 37"),))
    lab = score_lab(LAB, LabOutcome("00-scale", cases=(case("hidden", PASS), case("shares", PASS)), gpu=gpu))
    environment = Environment(kit="1", compiler="g++", sandbox="none", date="2026-01-01")
    whole = Result(submission=Submission(id="a", name="a"), environment=environment, labs={"a": lab}, total=0, max=3)
    shown = for_student(whole)
    assert "37" in whole.model_dump_json()
    assert "37" not in shown.model_dump_json(exclude={"labs": {"a": {"gpu_kernel"}}})
    assert shown.labs["a"].verdict is WRONG


def test_what_the_cpu_executor_cannot_run_is_graded_by_the_gpu_but_for_its_technique() -> None:
    gpu = GpuOutcome("nvcc 13.0", 90, "a GPU", RESOURCES, cases=(case("hidden", PASS),), alone=True)
    lab = score_lab(LAB, LabOutcome("00-scale", gpu=gpu))
    assert (lab.verdict, lab.points) == (PASS, 2)
    assert not lab.cases[1].passed
    assert lab.cases[1].difference


def launched(name: str, *block: int) -> JudgedCase:
    x, y, z = block
    launch = Launch(shape="", inputs="", verdict=PASS, block=(x, y, z))
    return JudgedCase(name, passed=True, verdict=PASS, launches=(launch,))


def test_a_kernels_facts_come_with_the_occupancy_of_the_largest_block_that_a_student_may_know() -> None:
    policies = {"small": "full", "large": "full", "hidden": "verdict"}
    specs = tuple(CaseSpec(name=name, points=1, feedback=policy) for name, policy in policies.items())
    lab = replace(LAB, public=LAB.public.model_copy(update={"case": specs}))
    cases = (launched("small", 8, 8, 1), launched("large", 16, 16, 1), launched("hidden", 32, 32, 1))
    facts = gpu_kernel(lab, LabOutcome("00", cases=cases, gpu=GpuOutcome("nvcc 13.0", 90, resources=RESOURCES)))
    assert facts is not None
    assert (facts.architecture, facts.block_threads) == ("sm_90", 256)
    assert (facts.warps, facts.max_warps, facts.limited_by) == (48, 64, ("registers",))
    assert gpu_kernel(lab, LabOutcome("00", cases=cases)) is None


def test_registers_are_limited_by_the_largest_block_that_found_too_few() -> None:
    def refused(block: tuple[int, int, int], short: int) -> JudgedCase:
        counters = {"short_of_registers": short} if short else {}
        launch = Launch(shape="", inputs="", verdict=Verdict.LAUNCH_ERROR, block=block, counters=counters)
        return JudgedCase("a", passed=False, verdict=Verdict.LAUNCH_ERROR, launches=(launch,))

    assert register_limit([refused((24, 32, 1), 1), refused((32, 32, 1), 1)]) == 64
    assert register_limit([refused((24, 32, 1), 1)]) == 80
    assert register_limit([refused((2048, 1, 1), 0)]) is None
    assert register_limit([case("a", PASS)]) is None
