"""A launch that times out while other work uses the GPU gets another chance alone on it."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from kernel_labs import kernel_lab_ids

from grader.engines.backend import Device, GpuBackend
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import GpuBuild
from grader.engines.gpu_toolchain import GpuToolchain
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.outcome import JudgedCase
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run import gpu_judging
from grader.run.gpu_judging import GpuJob
from grader.run.judge_call import JudgeCall

ROOT = Path(__file__).resolve().parents[4]
CASES = ("one", "two", "three")
Answers = Callable[[Sequence[str]], tuple[JudgedCase, ...]]
Judged = Callable[..., tuple[list[tuple[str, ...]], tuple[JudgedCase, ...]]]


def case(name: str, verdict: Verdict) -> JudgedCase:
    launch = Launch(shape="M=1 N=1 K=1", inputs="small integers", verdict=verdict, grid=(1, 1, 1), block=(1, 1, 1))
    return JudgedCase(name, verdict is Verdict.PASS, verdict, launches=(launch,))


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_free: Callable[[str, Path], bool]) -> Judged:
    """Judges with a judge that gives these answers one after the other. Returns the requests and the outcome."""
    device = Device(0, "Fake GPU", 90, 4, 1 << 30, 4, 13000, "libcuda.so.1", uuid=uuid4().hex)
    here = dataclasses.replace(
        Toolset.open(ROOT, allow_no_sandbox=True),
        gpu=GpuBackend(toolchain=GpuToolchain(tmp_path, (13, 0), "g++", ()), device=device, runner=tmp_path),
    )
    lab: Lab = load_lab(ROOT, kernel_lab_ids(ROOT)[0])
    monkeypatch.setattr(gpu_judging, "build_for_gpu", lambda *_, **__: GpuBuild(image=tmp_path / "cubin.json"))
    monkeypatch.setattr(gpu_judging, "two_programs", lambda *_, **__: None)
    monkeypatch.setattr(gpu_judging, "confined_runner", lambda *_: ["runner"])

    def run(
        *answers: Answers, on_cpu: Sequence[JudgedCase] = (), alone_from: int = 1
    ) -> tuple[list[tuple[str, ...]], tuple[JudgedCase, ...]]:
        asked: list[tuple[str, ...]] = []

        def run_judge(call: JudgeCall, *_: object) -> tuple[JudgedCase, ...]:
            assert is_free(device.lock_name, Path(tempfile.gettempdir())) == (len(asked) < alone_from)
            asked.append(tuple(call.cases))
            assert (call.launch_ms > 0) == any(
                one.name in call.cases and one.verdict is not Verdict.PASS for one in on_cpu
            )
            return answers[len(asked) - 1](call.cases)

        monkeypatch.setattr(gpu_judging, "run_judge", run_judge)
        _, outcome = job(here, lab, tmp_path).judged(lambda: on_cpu)
        assert outcome is not None
        return asked, outcome.cases

    return run


def job(toolset: Toolset, lab: Lab, folder: Path) -> GpuJob:
    source = folder / "k.cu"
    source.write_text("line", encoding="utf-8")
    return GpuJob(toolset, lab, source, EntrySignatures("k()", None), JudgeCall(folder, 1, CASES), folder, True)


def all_pass(names: Sequence[str]) -> tuple[JudgedCase, ...]:
    return tuple(case(name, Verdict.PASS) for name in names)


def second_is_late(names: Sequence[str]) -> tuple[JudgedCase, ...]:
    return tuple(case(name, Verdict.TIMEOUT if name == "two" else Verdict.PASS) for name in names)


def test_a_launch_that_was_late_once_is_judged_by_the_run_it_had_alone(judged: Judged) -> None:
    asked, cases = judged(second_is_late, all_pass, all_pass)
    assert asked == [CASES, ("two",), CASES]
    assert [one.verdict for one in cases] == [Verdict.PASS] * 3


def test_a_launch_that_is_late_alone_too_did_not_end(judged: Judged) -> None:
    asked, cases = judged(second_is_late, second_is_late)
    assert asked == [CASES, ("two",)]
    assert [one.verdict for one in cases] == [Verdict.PASS, Verdict.TIMEOUT, Verdict.PASS]


def all_late(names: Sequence[str]) -> tuple[JudgedCase, ...]:
    return tuple(case(name, Verdict.TIMEOUT) for name in names)


HUNG = [case("one", Verdict.PASS), case("two", Verdict.TIMEOUT), case("three", Verdict.BARRIER_DIVERGENCE)]


def test_of_cases_that_hung_on_the_cpu_one_is_run_and_nobody_waits_for_the_device_alone(judged: Judged) -> None:
    asked, cases = judged(all_pass, all_late, on_cpu=HUNG, alone_from=9)
    assert asked == [("one",), ("two",)]
    assert [(one.name, one.verdict) for one in cases] == [("one", Verdict.PASS), ("two", Verdict.TIMEOUT)]


def test_where_one_that_hung_on_the_cpu_ends_on_the_gpu_all_are_run(judged: Judged) -> None:
    asked, cases = judged(all_pass, all_pass, all_pass, on_cpu=HUNG, alone_from=9)
    assert asked == [("one",), ("two",), ("two", "three")]
    assert [one.name for one in cases] == ["one", "two", "three"]


def test_cases_that_hung_on_the_cpu_never_have_the_device_alone(judged: Judged) -> None:
    def only_the_first(names: Sequence[str]) -> tuple[JudgedCase, ...]:
        return tuple(case(name, Verdict.PASS if name == "two" else Verdict.TIMEOUT) for name in names)

    asked, _ = judged(all_pass, only_the_first, only_the_first, on_cpu=HUNG, alone_from=9)
    assert asked == [("one",), ("two",), ("two", "three")]


def test_a_kernel_that_hung_in_every_case_on_the_cpu_is_run_once(judged: Judged) -> None:
    asked, _ = judged(all_late, on_cpu=[case(name, Verdict.TIMEOUT) for name in CASES], alone_from=9)
    assert asked == [("one",)]


def test_nobody_waits_for_the_device_where_no_launch_was_late(judged: Judged) -> None:
    assert judged(all_pass) == ([CASES], all_pass(CASES))


def test_an_nvcc_that_gets_no_time_costs_no_submission_its_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = dataclasses.replace(
        Toolset.open(ROOT, allow_no_sandbox=True), gpu=GpuBackend(toolchain=GpuToolchain(tmp_path, (13, 0), "g++", ()))
    )
    monkeypatch.setattr(gpu_judging, "build_for_gpu", lambda *_, **__: GpuBuild(starved="nvcc did not end"))
    monkeypatch.setattr(gpu_judging, "trouble_compiling", lambda *_: "")
    refusals, outcome = job(here, load_lab(ROOT, kernel_lab_ids(ROOT)[0]), tmp_path).judged()
    assert not refusals
    assert outcome is not None
    assert "nvcc did not end" in outcome.trouble


@pytest.mark.parametrize("built_for_cpu", [True, False])
@pytest.mark.parametrize("image", [None, Path("cubin.json")])
def test_on_which_side_a_thing_is_nvcc_decides_only_where_the_cpu_executor_cannot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, image: Path | None, *, built_for_cpu: bool
) -> None:
    here = dataclasses.replace(
        Toolset.open(ROOT, allow_no_sandbox=True), gpu=GpuBackend(toolchain=GpuToolchain(tmp_path, (13, 0), "g++", ()))
    )
    said = 'identifier "div_up" is undefined in device code'
    refusals = () if image else (Refusal(Verdict.COMPILE_ERROR, 3, said),)
    monkeypatch.setattr(gpu_judging, "build_for_gpu", lambda *_, **__: GpuBuild(image, refusals, sides=said))
    monkeypatch.setattr(gpu_judging, "two_programs", lambda *_, **__: None)
    asked = job(here, load_lab(ROOT, kernel_lab_ids(ROOT)[0]), tmp_path)
    judged, _ = dataclasses.replace(asked, built_for_cpu=built_for_cpu).judged()
    assert judged == (() if built_for_cpu else refusals)
