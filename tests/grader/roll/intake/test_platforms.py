"""What each platform lets an instructor download goes in as it is: all students, under their own names, with their last attempt."""

from __future__ import annotations

from pathlib import Path

import pytest
from platform_samples import CLASS, SAMPLES, Sample, SampleStudent, Tree, zips_in_a_zip
from upload_files import NAIVE, TEXT, TILED, WANTED, handed_in, put, tar_bytes, zip_bytes

from grader.model.result import Student
from grader.roll.intake.intake import Discovery, Intake, discover
from grader.roll.intake.matching import LabFile
from grader.roll.intake.upload_search import IntakeError

LABS = [LabFile(NAIVE, "01-naive", ("matmul_naive",)), LabFile(TILED, "02-tiled", ("matmul_tiled",))]
ONE_LAB = [LabFile(NAIVE, "01-naive")]


def given(tree: Tree, where: Path, form: str) -> Path:
    """As a browser stores it, as it is unpacked, and in a folder beside notes."""
    if form == "zip":
        return put(where / "download.zip", zip_bytes(tree))
    if form == "tar in a folder":
        return put(where / "outer" / "download.tar.gz", tar_bytes(tree)).parent
    for path, data in tree.items():
        put(where / "folder" / "inner" / path, data)
    return where / "folder"


def keys_of(student: Student) -> set[str]:
    return {student.login, student.number, student.email, *student.platform_ids.values()}


def found_of(found: Discovery, sample: Sample, one: SampleStudent) -> Intake:
    key = sample.key(one)
    (student,) = (
        each for each in found.students if key in keys_of(each.submission.student) or key == each.submission.name
    )
    return student


