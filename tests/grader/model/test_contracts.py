"""What lab.toml may say under each contract."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from grader.model.labs import LabError, PublicSpec, load_lab

BASE = {"title": "t", "summary": "s", "problem": "p.hpp", "file": "f.cu", "shapes": "x"}
KERNEL = {"kernel": "f(float*, int)", "launch": "f_launch(int)"}
LAUNCHER = {"contract": "launcher", "launcher": "solve(float const*, int)"}
TEXT = "".join(f'{key} = "{value}"\n' for key, value in (BASE | LAUNCHER).items())


def test_a_lab_that_says_nothing_is_about_a_kernel() -> None:
    spec = PublicSpec.model_validate(BASE | KERNEL)
    assert (spec.contract, spec.starts_itself, spec.entries) == ("kernel", False, ("f(float*, int)", "f_launch(int)"))


def test_a_launcher_and_a_program_start_their_kernels_themselves() -> None:
    launcher = PublicSpec.model_validate(BASE | LAUNCHER | {"memory": "host", "headers": ["wb.h", "thrust/scan.h"]})
    assert launcher.starts_itself
    assert launcher.entries == ("solve(float const*, int)",)
    assert PublicSpec.model_validate(BASE | {"contract": "program"}).entries == ()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "needs `kernel`"),
        ({"kernel": "f()"}, "needs `launch`"),
        (KERNEL | {"headers": ["wb.h"]}, "`headers` has no meaning"),
        ({"contract": "launcher"}, "needs `launcher`"),
        (LAUNCHER | KERNEL, "`kernel` has no meaning"),
        (
            LAUNCHER | {"performance": {"baseline": "x", "shape": "1"}},
            "a lab whose host code launches kernels is timed where lab.toml",
        ),
        ({"contract": "program", "memory": "host"}, "`memory` has no meaning"),
        (LAUNCHER | {"launcher": "solve"}, "no demangled signature"),
        (LAUNCHER | {"launcher": "solve(int); system(1)"}, "no demangled signature"),
        (LAUNCHER | {"headers": ["../secret.h"]}, "no path of a file beside lab.toml"),
        (LAUNCHER | {"headers": ["/etc/secret.h"]}, "no path of a file beside lab.toml"),
        (LAUNCHER | {"headers": ["a/x.h", "b/x.h"]}, "with a name of its own"),
        ({"contract": "function"}, "Input should be"),
    ],
)
def test_what_does_not_belong_to_the_contract_is_refused_by_name(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        PublicSpec.model_validate(BASE | fields)


def lab(root: Path, public: str, private: str = "") -> None:
    for half, file, text in (("assignments", "lab.toml", public), ("solutions", "grading.toml", private)):
        folder = root / half / "01-x"
        folder.mkdir(parents=True)
        (folder / file).write_text(text, encoding="utf-8")


def test_a_header_that_is_not_there_is_the_authors_mistake(tmp_path: Path) -> None:
    lab(tmp_path, TEXT + 'headers = ["wb.h"]\n')
    with pytest.raises(LabError, match=r"there is no wb\.h beside it"):
        load_lab(tmp_path, "01-x")


def test_counted_traffic_belongs_to_a_kernel(tmp_path: Path) -> None:
    counted = '[counters]\ncase = "c"\nversus = "v"\nadvice = "a"\n[[counters.tier]]\npart = 1\nat_most = { x = 1 }\n'
    lab(tmp_path, TEXT + '[[case]]\nname = "c"\npoints = 1\n', counted)
    with pytest.raises(LabError, match=r"\[counters\] is for labs with contract = 'kernel'"):
        load_lab(tmp_path, "01-x")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('summary = "s"', "", "`summary` is missing."),
        ('summary = "s"', 'summary = "s"\nsumary = 1', "`sumary` is not known here. docs/lab-files.md lists what may be written."),
        ('problem = "p.hpp"', 'problem = { size = ["M"] }', "`problem.result` is missing."),
        (
            'problem = "p.hpp"',
            'problem = { sizes = ["M", "M"], result = [{ name = "C", shape = ["M"], formula = "C[i] = 1" }] }',
            "'M' is there twice",
        ),
    ],
)  # fmt: skip
def test_an_author_reads_one_sentence_about_a_mistake_in_a_labs_file(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    lab(tmp_path, TEXT.replace(old, new))
    with pytest.raises(LabError) as raised:
        load_lab(tmp_path, "01-x")
    assert said in str(raised.value)
    assert "pydantic" not in str(raised.value)
    assert "\n" not in str(raised.value)
