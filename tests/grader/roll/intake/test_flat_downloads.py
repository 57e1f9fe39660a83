"""A download in which the files of all students lie side by side, as Canvas, Blackboard and Moodle make them: each student's files are
found, and no name that a student chooses takes another's place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, WANTED, put, take, tar_bytes, zip_bytes

from grader.roll.intake.intake import discover
from grader.roll.intake.matching import LabFile
from grader.roll.intake.upload_search import IntakeError

OTHER = b"__global__ void other() {}\n"
CANVAS = {
    f"doejohn_1001_90001_{NAIVE}": TEXT,
    f"doejohn_1001_90002_{TILED}": TEXT,
    f"smithanna_LATE_1002_90003_{NAIVE}": TEXT,
    "obrien-muellermaria_1003_90004_matmul_naive-2.cu": TEXT,  # handed in again
    "wulei_1004_90005_lab.zip": zip_bytes({NAIVE: TEXT, TILED: TEXT}),
    "zoe_1005_90006_notes.txt": b"sorry",
}
CANVAS_TAKEN = {
    "doejohn-1001": [NAIVE, TILED], "smithanna-1002": [NAIVE], "obrien-muellermaria-1003": [NAIVE],
    "wulei-1004": [NAIVE, TILED], "zoe-1005": [],
}  # fmt: skip
BLACKBOARD = {
    "Lab 2_ tiles_jdoe_attempt_2026-11-20-10-11-12.txt": b"Name: John Doe (jdoe)",
    f"Lab 2_ tiles_jdoe_attempt_2026-11-20-10-11-12_{NAIVE}": OTHER,
    "Lab 2_ tiles_jdoe_attempt_2026-11-21-09-00-00.txt": b"Name: John Doe (jdoe)",
    f"Lab 2_ tiles_jdoe_attempt_2026-11-21-09-00-00_{NAIVE}": TEXT,
    f"Lab 2_ tiles_anna_smith_attempt_2026-11-20-10-11-13_{TILED}": TEXT,
    f"Lab 2_ tiles_ben_smith_attempt_2026-11-20-10-11-13_{NAIVE}": TEXT,
}
BLACKBOARD_TAKEN = {"jdoe": [NAIVE], "anna_smith": [TILED], "ben_smith": [NAIVE]}
MOODLE = {
    f"Ada Lovelace_700001_assignsubmission_file_{NAIVE}": TEXT,
    "Ada Lovelace_700001_assignsubmission_onlinetext_onlinetext.html": b"<p>see the file</p>",
    f"Grace Hopper_700002_assignsubmission_file_{TILED}": TEXT,
    "Alan Turing_700003_assignsubmission_file_lab.tar.gz": tar_bytes({TILED: TEXT}),
}
MOODLE_TAKEN = {"Ada-Lovelace-700001": [NAIVE], "Grace-Hopper-700002": [TILED], "Alan-Turing-700003": [TILED]}
DOWNLOADS = pytest.mark.parametrize(
    ("files", "taken", "said"),
    [
        (CANVAS, CANVAS_TAKEN, "Canvas export, 5 students"),
        (
            BLACKBOARD,
            BLACKBOARD_TAKEN,
            "Blackboard export, 3 students, up to 2 attempts of each",
        ),
        (MOODLE, MOODLE_TAKEN, "Moodle export, 3 students"),
    ],
    ids=["Canvas", "Blackboard", "Moodle"],
)


def as_folder(files: dict[str, bytes], where: Path) -> Path:
    for name, data in files.items():
        put(where / "download" / name, data)
    return where / "download"


def as_zip(files: dict[str, bytes], where: Path) -> Path:
    return put(where / "submissions.zip", zip_bytes(files))


def as_folder_in_a_folder(files: dict[str, bytes], where: Path) -> Path:
    for name, data in files.items():
        put(where / "outer" / "submissions" / name, data)
    return where / "outer"


def as_zip_of_a_folder(files: dict[str, bytes], where: Path) -> Path:
    return put(where / "submissions.zip", zip_bytes({f"submissions/{name}": data for name, data in files.items()}))


def as_zip_in_a_folder(files: dict[str, bytes], where: Path) -> Path:
    put(where / "outer" / "submissions.zip", zip_bytes(files))
    return where / "outer"


@DOWNLOADS
@pytest.mark.parametrize(
    "lay_out", [as_folder, as_zip, as_folder_in_a_folder, as_zip_of_a_folder, as_zip_in_a_folder], ids=lambda one: one.__name__
)  # fmt: skip
def test_every_students_files_are_found_however_the_download_lies(
    files: dict[str, bytes],
    taken: dict[str, list[str]],
    said: str,
    lay_out: Callable[[dict[str, bytes], Path], Path],
    tmp_path: Path,
) -> None:
    (tmp_path / "scratch").mkdir()
    found = discover(lay_out(files, tmp_path), tmp_path / "scratch", WANTED)
    assert {one.submission.id: sorted(one.sources) for one in found.students} == taken
    assert said in found.notices
    assert all(path.read_bytes() == TEXT for one in found.students for path in one.sources.values())
    assert not any(one.submission.refused for one in found.students)


def test_the_student_is_told_which_attempt_counts(tmp_path: Path) -> None:
    john = take(as_folder(BLACKBOARD, tmp_path), tmp_path)["jdoe"]
    assert john.submission.attempt == "2 of 2"
    assert john.submission.at.startswith("2026-11-21T09:00:00")
    assert [sorted(one.sources) for one in john.attempts] == [[NAIVE], [NAIVE]]


@pytest.mark.parametrize(
    "name",
    [
        f"Eve_700001_assignsubmission_file_700009_assignsubmission_file_{NAIVE}",
        f"Eve_700009_assignsubmission_file_x_700001_assignsubmission_file_{NAIVE}",
        f"Lab_eve_attempt_2026-11-20-10-11-12_x_jdoe_attempt_2026-12-31-00-00-00_{NAIVE}",
    ],
)
def test_a_name_that_can_be_read_in_two_ways_is_nobodys(name: str, tmp_path: Path) -> None:
    others = (
        MOODLE
        if "assignsubmission" in name
        else {f"Lab_{one}_attempt_2026-11-20-10-11-12_{NAIVE}": TEXT for one in ("jdoe", "anna")}
    )
    (tmp_path / "scratch").mkdir()
    found = discover(as_folder({**others, name: OTHER}, tmp_path), tmp_path / "scratch", WANTED)
    assert all(path.read_bytes() == TEXT for one in found.students for path in one.sources.values())
    assert any("can be read in two ways" in one and "eve" in one.casefold() for one in found.notices)


def test_a_file_name_like_another_students_stays_with_its_own(tmp_path: Path) -> None:
    files = {f"doejohn_1001_90001_{NAIVE}": TEXT, f"eve_1666_90009_doejohn_1001_90001_{NAIVE}": OTHER}
    students = take(as_folder(files, tmp_path), tmp_path)
    assert {name: sorted(one.sources) for name, one in students.items()} == {"doejohn-1001": [NAIVE], "eve-1666": []}


def test_of_a_file_that_canvas_numbers_the_one_uploaded_last_counts(tmp_path: Path) -> None:
    files = {
        f"doejohn_1001_90001_{NAIVE}": OTHER,
        "doejohn_1001_100000_matmul_naive-1.cu": TEXT,
        f"zoe_1_2_{NAIVE}": TEXT,
    }
    john = take(as_folder(files, tmp_path), tmp_path)["doejohn-1001"]
    assert john.sources[NAIVE].read_bytes() == TEXT
    assert john.submission.notices == (f"{NAIVE} was handed in several times: the last one counts",)


def test_the_instructors_own_notes_are_ignored_and_said(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    notes = {"rubric.pdf": b"x", "index.html": b"<p>", "grades.csv": b""}
    found = discover(as_folder({**CANVAS, **notes}, tmp_path), tmp_path / "scratch", WANTED)
    assert len(found.students) == 5
    assert "ignored what is neither a folder nor an archive: grades.csv, rubric.pdf" in found.notices


@pytest.mark.parametrize(
    "other", [f"late by mail {NAIVE}", "anna.zip", f"Eve/{NAIVE}", "Eve Doe_7_assignsubmission_file_matmul_naive.cu"]
)
def test_what_may_be_a_students_and_no_platforms_is_never_passed_over(other: str, tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match=r"download from Canvas, but it is not clear whose this is: '(late|anna|Eve)"):
        take(as_folder({**CANVAS, other: TEXT}, tmp_path), tmp_path)


def test_a_folder_of_notes_is_no_class(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="no folder or archive of a student"):
        take(as_folder({"notes 2026.pdf": b"x"}, tmp_path), tmp_path)


@pytest.mark.parametrize("lay_out", [as_folder_in_a_folder, as_zip_of_a_folder])
def test_a_class_whose_names_no_platform_makes_never_becomes_one_student(
    lay_out: Callable[[dict[str, bytes], Path], Path], tmp_path: Path
) -> None:
    files = {f"{name} {NAIVE}": TEXT for name in ("anna", "ben", "carla")}
    with pytest.raises(IntakeError, match="a class whose files all lie side by side, such as 'anna"):
        take(lay_out(files, tmp_path), tmp_path)


AT = "2026-11-20-10-11-12"
RECEIPTS = {
    "German": ("Name:", "Aufgabe:", "\u00dcbermittlungsfeld:", "Kommentare:", "Dateien:", "Urspr\u00fcnglicher Dateiname:", "Dateiname:"),
    "French": ("Nom :", "Devoir :", "Champ :", "Commentaires :", "Fichiers :", "Nom de fichier d'origine :", "Nom de fichier :"),
    "Chinese": (
        "\u59d3\u540d\uff1a", "\u4f5c\u4e1a\uff1a", "\u63d0\u4ea4\uff1a", "\u6ce8\u91ca\uff1a", "\u6587\u4ef6\uff1a",
        "\u539f\u540d\uff1a", "\u540d\uff1a",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", RECEIPTS)
def test_blackboards_receipts_are_read_in_the_language_of_the_site(language: str, tmp_path: Path) -> None:
    """One student's file has a name that Blackboard cut, the other one has typed the code."""
    name, lab, typed, comments, files, original, archived = RECEIPTS[language]
    code = "default:\n__global__ void matmul_naive() {}\n\npublic:"
    cut = f"Lab_x_a_da_attempt_{AT}_matmul_n.cu"
    ada = [
        f"{name} Ada L (a_da)",
        f"{lab} Lab x",
        "",
        typed,
        "",
        comments,
        "-",
        "",
        files,
        f"\t{original} {NAIVE}",
        f"\t{archived} {cut}",
    ]
    bob = [f"{name} Bob (b_ob)", f"{lab} Lab x", "", typed, code, "", comments, "none", ""]
    tree = {
        f"Lab_x_a_da_attempt_{AT}.txt": "\n".join(ada).encode(),
        cut: b"int ada;\n",
        f"Lab_x_b_ob_attempt_{AT}.txt": "\n".join(bob).encode(),
    }
    (tmp_path / "scratch").mkdir()
    wanted = [LabFile(NAIVE, "01-naive", ("matmul_naive",))]
    found = {
        one.submission.student.login: one
        for one in discover(as_folder(tree, tmp_path), tmp_path / "scratch", wanted).students
    }
    assert [(one, found[one].submission.student.name) for one in found] == [("a_da", "Ada L"), ("b_ob", "Bob")]
    assert found["a_da"].sources[NAIVE].read_bytes() == b"int ada;\n"
    assert found["b_ob"].sources[NAIVE].read_bytes().decode().strip() == code


