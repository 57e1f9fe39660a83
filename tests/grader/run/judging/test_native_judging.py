"""A launcher or a program on a GPU: what nvcc gets, how the program is started, whose fault a failure is. No GPU is needed."""

from __future__ import annotations

import dataclasses
import fcntl
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.gpu_build import SOURCE, NativeBuild, build_native
from grader.engines.gpu_toolchain import GpuTarget, GpuToolchain, NoToolchain, find_toolchain
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, PublicSpec
from grader.model.outcome import GpuOutcome, JudgedCase
from grader.model.verdicts import Verdict
from grader.run import gpu_judging, lab_judging
from grader.run.gpu_judging import judge_natively
from grader.run.judge_call import JudgeCall
from grader.system.confinement import Unconfined

ROOT = Path(__file__).resolve().parents[4]
TEXT = """__global__ void twice(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2; }
extern "C" void solve(float* a, int n) { twice<<<1, 256>>>(a, n); cudaDeviceSynchronize(); }
int main() { return 1; }
"""
BASE = {"title": "t", "summary": "s", "problem": "p", "file": "f.cu", "shapes": "x"}
Judged = Callable[..., tuple[dict[str, Any], GpuOutcome | None]]


def lab(**fields: object) -> Lab:
    return Lab("01-x", PublicSpec.model_validate(BASE | fields), None, ROOT, None)


LAUNCHER = lab(contract="launcher", launcher="solve(float*, int)", arguments=["a", "n"])


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Judged:
    """Judges on a GPU that is not there. Gives back the program file, and the outcome."""
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    device = Device(1, "Fake GPU", 90, 4, 1 << 30, 4, 13000, "libcuda.so.1", uuid=uuid4().hex)
    gpu = GpuBackend(toolchain=GpuToolchain(tmp_path, (13, 0), "g++", ()), device=device, runner=tmp_path)
    on_gpu = dataclasses.replace(here, gpu=gpu, confinement=Unconfined(ROOT / "build" / "bin" / "confine", None))

    def run(
        verdict: str, built: NativeBuild | None = None, of: Lab = LAUNCHER, cases: Sequence[str] = ("one",)
    ) -> tuple[dict[str, Any], GpuOutcome | None]:
        given: dict[str, Any] = {}

        def report(called: JudgeCall, _lab: Lab, arguments: Sequence[str], folder: Path) -> list[dict[str, Any]]:
            given.update(json.loads(Path(arguments[1]).read_text(encoding="utf-8")))
            given.setdefault("folders", set()).update((folder, given["folder"], given["scratch"]))
            launch = {"shape": "n=5", "inputs": "ramps", "verdict": verdict, "message": "", "program": None}
            case = {"passed": verdict == "pass", "verdict": verdict, "message": "", "launches": [launch]}
            return [{"name": name, **case} for name in called.cases]

        monkeypatch.setattr(gpu_judging, "judge_report", report)
        monkeypatch.setattr(gpu_judging, "build_native", lambda *_: built or NativeBuild(tmp_path / "native"))
        call = JudgeCall(tmp_path / "judge", 1, cases)
        return given, judge_natively(on_gpu, of, TEXT, tmp_path, call, alone=False)

    return run


def test_the_judge_is_told_how_the_confined_program_is_started(judged: Judged, tmp_path: Path) -> None:
    file, outcome = judged("pass")
    argv = file["native"]["argv"]
    assert argv[:4] == ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh"]
    assert argv[-1] == str(tmp_path / "native")
    assert "--profile=gpu-program" in argv
    assert file["folder"] == str(tmp_path / "native-judged" / "data")
    assert file["launcher"] == {"arguments": ["a", "n"], "memory": "device"}
    assert outcome is not None
    assert [(one.name, one.passed, one.seen) for one in outcome.cases] == [("one", True, 1)]


def test_one_judge_runs_all_cases_outside_of_what_the_program_may_read(judged: Judged, tmp_path: Path) -> None:
    names = [f"case {number}" for number in range(9)]
    file, outcome = judged("pass", cases=names)
    assert outcome is not None
    assert [case.name for case in outcome.cases] == names
    assert len(file["folders"]) == 3  # where the judge works, the program's data, and what the judge keeps to itself
    assert not any(Path(one).is_relative_to(tmp_path / "native") for one in file["folders"])


def test_the_gpu_is_held_by_each_run_and_not_by_the_judge(judged: Judged) -> None:
    file, _ = judged("pass")
    gate, lock = (Path(file["native"][name]) for name in ("gate", "lock"))
    assert gate.is_file()
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_case_that_failed_by_what_no_gpu_shows_is_not_run_there() -> None:
    cases = [
        JudgedCase(name, verdict is Verdict.PASS, verdict, "", ())
        for name, verdict in (("a", Verdict.PASS), ("b", Verdict.RACE), ("c", Verdict.WRONG_ANSWER))
    ]
    assert lab_judging._worth_a_run(("a", "b", "c", "d"), cases) == ("a", "c", "d")


def test_a_file_that_nvcc_does_not_take_is_for_a_person_to_look_at(judged: Judged) -> None:
    _, outcome = judged("pass", NativeBuild(trouble="nvcc does not compile the file: f.cu(3): error: no"))
    assert outcome is not None
    assert (outcome.cases, outcome.trouble) == ((), "nvcc does not compile the file: f.cu(3): error: no")


def test_a_wrong_result_on_the_gpu_is_reported_as_its_own(judged: Judged) -> None:
    _, outcome = judged("wrong-answer")
    assert outcome is not None
    assert outcome.cases[0].verdict is Verdict.WRONG_ANSWER


def test_nothing_is_compiled_where_no_gpu_can_be_used(tmp_path: Path) -> None:
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    call = JudgeCall(tmp_path / "judge", 1, ("one",))
    assert judge_natively(here, LAUNCHER, TEXT, tmp_path, call, alone=True) is None


@pytest.mark.parametrize("of", [LAUNCHER, lab(contract="program")], ids=["launcher", "program"])
def test_nvcc_makes_a_program_of_the_students_file(of: Lab, tmp_path: Path) -> None:
    found = find_toolchain(ROOT, "g++", (ROOT / "kit" / "include",))
    if isinstance(found, NoToolchain):
        pytest.skip(f"nothing can be compiled for a GPU here: {found.reason}")
    here = Toolset.open(ROOT, allow_no_sandbox=True)
    texts, others = gpu_judging.native_texts(here, of, TEXT, 1)
    assert others == []
    assert "cudaSetDevice(1)" in texts[SOURCE]
    built = build_native(found, here.confinement, texts, tmp_path, GpuTarget(90))
    assert (built.trouble, built.program) == ("", tmp_path / "native")
    wrong = {**texts, SOURCE: texts[SOURCE].replace("twice<<<1", "thrice<<<1")}
    refused = build_native(found, here.confinement, wrong, tmp_path, GpuTarget(90))
    assert 'f.cu(2): error: identifier "thrice" is undefined' in refused.trouble
