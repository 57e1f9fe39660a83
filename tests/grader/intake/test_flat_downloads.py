"""A download in which the files of all students lie side by side, as Canvas, Blackboard and Moodle make them: each student's files are
found, and no name that a student chooses takes another's place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, WANTED, put, take, tar_bytes, zip_bytes

from grader.intake.intake import IntakeError, discover
from grader.intake.platform_names import flat_download, platform_name

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
        (CANVAS, CANVAS_TAKEN, "Canvas download, 5 students"),
        (
            BLACKBOARD,
            BLACKBOARD_TAKEN,
            "Blackboard download, 3 students, 1 of them with several attempts: the last one counts",
        ),
        (MOODLE, MOODLE_TAKEN, "Moodle download, 3 students"),
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
    assert john.submission.notices == ("the last of 2 attempts: 2026-11-21-09-00-00",)


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


def test_the_same_file_twice_in_one_attempt_is_refused(tmp_path: Path) -> None:
    files = {
        f"doejohn_1001_90001_{NAIVE}": TEXT,
        "doejohn_1001_90002_matmul_naive-1.cu": OTHER,
        f"zoe_1_2_{NAIVE}": TEXT,
    }
    assert take(as_folder(files, tmp_path), tmp_path)["doejohn-1001"].submission.refused


def test_one_file_of_another_form_makes_it_no_download(tmp_path: Path) -> None:
    assert flat_download([*CANVAS, "readme.pdf"], WANTED) is None
    assert flat_download([*CANVAS, "index.html"], WANTED) is not None
    assert flat_download([*CANVAS, *MOODLE], WANTED) is None
    assert platform_name(NAIVE) is None
    with pytest.raises(IntakeError, match="no folder or archive of a student"):
        take(as_folder({"notes 2026.pdf": b"x"}, tmp_path), tmp_path)


@pytest.mark.parametrize("lay_out", [as_folder_in_a_folder, as_zip_of_a_folder])
def test_a_class_whose_names_no_platform_makes_never_becomes_one_student(
    lay_out: Callable[[dict[str, bytes], Path], Path], tmp_path: Path
) -> None:
    files = {f"{name} {NAIVE}": TEXT for name in ("anna", "ben", "carla")}
    with pytest.raises(IntakeError, match="a class whose files all lie side by side, such as 'anna"):
        take(lay_out(files, tmp_path), tmp_path)
