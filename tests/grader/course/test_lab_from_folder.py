"""`tilelab new-lab --from`: what is recognised in a folder of another course, and what is said to be left."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.lab_from_folder import Draft, draft_of
from grader.course.new_lab import with_defaults
from grader.model.errors import RemediableError

PROGRAM = '#include "help.h"\n__global__ void add(const float* a, float* c, int n) {}\nint main(int argc, char** argv) { return 0; }\n'
MAKE = "add: main.cu k.cu\n\tnvcc -O3 -DN=4 $^\n"
KERNELS = "__global__ void add(const float* a, const float *b, float* c, unsigned int n) {}\n"


def draft(folder: Path, files: dict[str, str]) -> Draft:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    new = with_defaults("21-add", title=None, problem=None, kernel=None)
    return draft_of(folder / "course", new, folder)


def test_a_program_its_headers_and_its_data_sets_are_recognised(tmp_path: Path) -> None:
    data = {
        "data/0/input0.txt": "2\n1\n2\n", "data/0/input1.txt": "2\n3\n5\n", "data/0/output.txt": "2\n4\n7\n",
        "data/1/input0.txt": "3\n1\n2\n3\n", "data/1/input1.txt": "3\n3\n5\n7\n", "data/1/output.txt": "3\n4\n7\n10\n",
    }  # fmt: skip
    made = draft(
        tmp_path,
        {"main.cu": PROGRAM, "help.h": "", "other.h": "", "k.cu": "", "unused.cu": "", "Makefile": MAKE, **data},
    )
    toml = str(made.files["assignments/21-add/lab.toml"])
    assert 'contract = "program"' in toml
    assert 'headers = ["help.h"]' in toml
    assert 'header = ["M"]' in toml
    assert 'formula = "output[i] = input0[i] + input1[i]"' in toml
    assert 'data = ["data/0"]' in toml
    assert 'data = ["data/1"]' in str(made.files["solutions/21-add/grading.toml"])
    assert made.files["solutions/21-add/data/1/output.txt"] == data["data/1/output.txt"].encode()
    assert 'files = ["main.cu", "k.cu", "Makefile"]' in toml
    assert made.files["assignments/21-add/Makefile"] == MAKE.encode()
    assert "Makefile: main.cu, k.cu, -DN=4" in made.recognised
    assert [one for one in made.left if one.endswith("which are not used: -O3")]


def test_kernels_alone_are_launched_by_the_lab(tmp_path: Path) -> None:
    made = draft(tmp_path, {"add.cu": KERNELS})
    toml = str(made.files["assignments/21-add/lab.toml"])
    assert 'kernel = "add(float const*, float const*, float*, unsigned int)"' in toml
    assert [one for one in made.left if one.startswith("arguments, grid, block")]


@pytest.mark.parametrize("files", [{}, {"a.txt": "1"}])
def test_a_folder_without_a_starter_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(RemediableError, match=r"no \.cu file"):
        draft(tmp_path, files)


def test_data_that_is_no_text_of_numbers_is_left_to_say(tmp_path: Path) -> None:
    made = draft(tmp_path, {"main.cu": PROGRAM, "data/0/input.raw": "\x01\x02ä", "data/0/output.raw": "1 nan 1e999 x"})
    assert [one for one in made.left if one.startswith("input.raw: its shape")]
