"""Zips of pages, held against how Moodle and Canvas read the names of files in them."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC

import pytest
from export_class import ADA, contents, export, make_result, right_lab, small_class

from grader.model.result import Result, Student
from grader.roll.intake.upload import Contents, Stored
from grader.roll.platforms.download_names import ClassFiles, Top
from grader.roll.platforms.recognition import recognised


def names(name: str, *more: Result) -> list[str]:
    made = export(name, [*small_class(), *more])
    with zipfile.ZipFile(io.BytesIO(contents(made.files[0]))) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def found_ids(name: str) -> list[dict[str, str]]:
    """As intake finds them, whose files these are."""
    tops = [path.split("/", 1) for path in names(name)]
    stored = {top: Top(top, Contents((Stored(tuple(rest), 1),)), is_folder=bool(rest)) for top, *rest in tops}
    found = recognised(ClassFiles("download", stored, frozenset(), UTC))
    assert found is not None
    ids = [owner.platform_ids for one in found.uploads for owner in one.owners]
    return sorted(ids, key=lambda one: sorted(one.values()))


def moodle_participant(path: str) -> tuple[int, str] | None:
    """The participant and the file's name, as mod/assign/feedback/file/importziplib.php finds them."""
    parts = path.split("/")
    if parts[-1].startswith((".", "~")):
        return None
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) < 4 or not info[1].isdigit() or info[2:4] != ["assignsubmission", "file"]:
            continue
        return int(info[1]), "/".join([info[4] if len(info) > 4 else "", *parts])
    return None


def canvas_attachment(path: str) -> list[str]:
    """The user's and the attachment's number, as Canvas's infer_comment_context_from_filename finds them."""
    parts = path.rpartition("/")[2].split("_")
    return [] if parts[-1].startswith("link") else [one for one in parts if re.fullmatch(r"\d+", one)][:2]


def test_moodle_finds_each_student_and_one_report() -> None:
    found = [moodle_participant(one) for one in names("moodle-feedback")]
    assert found == [(number, "/report.html") for number in (700001, 700002, 700003, 700004)]


def test_canvas_finds_the_file_that_each_student_handed_in() -> None:
    assert [canvas_attachment(one) for one in names("canvas-feedback")] == [
        ["101", "9001"],
        ["102", "9002"],
        ["103", "9003"],
    ]


@pytest.mark.parametrize(
    "hostile", ["../../etc/_1_assignsubmission_file_", "..", "a_5_b", "a/b\\c:d", "\u202egnp.exe", "~x", ""]
)
def test_no_name_of_a_student_leads_elsewhere(hostile: str) -> None:
    eve = make_result("eve", Student(name=hostile, platform_ids={"Moodle": "666"}), right_lab())
    last = names("moodle-feedback", eve)[-1]
    assert moodle_participant(last) == (666, "/report.html")
    assert last.count("/") == 1
    assert ".." not in last
    assert last.isprintable()


def test_a_name_in_any_script_has_its_page_in_canvas() -> None:
    lee = make_result("lee", ADA, right_lab(), downloaded=("李小龙_105_9005_k.cu",))
    last = names("canvas-feedback", lee)[-1]
    assert (last, canvas_attachment(last)) == ("李小龙_105_9005_report.html", ["105", "9005"])


def test_a_name_that_canvas_does_not_write_is_not_used() -> None:
    eve = make_result(
        "eve", ADA, right_lab(), downloaded=("../x_1_2_k.cu", "k.cu", "a_b_c_1_2.cu", "a\ud800_1_2_k.cu", ".a_1_2_k")
    )
    assert len(names("canvas-feedback", eve)) == 3
    assert [
        one for one in export("canvas-feedback", [eve]).notices if "(eve)" in one and "Canvas's own download" in one
    ]


def test_who_gets_no_page_is_told() -> None:
    nobody = make_result("folder", Student(), right_lab())
    assert "1 student: no page in this zip" in export("moodle-feedback", [nobody]).notices[0]
    assert "handed in nothing" in export("canvas-feedback", small_class()).notices[0]
    pageless = export("moodle-feedback", small_class(), pages={"ada": b"a page"})
    assert "(alan, zoe, anna)" in pageless.notices[0]
    assert "missing in OUT" in pageless.notices[0]


def test_a_team_that_shares_a_file_in_canvas_has_one_page_there() -> None:
    first = small_class()[0]
    mate = make_result("mate", Student(name="Mate"), right_lab(), downloaded=first.submission.downloaded)
    assert len(names("canvas-feedback", mate)) == 3
    assert [one for one in export("canvas-feedback", [first, mate]).notices if "(mate)" in one and "a team's" in one]


def test_our_own_intake_finds_the_same_students_in_these_names() -> None:
    assert found_ids("canvas-feedback") == [{"Canvas": str(number)} for number in (101, 102, 103)]
    assert found_ids("moodle-feedback") == [{"Moodle": f"70000{number}"} for number in (1, 2, 3, 4)]


def test_the_same_pages_make_the_same_bytes() -> None:
    assert export("moodle-feedback", small_class()) == export("moodle-feedback", small_class())


def test_each_student_gets_the_own_page() -> None:
    data = contents(export("canvas-feedback", small_class()).files[0])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("turingalan_LATE_102_9002_report.html") == b"page of alan"
