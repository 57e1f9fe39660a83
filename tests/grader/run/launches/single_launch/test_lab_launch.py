"""Which lab a file is for, and what `tilelab trace` and `profile` say of a lab that has no one launch."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from grader.model.labs import Lab, PublicSpec
from grader.run.launches.lab_launch import LaunchRefusedError, build_launch, lab_of_kernel, recognise

BASE = {"title": "t", "summary": "s", "problem": "p", "shapes": "x"}


def lab(name: str, **fields: object) -> Lab:
    spec = PublicSpec.model_validate({**BASE, "file": f"{name}.cu", **fields})
    return Lab(name, spec, None, Path(), None)


KERNEL = lab("one", kernel="scale(float*, int)", launch="scale_launch(int)")
LAUNCHER = lab("two", contract="launcher", launcher="solve(float*, int)")
PROGRAM = lab("three", contract="program")


@pytest.mark.parametrize(("of", "runs"), [(LAUNCHER, False), (PROGRAM, True)], ids=["launcher", "program"])
def test_where_host_code_launches_there_is_something_else_to_do(of: Lab, runs: bool, tmp_path: Path) -> None:
    with pytest.raises(LaunchRefusedError, match=r"`tilelab check assignments/\w+/\w+\.cu --kernel NAME`") as refused:
        build_launch(Mock(), of, b"", tmp_path)
    assert ("`tilelab run " in str(refused.value)) is runs


def test_a_lab_without_a_kernel_of_its_own_is_not_recognised_by_one(tmp_path: Path) -> None:
    labs = [PROGRAM, LAUNCHER, KERNEL]
    assert recognise(labs, tmp_path / "mine.cu", "__global__ void scale(float*, int) {}", tmp_path) is KERNEL
    assert recognise(labs, tmp_path / "three.cu", "", tmp_path) is PROGRAM
    assert lab_of_kernel(labs, "scale") is KERNEL
    with pytest.raises(LaunchRefusedError, match="Say which lab it is for: --lab one"):
        recognise(labs, tmp_path / "mine.cu", "", tmp_path)
