"""The section about the next step: for right kernels only, labelled as predicted, with what was measured beside it."""

from __future__ import annotations

from grader.model.result import ContestantTimes, LabResult, NextStep, Outlook, OutlookTerm, Rung, Timing
from grader.model.verdicts import Verdict
from grader.pages.launches.traffic_tables import climb_section
from grader.pages.student_page.lab_sections import LabView

STEP = NextStep(shape="64x64x64", title="wider <loads>", section="Wider", gain=2.04)
OUTLOOK = Outlook(
    shape="64x64x64", counted="M=8 N=8 K=8", gpu="H200", gflops=12_340, passes=80, registers=40, compiled=False, steps=(STEP,),
    terms=(OutlookTerm(name="shared memory", milliseconds=0.5), OutlookTerm(name="waiting", milliseconds=0.1)),
    rungs=tuple(Rung(title="a", passes=passes, gflops=speed) for passes, speed in ((30, 9e3), (290, 37e3), (290, 38e3))),
)  # fmt: skip


def lab(verdict: Verdict = Verdict.PASS, outlook: Outlook | None = OUTLOOK, device: str = "") -> LabResult:
    times = ContestantTimes(name="student", milliseconds=1, gflops=11_000, gbytes=1, samples=())
    timing = Timing(words="fast", shape="M=64", device=device, contestants=(times,)) if device else None
    return LabResult(title="t", file="f.cu", verdict=verdict, points=1, max_points=1, outlook=outlook, timing=timing)


def test_the_next_step_is_named_with_its_section_and_the_expected_gain() -> None:
    section = climb_section(LabView(lab()))
    assert section is not None
    assert section.steps == ("Wider <loads> (write-up: “Wider”). The model expects about 2.0 times the speed.",)
    assert section.binding == "What probably limits it: the path to shared memory."
    assert section.prediction.startswith("Predicted, not measured: 12.3 TFLOP/s at 64x64x64 on one H200 SXM")
    assert "40 registers for each thread, an estimate" in section.prediction
    assert [point.kind for point in section.figure.points] == ["rung", "rung", "rung", "predicted"]
    assert [label.text for label in section.figure.labels] == ["1", "2–3"]  # noqa: RUF001 - an en dash


def test_nothing_more_is_said_where_no_step_helps() -> None:
    section = climb_section(LabView(lab(outlook=OUTLOOK.model_copy(update={"steps": ()}))))
    assert section is not None
    (said,) = section.steps
    assert "nothing more" in said


def test_a_wrong_kernel_and_a_lab_without_a_climb_have_no_such_section() -> None:
    assert climb_section(LabView(lab(Verdict.RACE))) is None
    assert climb_section(LabView(lab(outlook=None))) is None


def test_the_measured_speed_stands_beside_it_and_another_gpu_is_said() -> None:
    here, elsewhere = (climb_section(LabView(lab(device=name))) for name in ("NVIDIA H200", "NVIDIA A100-SXM4"))
    assert here is not None
    assert elsewhere is not None
    assert here.measured == "Measured: 11.0 TFLOP/s at M=64 on NVIDIA H200."
    assert "on another GPU, H200 SXM" in elsewhere.measured
    assert [point.kind for point in here.figure.points][-2:] == ["predicted", "measured"]


def test_a_kernel_that_is_much_slower_than_predicted_is_limited_by_something_else() -> None:
    fast = OUTLOOK.model_copy(update={"gflops": 22_000, "shape": "64"})
    section = climb_section(LabView(lab(outlook=fast, device="NVIDIA H200")))
    assert section is not None
    assert section.measured.endswith(
        "That is 50 % of the prediction: something limits this kernel that the model leaves out."
    )
