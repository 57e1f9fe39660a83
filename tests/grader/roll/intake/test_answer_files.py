"""Answers are taken beside the code, whatever they are called, wherever they lie and whatever is in them; no lab's file is lost by them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_with_questions import filled, lab, other_lab
from platform_samples import CLASS, SAMPLES, Sample, Tree
from upload_files import NAIVE, TILED, put, tar_bytes, zip_bytes

from grader.course.starters import answer_form
from grader.roll.intake.intake import Intake, IntakeOptions, discover
from grader.roll.intake.matching import LabFile

LABS = [LabFile(TILED, "02-tiled", questions=lab()), LabFile(NAIVE, "03-boundary", questions=other_lab())]
CODE = b"__global__ void matmul_tiled() {}\n"
GOOD = filled().encode()
OTHER = answer_form(other_lab()).replace("_Write your answer here, in one or two sentences._", "For the halo.").encode()


def taken(tmp_path: Path, files: dict[str, bytes], labs: list[LabFile] | None = None) -> Intake:
    """One student's upload in a class of two."""
    for name, data in files.items():
        put(tmp_path / "class" / "ada" / name, data)
    put(tmp_path / "class" / "bob" / TILED, CODE)
    (tmp_path / "scratch").mkdir()
    found = discover(tmp_path / "class", tmp_path / "scratch", LABS if labs is None else labs, options=IntakeOptions())
    return next(one for one in found.students if one.submission.id == "ada")


NAMED = [
    "answers.md",
    "Answers.MD",
    "answers (1).md",
    "answers.md.txt",
    "answers.txt",
    "answers - Copy.md",
    "my answers.md",
    "ada_answers_final.md",
]
PLACED = ["", "assignments/02-tiled/", "02-tiled/", "work/tilelab-0.1.0/assignments/02-tiled/", "docs/"]


@pytest.mark.parametrize("name", NAMED)
def test_answers_are_taken_under_every_name_that_browsers_and_people_give_them(name: str, tmp_path: Path) -> None:
    found = taken(tmp_path, {TILED: CODE, name: GOOD})
    assert found.answers[TILED].text == filled()
    assert (found.answers[TILED].trouble, NAIVE in found.answers) == ("", False)


@pytest.mark.parametrize("folder", PLACED)
def test_answers_are_taken_wherever_they_lie(folder: str, tmp_path: Path) -> None:
    found = taken(tmp_path, {f"{folder}{TILED}": CODE, f"{folder}answers.md": GOOD})
    assert found.answers[TILED].text == filled()
    assert found.sources[TILED].read_bytes() == CODE


@pytest.mark.parametrize("pack", [zip_bytes, tar_bytes])
def test_answers_are_taken_from_archives(pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path) -> None:
    put(tmp_path / "class" / "bob" / TILED, CODE)
    suffix = "zip" if pack is zip_bytes else "tar.gz"
    put(tmp_path / "class" / f"ada.{suffix}", pack({f"x/{TILED}": CODE, "x/answers.md": GOOD}))
    (tmp_path / "scratch").mkdir()
    found = discover(tmp_path / "class", tmp_path / "scratch", LABS)
    assert next(one for one in found.students if one.submission.id == "ada").answers[TILED].text == filled()


