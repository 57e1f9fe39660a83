"""What lab.toml may say of a problem, a launch and data sets, and what is refused before any student sees it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from grader.model.labs import Lab, LabError, PublicSpec, load_lab
from grader.run.described_cases import CaseWriter, check_described
from grader.run.program_judging import operands_frame

PROBLEM: dict[str, Any] = {
    "sizes": ["n"],
    "input": [{"name": "x", "shape": ["n"], "file": "{set}/x.txt", "header": ["n"]}],
    "result": [{"name": "y", "shape": ["n"], "file": "{set}/y.txt", "formula": "y[i] = 2 * x[i]"}],
}
LAB: dict[str, Any] = {
    "title": "t", "summary": "s", "shapes": "any", "file": "a.cu", "contract": "program", "arguments": ["{set}", "{n}", "{x}"],
    "problem": PROBLEM, "case": [{"name": "one", "points": 1, "sizes": [{"n": 3}]}],
}  # fmt: skip
GIVEN = {
    **{key: value for key, value in LAB.items() if key != "contract"}, "kernel": "twice(float*, float const*, unsigned int)",
    "arguments": ["y", "x", "n"], "grid": ["ceil(n / 32)"], "block": ["32"],
}  # fmt: skip


def problem(**changes: object) -> dict[str, Any]:
    return LAB | {"problem": PROBLEM | changes}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (LAB | {"arguments": ["{m}"]}, "{m}"),
        (problem(input=[{"name": "x", "shape": ["n"], "file": "../x"}]), "no path below"),
        (problem(input=[{"name": "x", "shape": ["n"], "file": "/etc/x"}]), "no path below"),
        (problem(input=[{"name": "x", "shape": ["n"]}]), "needs a `file`"),
        (problem(input=[{"name": "x", "shape": ["m"], "file": "x"}]), "'m' says m"),
        (problem(input=[{"name": "n", "shape": ["n"], "file": "x"}]), "there twice"),
        (problem(input=[{"name": "x", "type": "float4", "shape": ["n"], "file": "x"}]), "float4"),
        (problem(result=[{"name": "y", "shape": ["n"], "formula": "z[i] = 1"}]), "formula of z"),
        (problem(result=[{"name": "y", "shape": ["n"], "formula": "y = 1"}]), "no formula of a result"),
        (problem(result=[]), "at least 1"),
        (LAB | {"case": [{"name": "one", "points": 1, "sizes": [{"n": "x"}]}]}, "valid integer"),
        (GIVEN | {"grid": ["ceil(m / 32)"]}, "[problem] has no m"),
        (GIVEN | {"arguments": ["y", "x"]}, "has 3 parameters"),
        (GIVEN | {"grid": ["n", "n", "n", "n"]}, "at most 3"),
        (GIVEN | {"block": ["f(n)"]}, "no arithmetic"),
        (GIVEN | {"kernel": "twice"}, "no demangled signature"),
        (GIVEN | {"launch": "twice_launch(int)"}, "`launch` has no meaning"),
    ],
)
def test_what_cannot_work_is_refused(spec: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        PublicSpec.model_validate(spec)
    assert said in str(caught.value)


def lab_with(folder: Path, files: dict[str, str], **changes: object) -> Lab:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    spec = problem(**changes) | {"case": [{"name": "one", "points": 1, "data": ["data/0"]}]}
    return Lab("lab", PublicSpec.model_validate(spec), None, folder, None)


def test_sizes_and_numbers_come_from_a_data_set(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, {"data/0/x.txt": "3\r\n1.5 2\n 3 \n", "data/0/y.txt": "3.0 4.0 6.0"})
    (case,) = CaseWriter(lab, 1).cases()
    shown, drawn = case["trials"]
    assert (shown["shape"], shown["arguments"]) == ("n=3", ["data/0", "3", "data/0/x.txt"])
    assert [one["name"] for one in (*shown["files"], *shown["results"])] == ["data/0/x.txt", "data/0/", "data/0/y.txt"]
    assert "altered" not in shown
    assert "altered" in drawn  # numbers that no file holds: whoever computes on the host is found


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ("3 1 2", "2 4", "has 2 numbers; 3 belong there"),
        ("2 1 2", "2 5", "has 5 as element 1 of y, and the formula gives 4"),
        ("2 1 two", "2 4", "more than numbers"),
        ("", "2 4", "x.txt"),
        ("99999999999 1 2", "2 4", "elements; 1 to"),
    ],
)
def test_a_data_set_that_does_not_fit_is_told_by_a_proof(tmp_path: Path, x: str, y: str, said: str) -> None:
    (told,) = check_described(lab_with(tmp_path, {"data/0/x.txt": x, "data/0/y.txt": y}))
    assert said in told


@pytest.mark.in_turn(6)
def test_the_largest_sizes_that_may_be_drawn_are_tried_by_a_proof(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, {})
    drawn = lab.public.case[0].model_copy(update={"data": (), "sizes": ({"n": (1, 4_000_001)},)})
    (told,) = check_described(replace(lab, public=lab.public.model_copy(update={"case": (drawn,)})))
    assert "would have 4000001 elements" in told


def test_without_a_formula_the_tolerance_has_to_be_said(tmp_path: Path) -> None:
    result = {"name": "y", "shape": ["n"], "file": "{set}/y.txt"}
    files = {"data/0/x.txt": "2 1 2", "data/0/y.txt": "2.25 4.5"}
    (told,) = check_described(lab_with(tmp_path, files, result=[result]))
    assert "give it a formula, or `relative` or `absolute`" in told
    assert list(check_described(lab_with(tmp_path, files, result=[result | {"relative": 1e-4}]))) == []


def test_a_folder_of_data_that_is_not_there_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "assignments" / "lab"
    folder.mkdir(parents=True)
    text = 'title="t"\nsummary="s"\nshapes="any"\nfile="a.cu"\ncontract="program"\n[problem]\nsizes=["n"]\n'
    text += '[[problem.result]]\nname="y"\nshape=["n"]\nformula="y[i] = 1"\n[[case]]\nname="one"\npoints=1\ndata=["data/7"]\n'
    (folder / "lab.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LabError, match="no folder data/7 beside this file"):
        load_lab(tmp_path, "lab")


def test_the_lab_launches_a_kernel_whatever_macros_its_file_has() -> None:
    frame = operands_frame(PublicSpec.model_validate(GIVEN | {"shared": "4 * n"}))
    config = "dim3((unsigned)(((tilelab_n + 32LL - 1) / 32LL))), dim3((unsigned)(32LL)), (size_t)((4LL * tilelab_n))"
    call = "::twice(tilelab_y, tilelab_x, (unsigned int)(tilelab_n))"
    declared = "static void tilelab_given_launch(float* tilelab_y, float const* tilelab_x, long long tilelab_n)"
    assert f"{declared} {{ ::tilelab_host::configure({config}), {call}; }}" in frame.behind
    on_gpu = operands_frame(PublicSpec.model_validate(GIVEN), on_gpu=True).behind
    assert "::twice<<<dim3((unsigned)(((tilelab_n + 32LL - 1) / 32LL)))" in on_gpu