@pytest.mark.parametrize("archives_left", [False, True])
@pytest.mark.parametrize(
    "heads",
    [
        ("lovelaceada_1001_90001_hw1", "turingalan_LATE_1002_90002_hw1", "noycebob_1003_90003_hw"),
        tuple(f"Lab 2_{one}_attempt_{AT}_hw" for one in ("ada", "alan", "bob")),
        tuple(f"Lab 2_{one}_attempt_{AT}" for one in ("ada", "alan", "bob")),
    ],
    ids=["Canvas", "Blackboard", "Blackboard, attempts"],
)
def test_students_archives_that_somebody_has_unpacked_are_still_theirs(
    heads: tuple[str, ...], archives_left: bool, tmp_path: Path
) -> None:
    tree = {f"{head}/code/{NAIVE}": head.encode() for head in heads}
    if archives_left and heads[0].endswith("hw1"):
        tree[f"{heads[0]}.zip"] = zip_bytes({NAIVE: b"as it was packed"})
    (tmp_path / "scratch").mkdir()
    found = discover(as_folder(tree, tmp_path), tmp_path / "scratch", WANTED)
    assert found.notices[0].endswith("export, 3 students")
    assert sorted(one.sources[NAIVE].read_bytes().decode() for one in found.students) == sorted(heads)
    assert all(one.submission.student.login or one.submission.student.platform_ids for one in found.students)


@pytest.mark.parametrize(
    "names",
    [
        ("lab_2_2026_ada", "lab_2_2026_bob"),
        ("group_01_20261101_lab", "group_02_20261108_lab"),
        ("ada_01_2026_lab", "bob_02_2026_lab"),
    ],
)
def test_folders_that_are_only_called_a_little_like_canvass_are_students(
    names: tuple[str, str], tmp_path: Path
) -> None:
    tree = {f"{name}/{NAIVE}": name.encode() for name in names}
    (tmp_path / "scratch").mkdir()
    found = discover(as_folder(tree, tmp_path), tmp_path / "scratch", WANTED)
    assert [one.submission.name for one in found.students] == list(names)
