"""Intake takes the files of real uploads, however they were packed and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, put, take, take_one, tar_bytes, zip_bytes


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "sub missions"
    folder.mkdir()
    return folder


def test_takes_folders_zips_and_tars_side_by_side(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / NAIVE)
    put(source / "ben.zip", zip_bytes({NAIVE: TEXT, TILED: TEXT}))
    put(source / "carla.tar.gz", tar_bytes({TILED: TEXT}))
    put(source / "dora.tgz", tar_bytes({NAIVE: TEXT}))
    put(source / "emil.tar", tar_bytes({NAIVE: TEXT}, "w"))
    students = take(source, tmp_path)
    assert {name: sorted(one.sources) for name, one in students.items()} == {
        "anna": [NAIVE], "ben": [NAIVE, TILED], "carla": [TILED], "dora": [NAIVE], "emil": [NAIVE],
    }  # fmt: skip
    assert all(path.read_bytes() == TEXT for one in students.values() for path in one.sources.values())
    assert all(one.submission.refused is None for one in students.values())


@pytest.mark.parametrize("pack", [zip_bytes, tar_bytes])
@pytest.mark.parametrize("wrapper", ["", "class of 2026/"])
def test_takes_one_archive_of_folders_and_archives(tmp_path: Path, pack: object, wrapper: str) -> None:
    assert callable(pack)
    inner = zip_bytes({NAIVE: TEXT})
    files = {f"anna/{NAIVE}": TEXT, f"ben/hw/{NAIVE}": TEXT, "carla.zip": inner, "dora/hw.zip": inner}
    files["emil/notes.txt"] = b"sorry"
    archive = put(tmp_path / "class.zip", pack({wrapper + name: data for name, data in files.items()}))
    students = take(archive, tmp_path)
    assert {name: sorted(one.sources) for name, one in students.items()} == {
        "anna": [NAIVE], "ben": [NAIVE], "carla": [NAIVE], "dora": [NAIVE], "emil": [],
    }  # fmt: skip


def test_looks_through_one_folder_around_the_class(source: Path, tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        put(source / "submissions" / name / NAIVE)
    assert sorted(take(source, tmp_path)) == ["anna", "ben"]


@pytest.mark.parametrize("wrapper", ["", "class/"])
def test_takes_a_folder_with_nothing_but_the_class_archive(source: Path, tmp_path: Path, wrapper: str) -> None:
    put(source / "download.zip", zip_bytes({f"{wrapper}{name}/{NAIVE}": TEXT for name in ("anna", "ben")}))
    assert sorted(take(source, tmp_path)) == ["anna", "ben"]


def test_takes_a_single_student_who_kept_the_course_folders(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / "assignments" / "01-naive" / NAIVE)
    put(source / "anna" / "assignments" / "02-tiled" / TILED)
    student = take_one(source, tmp_path)
    assert (student.submission.id, sorted(student.sources)) == ("anna", [NAIVE, TILED])


def test_ignores_what_systems_leave_behind(source: Path, tmp_path: Path) -> None:
    junk = {f"__MACOSX/hw/._{NAIVE}": b"\0", "__MACOSX/._hw": b"\0", "hw/.DS_Store": b"\0", "hw/.git/config": b""}
    put(source / "anna.zip", zip_bytes({**junk, f"hw/{NAIVE}": TEXT, f"hw/.ipynb_checkpoints/{NAIVE}": b"old"}))
    put(source / ".DS_Store")
    put(source / "__MACOSX" / "._anna.zip")
    student = take_one(source, tmp_path)
    assert student.sources[NAIVE].read_bytes() == TEXT
    assert student.submission.files == (f"hw/{NAIVE}",)
    assert student.submission.notices == ("looked into 'hw', the only folder there",)


@pytest.mark.parametrize(
    ("uploaded", "taken", "notice"),
    [
        (b"\xef\xbb\xbfint a;\n", b"int a;\n", "removed a byte-order mark"),
        (b"int a;\r\nint b;\r\n", b"int a;\nint b;\n", "converted the line endings"),
        ("int größe;\n".encode("utf-16"), "int größe;\n".encode(), "converted from UTF-16; save it as UTF-8"),
        ("int a = 1; // b\n".encode("utf-16-be"), b"int a = 1; // b\n", "converted from UTF-16; save it as UTF-8"),
        (b"int a; // Gr\xf6\xdfe\n", b"int a; // Gr\xf6\xdfe\n", None),
    ],
)
def test_brings_sources_into_shape(
    source: Path, tmp_path: Path, uploaded: bytes, taken: bytes, notice: str | None
) -> None:
    original = put(source / "anna" / NAIVE, uploaded)
    student = take_one(source, tmp_path)
    assert student.sources[NAIVE].read_bytes() == taken
    assert student.submission.notices == ((f"{NAIVE}: {notice}",) if notice else ())
    assert original.read_bytes() == uploaded


def test_makes_safe_unique_ids_of_any_names(source: Path, tmp_path: Path) -> None:
    names = ["anna-müller", "anna-muller", "Anna Muller", "张伟", "CON", "=cmd|calc", "-rf", "a\nb", "x" * 200]
    for name in names:
        put(source / name / NAIVE)
    students = take(source, tmp_path)
    assert len(students) == len(names)
    assert len({one.casefold() for one in students}) == len(names)
    for student_id, student in students.items():
        assert student_id.isascii()
        assert student_id[0].isalnum()
        assert len(student_id) <= 64
        assert "\n" not in student.submission.name
    assert "CON" not in students
    assert students["anna-muller"].submission.name == "anna-muller"  # a name that is an id already stays
    assert {"Anna-Muller-2", "anna-muller-3"} <= students.keys()


def test_says_what_a_nearly_right_name_should_be(source: Path, tmp_path: Path) -> None:
    for name in ("matmul_naive_final.cu", "matmulnaive.CU", "matmul_navie.cu", "matmul_naive.cu.docx"):
        put(source / name.replace("/", "") / name)
        put(source / name.replace("/", "") / "Makefile")
    for student in take(source, tmp_path).values():
        assert student.sources == {}
        assert repr(NAIVE) in student.hints[NAIVE]
        assert student.hints[NAIVE] in student.submission.notices


@pytest.mark.parametrize(
    "name",
    [
        "Matmul_Naive.cu", "matmul_naive (1).cu", "matmul_naive(12).cu", "matmul_naive.cu.txt", "matmul_naive (1).cu.txt",
        "MATMUL_NAIVE.CU", "matmul_naive-1.cu", "matmul_naive - Copy.cu", "matmul_naive copy 2.cu",
    ],
)  # fmt: skip
def test_takes_what_a_browser_or_a_system_made_of_the_name_if_it_is_the_only_one(
    source: Path, tmp_path: Path, name: str
) -> None:
    put(source / "anna" / name)
    put(source / "ben.zip", zip_bytes({f"src/{name}": TEXT, "src/Makefile": b""}))
    for student in take(source, tmp_path).values():
        assert student.sources[NAIVE].read_bytes() == TEXT
        assert any(f"took '{name}' as '{NAIVE}'" in one for one in student.submission.notices), (
            student.submission.notices
        )


def test_of_several_copies_that_differ_none_is_taken(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / "matmul_naive (1).cu", b"int one;\n")
    put(source / "anna" / "matmul_naive (2).cu", b"int two;\n")
    put(source / "ben" / "matmul_naive (1).cu")
    put(source / "ben" / "Matmul_naive.cu")
    put(source / "carla" / "matmul_naive (1).cu", b"int older;\n")
    put(source / "carla" / NAIVE)
    students = take(source, tmp_path)
    assert students["anna"].sources == {}
    assert "'matmul_naive (1).cu', 'matmul_naive (2).cu', which differ" in students["anna"].hints[NAIVE]
    assert NAIVE in students["ben"].sources
    assert students["carla"].sources[NAIVE].read_bytes() == TEXT


def test_takes_another_labs_file_for_no_misspelling(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / TILED)
    assert take_one(source, tmp_path).hints == {}


def test_opens_the_one_archive_in_a_folder_or_in_an_archive_but_not_one_of_several(
    source: Path, tmp_path: Path
) -> None:
    inner = zip_bytes({NAIVE: TEXT})
    put(source / "anna" / "hw.zip", inner)
    put(source / "ben.zip", zip_bytes({"hw.zip": inner}))
    put(source / "carla.zip", zip_bytes({"backup.zip": inner, NAIVE: TEXT}))
    students = take(source, tmp_path)
    assert NAIVE in students["anna"].sources
    assert NAIVE in students["ben"].sources
    assert students["ben"].submission.notices == ("opened 'hw.zip', the only archive in the archive",)
    assert NAIVE in students["carla"].sources


def test_an_empty_folder_is_a_student_without_files(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / NAIVE)
    (source / "ben").mkdir()
    ben = take(source, tmp_path)["ben"]
    assert ben.sources == {}
    assert ben.submission.notices == ("this submission has no files",)


def test_several_archives_of_one_student_are_opened_together(tmp_path: Path) -> None:
    """Such as one for each lab. Where two hold one file, a person looks; one that cannot be opened is named."""
    put(tmp_path / "in" / "anna" / "1.zip", zip_bytes({NAIVE: b"int n;\n"}))
    put(tmp_path / "in" / "anna" / "2.tar.gz", tar_bytes({f"code/{TILED}": b"int t;\n"}))
    put(tmp_path / "in" / "ben" / "a.zip", zip_bytes({NAIVE: b"int x;\n"}))
    put(tmp_path / "in" / "ben" / "b.zip", zip_bytes({NAIVE: b"int y;\n"}))
    put(tmp_path / "in" / "carla" / "a.zip", zip_bytes({NAIVE: b"int x;\n"}))
    put(tmp_path / "in" / "carla" / "b.rar", b"Rar!\x1a\x07\x01\x00")
    found = take(tmp_path / "in", tmp_path)
    assert {name: path.read_bytes() for name, path in found["anna"].sources.items()} == {
        NAIVE: b"int n;\n",
        TILED: b"int t;\n",
    }
    assert any("opened 2 archives: 1.zip, 2.tar.gz" in one for one in found["anna"].submission.notices)
    assert "2 different files" in found["ben"].blocked[NAIVE]
    assert "'b.rar': this is not a zip" in (found["carla"].submission.refused or "")