ENCODED = {
    "a mark of UTF-8": b"\xef\xbb\xbf" + GOOD,
    "UTF-16": filled().encode("utf-16"),
    "UTF-16 without a mark": filled().encode("utf-16-le"),
    "the lines of Windows": filled().replace("\n", "\r\n").encode(),
    "the lines of an old Mac": filled().replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_answers_are_read_in_every_encoding_of_an_editor(encoding: str, tmp_path: Path) -> None:
    assert taken(tmp_path, {TILED: CODE, "answers.md": ENCODED[encoding]}).answers[TILED].text == filled()


BROKEN = {
    "a binary": b"\0" * 5_000,
    "a document": b"PK\x03\x04" + b"x" * 100,
    "much too much": b"words " * 200_000,
    "one line without an end": b"x" * 3_000_000,
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_told_and_the_code_is_taken_all_the_same(what: str, tmp_path: Path) -> None:
    found = taken(tmp_path, {TILED: CODE, "02-tiled/answers.md": BROKEN[what]})
    assert found.sources[TILED].read_bytes() == CODE
    assert found.answers[TILED].trouble.startswith("answers.md is ")
    assert (found.submission.refused, found.blocked) == (None, {})


def test_a_link_a_folder_or_nothing_in_its_place_loses_nobody_the_code(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.md", GOOD)
    put(tmp_path / "class" / "ada" / TILED, CODE)
    (tmp_path / "class" / "ada" / "answers.md").symlink_to(secret)
    found = taken(tmp_path, {"answers.txt/answers.md/x": b"1"})
    assert found.sources[TILED].read_bytes() == CODE
    assert found.answers == {}


def test_a_bomb_of_a_hundred_mebibytes_is_cut_and_told(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(TILED, CODE)
        archive.writestr("answers.md", b"a" * (20 << 20))
    put(tmp_path / "class" / "ada.zip", buffer.getvalue())
    found = taken(tmp_path, {})
    assert found.sources[TILED].read_bytes() == CODE
    assert not found.answers or "larger" in found.answers[TILED].trouble


def test_each_lab_gets_its_own_answers_whatever_the_files_are_called(tmp_path: Path) -> None:
    found = taken(tmp_path, {TILED: CODE, NAIVE: CODE, "answers.md": OTHER, "answers (1).md": GOOD})
    assert found.answers[TILED].text == filled()
    assert found.answers[NAIVE].text == OTHER.decode()


def test_answers_in_another_labs_folder_are_taken_for_the_lab_whose_questions_they_hold(tmp_path: Path) -> None:
    found = taken(
        tmp_path, {"assignments/02-tiled/x.txt": b"", TILED: CODE, "assignments/03-boundary/answers.md": GOOD}
    )
    assert found.answers[TILED].text == filled()
    assert "taken for that lab" in found.answers[TILED].notices[0]
    assert NAIVE not in found.answers


def test_an_untouched_form_counts_for_nothing_beside_one_that_was_filled_in(tmp_path: Path) -> None:
    form = answer_form(lab()).encode()
    found = taken(tmp_path, {TILED: CODE, "assignments/02-tiled/answers.md": form, "answers.md": GOOD})
    assert found.answers[TILED].text == filled()
    assert any("2 files with answers" in one for one in found.answers[TILED].notices)


def test_copies_in_folders_of_older_work_count_for_nothing(tmp_path: Path) -> None:
    old = filled().replace("17", "16").encode()
    assert taken(tmp_path, {TILED: CODE, "answers.md": GOOD, "old/answers.md": old}).answers[TILED].text == filled()


def test_nobodys_answers_are_told_and_those_of_a_lab_that_is_not_asked_for_are_not(tmp_path: Path) -> None:
    other = b"# Answers: 09-convolution\n## Question 1\nwords"
    found = taken(tmp_path, {TILED: CODE, "answers.md": b"17, I think", "assignments/09-convolution/answers.md": other})
    assert found.answers == {}
    assert [one for one in found.submission.notices if "not clear for which lab" in one] != []
    assert not any("09-convolution" in one for one in found.submission.notices)


def test_answers_alone_are_a_submission_and_their_lab_is_missing(tmp_path: Path) -> None:
    found = taken(tmp_path, {"answers.md": GOOD})
    assert (found.sources, found.submission.refused) == ({}, None)
    assert found.answers[TILED].text == filled()


def test_many_files_with_answers_are_read_in_bounds(tmp_path: Path) -> None:
    found = taken(tmp_path, {TILED: CODE} | {f"n{number}/answers.md": GOOD for number in range(100)})
    assert found.answers[TILED].text == filled()


# Autolab takes one file: there, answers are in the archive with the code.
SEVERAL_FILES = [
    one for one, sample in SAMPLES.items() if one != "Autolab" and any("matmul_naive" in path for path in sample.make())
]


def with_answers(tree: Tree) -> Tree:
    """Beside each file of a student, the answers, under the name that the platform gives them."""
    more = {}
    for path in tree:
        if path.endswith(".cu") and "matmul_naive" in path:
            head, _, _ = path.rpartition("matmul_naive")
            more[f"{head}answers.md"] = GOOD
    return tree | more


@pytest.mark.parametrize("name", SEVERAL_FILES)
def test_no_platforms_download_becomes_unclear_by_answers(name: str, tmp_path: Path) -> None:
    sample: Sample = SAMPLES[name]
    labs = [LabFile(NAIVE, "02-tiled", questions=lab()), LabFile(TILED, "03-boundary", questions=other_lab())]
    (tmp_path / "scratch").mkdir()
    source = put(tmp_path / "download.zip", zip_bytes(with_answers(sample.make())))
    found = discover(source, tmp_path / "scratch", labs)
    assert len(found.students) == len(CLASS)
    assert all(NAIVE in one.sources for one in found.students)
    assert [one.submission.id for one in found.students if one.submission.refused] == []
    assert all(one.answers[NAIVE].text == filled() for one in found.students if one.answers)
    assert any(one.answers for one in found.students), name
