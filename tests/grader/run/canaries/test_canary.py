"""What a canary's first line says, and how that is held against what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.errors import RemediableError
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.run.compiler_trial import Canary, read_canaries


def canary(folder: Path, first_line: str) -> Canary:
    (folder / "one.cu").write_text(f"{first_line}\n__global__ void canary() {{}}\n", encoding="utf-8")
    [only] = read_canaries(folder)
    return only


def found(kind: str, *lines: int, severity: str = "error") -> list[Finding]:
    return [
        Finding.model_validate({"kind": kind, "file": "one.cu", "line": line, "severity": severity, "message": "so"})
        for line in lines
    ]


def test_all_lines_have_to_be_seen_and_others_may_be(tmp_path: Path) -> None:
    told = canary(tmp_path, "// canary: race in lines 3 4")
    assert told.missed(Verdict.RACE, found("race", 3, 4, 9)) == ""
    assert told.missed(Verdict.RACE, found("race", 3)) == "must be race in line 4 too, where nothing is seen"
    assert told.missed(Verdict.RACE, [*found("race", 3), *found("race", 4, severity="note")]).endswith(
        "nothing is seen"
    )


def test_another_verdict_and_another_finding_are_told(tmp_path: Path) -> None:
    told = canary(tmp_path, "// canary: needs-gpu or out-of-bounds in lines 3")
    assert told.missed(Verdict.NEEDS_GPU, found("needs-gpu", 3)) == ""
    assert told.missed(Verdict.PASS, []) == "must be needs-gpu or out-of-bounds and is pass"
    assert "(so)" in told.missed(Verdict.COMPILE_ERROR, found("compile-error", 1))
    strange = [*found("out-of-bounds", 3), *found("race", 5)]
    assert told.missed(Verdict.OUT_OF_BOUNDS, strange) == "must be out-of-bounds alone and is race too"


def test_steps_and_accesses_are_counted(tmp_path: Path) -> None:
    told = canary(tmp_path, "// canary: timeout by steps")
    assert told.missed(Verdict.TIMEOUT, [], "", {"events": 200_000}) == ""
    assert told.missed(Verdict.TIMEOUT, [], "", {"events": 7}) == "must end after 200,000 steps and takes 7"
    counts = canary(tmp_path, "// canary: pass counting 2 loads and 1 stores")
    loads, stores = counts.counts
    assert counts.missed(Verdict.PASS, [], "", {loads: 2, stores: 1}) == ""
    assert "makes 3" in counts.missed(Verdict.PASS, [], "", {loads: 3, stores: 1})


@pytest.mark.parametrize(
    "line", ["", "// canary", "// canary: fine", "// canary: internal-error", "// canary: race in 3"]
)
def test_a_first_line_that_says_nothing_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match=r"one\.cu does not say"):
        canary(tmp_path, line)


def test_a_folder_without_canaries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="holds no canary"):
        read_canaries(tmp_path)
