"""The section about memory traffic: lines ordered by cost, boxes for what a request touches, a roofline that is labelled modelled."""

from __future__ import annotations

from grader.model.result import Case, ContestantTimes, LabResult, Launch, LineTraffic, Timing, Traffic
from grader.model.verdicts import Verdict
from grader.pages.launches.traffic_tables import traffic_section
from grader.pages.student_page.lab_sections import LabView
from grader.run.scoring.metrics import ATOMIC, LOAD

LOADS, SHARED = LOAD, LOAD


def lab(*, verdict: Verdict = Verdict.PASS, feedback: str = "full", unit: str = "multiply-add") -> LabResult:
    strided = {LOADS.requests: 100, LOADS.sectors: 850}
    tile = {SHARED.instructions: 1000, SHARED.wavefronts: 1000, SHARED.conflicts: 0}
    lines = (
        LineTraffic(line=3, source="  x = a[i];", metrics=strided),
        LineTraffic(line=5, source="<b>", metrics=tile),
    )
    traffic = Traffic(
        metrics={**strided, **tile}, lines=lines, complete=True, work_unit=unit, work=16000, compulsory_bytes=96
    )
    launch = Launch(shape="M=1", inputs="", verdict=Verdict.PASS, traffic=traffic)
    case = Case.model_validate({
        "name": "large", "visibility": "public", "feedback": feedback, "verdict": Verdict.PASS, "passed": True, "points": 1,
        "max_points": 1, "launches": (launch,),
    })  # fmt: skip
    return LabResult(title="t", file="f.cu", verdict=verdict, points=1, max_points=1, cases=(case,))


def with_lines(graded: LabResult, *lines: LineTraffic) -> LabResult:
    launch = graded.cases[0].launches[0]
    assert launch.traffic is not None
    counted = launch.model_copy(update={"traffic": launch.traffic.model_copy(update={"lines": lines})})
    return graded.model_copy(update={"cases": (graded.cases[0].model_copy(update={"launches": (counted,)}),)})


def test_lines_come_by_what_they_cost() -> None:
    section = traffic_section(LabView(lab()))
    assert section is not None
    assert [(line.number, line.share) for line in section.lines] == [(5, "82.4 %"), (3, "17.6 %")]


def test_boxes_beyond_the_ideal_are_marked() -> None:
    section = traffic_section(LabView(lab()))
    assert section is not None
    shared, strided = (line.strips[0] for line in section.lines)
    assert shared.text == "1,000 shared loads, 1 wavefront each"
    assert strided.text == "100 global loads, 8.5 sectors each"
    assert [box.kind for box in strided.boxes] == ["right"] * 4 + ["wrong"] * 4
    assert [box.kind for box in shared.boxes] == ["right"] + ["idle"] * 7


def test_what_an_atomic_touches_is_not_counted_and_not_drawn() -> None:
    atomic = {ATOMIC.requests: 64, ATOMIC.instructions: 2}
    line = LineTraffic(line=7, source="atomicAdd(ticket, 1);", metrics=atomic)
    section = traffic_section(LabView(with_lines(lab(), line)))
    assert section is not None
    assert [strip.text for strip in section.lines[0].strips] == ["64 global atomics", "2 shared atomics"]
    assert not any(strip.boxes for strip in section.lines[0].strips)


def test_the_roof_says_that_it_is_modelled() -> None:
    section = traffic_section(LabView(lab()))
    assert section is not None
    assert section.roof is not None
    assert section.roof.caption.startswith("Modelled, not measured: 26.4 FLOP per pass")


def test_what_was_measured_on_a_known_gpu_stands_beside_the_model() -> None:
    times = ContestantTimes(name="student", milliseconds=1, gflops=3000, gbytes=1, samples=())
    shown = {}
    for device in ("NVIDIA A100-SXM4-80GB", "Another GPU"):
        timing = Timing(words="fast", shape="M=1024", device=device, contestants=(times,))
        section = traffic_section(LabView(lab().model_copy(update={"timing": timing})))
        assert section is not None
        assert section.roof is not None
        shown[device] = section.roof
    known, unknown = shown.values()
    assert (known.gpu, unknown.gpu) == ("A100 80 GB SXM", "H200 SXM")
    assert known.caption.endswith(". Measured at M=1024 on NVIDIA A100-SXM4-80GB: 3.0 TFLOP/s.")
    assert known.measured_y is not None
    assert known.measured_y > known.y  # slower than the model allows
    assert unknown.measured_y is None
    assert "Measured" not in unknown.caption


def test_a_problem_without_arithmetic_has_no_roof() -> None:
    section = traffic_section(LabView(lab(unit="element")))
    assert section is not None
    assert section.roof is None


def test_a_kernel_that_is_wrong_is_not_asked_about_its_traffic() -> None:
    assert traffic_section(LabView(lab(verdict=Verdict.RACE))) is None


def test_what_a_hidden_case_counted_is_for_the_instructor_alone() -> None:
    assert traffic_section(LabView(lab(feedback="none"))) is None
    assert traffic_section(LabView(lab(feedback="none"), instructor=True)) is not None
