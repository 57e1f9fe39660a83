"""A submission under a fake compute-sanitizer, on a fake driver: the runner runs under it, its report is read, and a tool that does not end
is reported.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.gpu_toolchain import GpuToolchain
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab, lab_ids, load_lab
from grader.model.verdicts import Verdict
from grader.run import gpu_judging as sanitizing
from grader.run.gpu_judging import sanitize, under_sanitizer
from grader.run.judge_call import JudgeCall

ROOT = Path(__file__).resolve().parents[4]
DRIVER = ROOT / "build" / "libfake-driver.so"
RUNNER = ROOT / "build" / "bin" / "gpu-runner"
SOURCE = ["first line", "second line"]
TOOL = """#!/bin/sh
for word; do case $word in
  --log-file=*) log=${word#--log-file=} ;;
  --tool=*) tool=${word#--tool=} ;;
  --*) ;;
  *) break ;;
esac; shift; done
log=$(echo "$log" | sed "s/%p/$$/")
"$@"
status=$?
[ $tool != racecheck ] || printf '========= Error: Race reported between Write access at k()+0x1 in FILE:2\\n' > "$log"
echo "$tool $status" >> "LEDGER"
"""


@pytest.fixture
def lab() -> Lab:
    return next(
        one for one in (load_lab(ROOT, lab_id) for lab_id in lab_ids(ROOT)) if "transpose" in one.public.problem
    )


def tool(folder: Path, text: str) -> Path:
    program = folder / "compute-sanitizer"
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def image(folder: Path, kernel: str = "transposes") -> Path:
    (folder / "empty.cubin").write_bytes(b"\0")
    said = {
        "driver": str(DRIVER), "device": 0, "cubin": "empty.cubin", "functions": [f"_Z{len(kernel)}{kernel}PKfPfii"],
        "kernel": f"{kernel}(float const*, float*, int, int)", "ask_launch": "ask_two", "poison_shared": "",
    }  # fmt: skip
    path = folder / "cubin.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def call(lab: Lab) -> JudgeCall:
    return JudgeCall(ROOT / "build" / "bin" / f"judge-{lab.id}-public", 5, (lab.public.case[0].name,))


def test_every_tool_sees_the_runner_to_its_end_and_is_heard(lab: Lab, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    program = tool(tmp_path, TOOL.replace("FILE", lab.public.file).replace("LEDGER", str(ledger)))
    folder = tmp_path / "work"
    folder.mkdir()
    said, trouble = sanitize(program, RUNNER, lab, image(tmp_path), call(lab), folder, SOURCE)
    assert trouble == ""
    assert [(one.tool, one.kind, one.line, one.source) for one in said] == [
        ("racecheck", Verdict.RACE, 2, "second line")
    ]
    assert ledger.read_text(encoding="utf-8").split("\n")[:4] == [
        "memcheck 0", "racecheck 0", "initcheck 0", "synccheck 0",
    ]  # fmt: skip


def test_memcheck_looks_at_every_case_of_a_kernel_that_is_merely_wrong(lab: Lab, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    program = tool(tmp_path, TOOL.replace("FILE", lab.public.file).replace("LEDGER", str(ledger)))
    folder = tmp_path / "work"
    folder.mkdir()
    sanitize(program, RUNNER, lab, image(tmp_path, "idle"), call(lab), folder, SOURCE)
    assert ledger.read_text(encoding="utf-8").split("\n")[:3] == ["memcheck 0", "memcheck 0", "racecheck 0"]
    assert not json.loads((folder / "memcheck" / "judge.json").read_text(encoding="utf-8"))["cases"][0]["passed"]


def test_a_tool_that_does_not_end_is_named_and_the_others_go_on(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sanitizing, "TOOL_SECONDS", 8)  # the others need some of it on a busy machine
    hangs = TOOL.replace("status=$?\n", "status=$?\n[ $tool != initcheck ] || exec sleep 100\n")
    program = tool(tmp_path, hangs.replace("FILE", lab.public.file).replace("LEDGER", str(tmp_path / "ledger")))
    folder = tmp_path / "work"
    folder.mkdir()
    said, trouble = sanitize(program, RUNNER, lab, image(tmp_path), call(lab), folder, SOURCE)
    assert [one.tool for one in said] == ["racecheck"]
    assert "initcheck" in trouble
    assert "8 seconds" in trouble


def test_without_a_gpu_the_reason_is_said() -> None:
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    with pytest.raises(RemediableError, match="TILELAB_BACKEND=cpu"):
        under_sanitizer(toolset)


def test_without_the_tool_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    device = Device(0, "Fake GPU", 90, 4, 1 << 30, 4, 13000, str(DRIVER))
    toolchain = GpuToolchain(tmp_path, (13, 0), "g++", ())
    here = dataclasses.replace(toolset, gpu=GpuBackend(toolchain=toolchain, device=device, runner=RUNNER))
    with pytest.raises(RemediableError, match="put its folder on PATH"):
        under_sanitizer(here)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "compute-sanitizer").touch()
    assert under_sanitizer(here).gpu.sanitizer == tmp_path / "bin" / "compute-sanitizer"
    assert "compute-sanitizer" in under_sanitizer(here).gpu.description
