"""A student's own answers.md is read and checked, whatever it is, and the screen never shows a right number."""

from __future__ import annotations

import dataclasses
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from grader.course.answer_check import Counts, own_answers
from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.pages.screens.lab_screen import answers_line, answers_screen

ROOT = Path(__file__).resolve().parents[4]
LAB = "02-tiled"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """As in a handout: without the private half."""
    folder = shutil.copytree(ROOT / "assignments" / LAB, tmp_path / LAB)
    return dataclasses.replace(load_lab(ROOT, LAB), private=None, private_dir=None, public_dir=folder)


def shown(lab: Lab) -> str:
    answers = own_answers(lab)
    assert answers is not None
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    console.print(answers_screen([(lab.id, answers)]))
    if (line := answers_line(answers, lab.id)) is not None:
        console.print(line)
    return out.getvalue()


def answer(lab: Lab, old: str, new: str) -> None:
    path = lab.public_dir / "answers.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_the_form_is_open_and_tests_do_not_speak_of_it(lab: Lab) -> None:
    assert "0 of 7 questions answered" in shown(lab)
    assert "to be predicted before make trace" in shown(lab)
    assert "Answers:" not in shown(lab)


def test_right_and_other_numbers_are_told_apart_without_the_right_one(lab: Lab) -> None:
    answer(lab, "- As[0][0]: ____", "- As[0][0]: 17")
    answer(lab, "- sum of thread (1,0): ____", "- sum of thread (1,0): 149")
    answer(lab, "- arrivals: ____", "- arrivals: often")
    text = shown(lab)
    assert "✓ As[0][0]: 17  right" in text
    assert "✗ sum of thread (1,0): 149  not right" in text
    assert "? arrivals: often  a number is expected here" in text
    assert "Answers: 1 of 7 questions answered; 1 of 2 numbers right" in text
    assert not {"150", "128"} & set(text.replace(".", " ").split())


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"\0\0\0", b"x" * 300_000])
def test_a_file_that_is_no_text_is_told(data: bytes, lab: Lab) -> None:
    (lab.public_dir / "answers.md").write_bytes(data)
    assert "answers.md is" in shown(lab)


def test_a_missing_file_or_a_folder_in_its_place_is_told(lab: Lab) -> None:
    (lab.public_dir / "answers.md").unlink()
    assert "There is no answers.md" in shown(lab)
    (lab.public_dir / "answers.md").mkdir()
    assert "There is no answers.md" in shown(lab)


def counting(found: dict[str, float] | None) -> Callable[[], Counts]:
    return lambda: lambda shape: found if shape == "64x64x64" else None


OWN = "- sectors of all loads: ____"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def test_a_number_of_the_students_own_kernel_is_compared_with_a_run_of_it(lab: Lab) -> None:
    answer(lab, OWN, OWN.replace("____", "4,096"))
    for sectors, state in ((4096.0, "right"), (2048.0, "wrong")):
        found = own_answers(lab, counting({SECTORS: sectors}))
        assert found is not None
        assert found.questions[2].numbers[0].state == state
    assert own_answers(lab) is not None
    assert "make answers compares it with a run" in shown(lab)


def test_a_kernel_that_is_not_right_yet_leaves_the_number_open_and_says_why(lab: Lab) -> None:
    answer(lab, OWN, OWN.replace("____", "4,096"))
    found = own_answers(lab, counting(None))
    assert found is not None
    assert found.questions[2].numbers[0].state == "unchecked"
    assert "counted once it is right" in found.notices[-1]

    def refused() -> Counts:
        message = "the file does not build"
        raise RemediableError(message)

    found = own_answers(lab, refused)
    assert found is not None
    assert found.notices[-1] == "the file does not build"


def test_nothing_is_run_where_no_answer_asks_for_it(lab: Lab) -> None:
    def never() -> Counts:
        raise AssertionError

    answer(lab, "- arrivals: ____", "- arrivals: 128")
    assert own_answers(lab, never) is not None


def test_what_was_written_cannot_control_the_terminal(lab: Lab) -> None:
    answer(lab, "- arrivals: ____", "- arrivals: \x1b]0;title\x07[bold]128")
    assert "\x1b" not in shown(lab)


def test_an_editor_of_windows_may_have_saved_it(lab: Lab) -> None:
    answer(lab, "- As[0][0]: ____", "- As[0][0]: 17")
    path = lab.public_dir / "answers.md"
    path.write_bytes(path.read_text(encoding="utf-8").replace("\n", "\r\n").encode("utf-16"))
    assert "✓ As[0][0]: 17  right" in shown(lab)