@pytest.mark.parametrize("form", ["zip", "folder", "tar in a folder"])
@pytest.mark.parametrize("name", list(SAMPLES))
def test_a_download_goes_in_as_it_is(name: str, form: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    wanted = ONE_LAB if sample.make.__name__ == "moodle_typed" else LABS
    (tmp_path / "scratch").mkdir()
    found = discover(given(sample.make(), tmp_path, form), tmp_path / "scratch", wanted)
    assert any(one.startswith(sample.said) for one in found.notices), found.notices
    assert len(found.students) == len(CLASS)
    for one in CLASS:
        student = found_of(found, sample, one)
        team = name == "Gradescope" and one.number == 2
        owner = CLASS[0] if team else one
        assert student.sources[NAIVE].read_bytes() == owner.last
        assert student.submission.refused is None
        if "names" in sample.told:
            assert student.submission.student.name == one.name
        if "attempts" in sample.told:
            many = owner.attempts
            assert student.submission.attempt == (f"{many} of {many}" if many > 1 else "")
        if "times" in sample.told:
            came = handed_in(student, NAIVE)
            assert came is not None
            assert came.replace(tzinfo=None, second=0, microsecond=0) == owner.time(owner.attempts).replace(
                tzinfo=None, second=0
            )
    assert len({one.submission.id for one in found.students}) == len(CLASS)


def test_canvas_marks_who_was_late(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    for mark in ("LATE", "late"):
        tree = {path.replace("LATE", mark): data for path, data in SAMPLES["Canvas"].make().items()}
        found = discover(given(tree, tmp_path / mark, "zip"), tmp_path / "scratch" / mark, WANTED)
        late = {one.submission.student.platform_ids["Canvas"] for one in found.students if one.attempts[0].late}
        assert late == {"1003", "1007"}
        assert "2 of them are marked as late by Canvas" in found.notices


def test_each_lab_of_prairielearn_has_attempts_of_its_own(tmp_path: Path) -> None:
    found = discover(given(SAMPLES["PrairieLearn"].make(), tmp_path, "zip"), tmp_path / "scratch", WANTED)
    ada = found_of(found, SAMPLES["PrairieLearn"], CLASS[0])
    assert (ada.sources[NAIVE].read_bytes(), ada.sources[TILED].read_bytes()) == (
        CLASS[0].last,
        CLASS[0].file(1, TILED),
    )


def test_archives_in_archives_are_opened(tmp_path: Path) -> None:
    found = discover(given(zips_in_a_zip(), tmp_path, "zip"), tmp_path / "scratch", WANTED)
    assert [one.sources[NAIVE].read_bytes() for one in found.students] == [one.last for one in CLASS]


def test_code_in_a_text_field_goes_to_the_lab_whose_function_it_defines(tmp_path: Path) -> None:
    page = "<p>&nbsp;#include &lt;x.h&gt;</p><pre>__global__ void matmul_tiled(float *a) {\n  a[0] = 1 &lt; 2;\n}</pre>"
    tree = {
        "Ada_1_assignsubmission_onlinetext/onlinetext.html": page.encode(),
        f"Ada_1_assignsubmission_file/{NAIVE}": b"int a;\n",
        "Ben_2_assignsubmission_onlinetext/onlinetext.html": b"<p>please see my e-mail</p>",
        "Cid_3_assignsubmission_onlinetext/onlinetext.html": b"<p>__global__ void other() {}</p>",
        f"Dee_4_assignsubmission_file/{TILED}": b"int file;\n",
        "Dee_4_assignsubmission_onlinetext/onlinetext.html": page.encode(),
    }
    found = discover(given(tree, tmp_path, "zip"), tmp_path / "scratch", LABS)
    ada, ben, cid, dee = found.students
    assert (
        ada.sources[TILED].read_bytes()
        == b" #include <x.h>\n__global__ void matmul_tiled(float *a) {\n  a[0] = 1 < 2;\n}\n"
    )
    assert ada.sources[NAIVE].read_bytes() == b"int a;\n"
    assert (ben.sources, cid.sources) == ({}, {})
    assert any("not clear for which lab" in one for one in cid.submission.notices)
    assert dee.sources[TILED].read_bytes() == b"int file;\n"


def test_several_downloads_are_one_class_and_files_of_one_student_are_put_together(tmp_path: Path) -> None:
    def canvas(file: str, *ids: int) -> bytes:
        return zip_bytes({f"name{one}_{one}_9{one}_{file}": f"{file} {one}".encode() for one in ids})

    first = put(tmp_path / "term" / "week 1.zip", canvas(NAIVE, 1, 2))
    second = put(tmp_path / "term" / "week 2.zip", canvas(TILED, 2, 3))
    found = discover([first, second], tmp_path / "scratch", WANTED)
    assert {one.submission.id: sorted(one.sources) for one in found.students} == {
        "name1-1": [NAIVE], "name2-2": [NAIVE, TILED], "name3-3": [TILED],
    }  # fmt: skip
    assert found.notices[:2] == ("week 1.zip: Canvas export, 2 students", "week 2.zip: Canvas export, 2 students")
    both = discover(tmp_path / "term", tmp_path / "more scratch", WANTED)  # the folder with the two
    assert {one.submission.id: sorted(one.sources) for one in both.students} == {
        one.submission.id: sorted(one.sources) for one in found.students
    }


def test_folders_of_the_same_name_in_several_sources_are_one_student(tmp_path: Path) -> None:
    for week, file in (("week 1", NAIVE), ("week 2", TILED)):
        for name in ("anna", "ben"):
            put(tmp_path / week / name / file, f"{week} {name}".encode())
    put(tmp_path / "week 2" / "carla" / TILED)
    found = discover([tmp_path / "week 1", tmp_path / "week 2"], tmp_path / "scratch", WANTED)
    assert {one.submission.id: sorted(one.sources) for one in found.students} == {
        "anna": [NAIVE, TILED], "ben": [NAIVE, TILED], "carla": [TILED],
    }  # fmt: skip


def test_downloads_of_a_class_among_students_are_never_students(tmp_path: Path) -> None:
    canvas = zip_bytes({f"name{one}_{one}_9{one}_{NAIVE}": b"x" for one in range(3)})
    put(tmp_path / "in" / "week 1.zip", canvas)
    for one in ("anna", "ben", "carla"):
        put(tmp_path / "in" / one / NAIVE)
    found = discover(tmp_path / "in", tmp_path / "scratch", WANTED)
    (week,) = (one for one in found.students if one.submission.name == "week 1")
    assert "download of a whole class (Canvas)" in (week.submission.refused or "")
    put(tmp_path / "in" / "week 2.zip", canvas)
    put(tmp_path / "in" / "week 3.zip", canvas)
    put(tmp_path / "in" / "week 4.zip", canvas)
    with pytest.raises(IntakeError, match=r"some of what is there are downloads of a whole class \('week 1\.zip'"):
        discover(tmp_path / "in", tmp_path / "scratch 2", WANTED)


def test_a_download_beside_what_a_few_sent_by_mail_is_no_student_without_points(tmp_path: Path) -> None:
    put(tmp_path / "in" / "week 1.zip", zip_bytes({f"name{one}_{one}_9{one}_{NAIVE}": b"x" for one in range(3)}))
    put(tmp_path / "in" / "ben.zip", zip_bytes({NAIVE: TEXT}))
    with pytest.raises(IntakeError, match=r"give all of them: tilelab grade '.*week 1\.zip' OTHERS"):
        discover(tmp_path / "in", tmp_path / "scratch", WANTED)
    put(tmp_path / "mailed" / "ben.zip", (tmp_path / "in" / "ben.zip").read_bytes())
    found = discover([tmp_path / "in" / "week 1.zip", tmp_path / "mailed"], tmp_path / "scratch 2", WANTED)
    assert len(found.students) == 4


def test_clones_of_several_assignments_are_one_class(tmp_path: Path) -> None:
    for lab, file in (("lab-1", NAIVE), ("lab-2", TILED)):
        for account in ("ada", "ben-x"):
            put(tmp_path / "in" / f"{lab}-submissions" / f"{lab}-{account}" / "src" / file)
            put(tmp_path / "in" / f"{lab}-submissions" / f"{lab}-{account}" / ".git" / "config")
    found = discover(tmp_path / "in", tmp_path / "scratch", WANTED)
    assert {one.submission.student.platform_ids["GitHub Classroom"]: sorted(one.sources) for one in found.students} == {
        "ada": [NAIVE, TILED], "ben-x": [NAIVE, TILED],
    }  # fmt: skip


@pytest.mark.parametrize(
    "tree",
    [
        {f"assignments/01-naive/{NAIVE}": b"x", f"assignments/02-tiled/{TILED}": b"x", "Makefile": b""},
        {f"01-naive/{NAIVE}": b"x", f"02-tiled/{TILED}": b"x"},
        {f"src/{NAIVE}": b"x", "build/x.o": b"", "Makefile": b""},
        {NAIVE: b"x", TILED: b"x"},
    ],
)
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_one_students_own_folder_is_no_class(tree: Tree, form: str, tmp_path: Path) -> None:
    source = put(tmp_path / "hw.zip", zip_bytes(tree)) if form == "zip" else tmp_path / "hw"
    for path, data in tree.items():
        put(tmp_path / "hw" / path, data)
    with pytest.raises(IntakeError, match="looks like the submission of one student"):
        discover(source, tmp_path / "scratch", LABS)


def test_the_clone_of_the_template_is_no_student(tmp_path: Path) -> None:
    tree = {f"lab-1-submissions/{one}/{NAIVE}": one.encode() for one in ("lab-1", "lab-1-ada", "lab-1-ben")}
    found = discover(put(tmp_path / "clones.zip", zip_bytes(tree)), tmp_path / "scratch", WANTED)
    assert [one.submission.id for one in found.students] == ["ada", "ben"]
    assert any("'lab-1' is the assignment's own repository" in one for one in found.notices)
