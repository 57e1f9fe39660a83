"""Intake: the files of real uploads are taken. Hostile uploads are refused with a reason, and do not affect the others."""

from __future__ import annotations

import io
import os
import random
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from grader.intake.intake import Intake, discover
from grader.intake.upload_search import FILE_BYTES, IntakeError

NAIVE, TILED = "matmul_naive.cu", "matmul_tiled.cu"
WANTED = [NAIVE, TILED]
TEXT = b"__global__ void matmul_naive() {}\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "sub missions"
    folder.mkdir()
    return folder


def put(path: Path, data: bytes = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def zip_bytes(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tar_bytes(files: dict[str, bytes], mode: Literal["w", "w:gz"] = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def take(source: Path, tmp_path: Path) -> dict[str, Intake]:
    scratch = Path(tempfile.mkdtemp(dir=tmp_path, prefix="scratch-"))
    return {one.submission.id: one for one in discover(source, scratch, WANTED).students}


def take_one(source: Path, tmp_path: Path) -> Intake:
    (only,) = take(source, tmp_path).values()
    return only


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
    for name in ("Matmul_Naive.cu", "matmul_naive (1).cu", "matmul_naive.cu.txt", "matmulnaive.CU", "matmul_navie.cu"):
        put(source / name.replace("/", "") / name)
        put(source / name.replace("/", "") / "Makefile")
    for student in take(source, tmp_path).values():
        assert student.sources == {}
        assert repr(NAIVE) in student.hints[NAIVE]
        assert student.hints[NAIVE] in student.submission.notices


def test_takes_another_labs_file_for_no_misspelling(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / TILED)
    assert take_one(source, tmp_path).hints == {}


def test_blocks_a_file_that_is_there_twice_with_different_text(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / "old" / NAIVE, b"int old;\n")
    put(source / "anna" / "new" / NAIVE, b"int fresh;\n")
    put(source / "ben" / "old" / NAIVE, b"int old;\n")
    put(source / "ben" / NAIVE, b"int top;\n")
    students = take(source, tmp_path)
    assert "2 different files" in students["anna"].blocked[NAIVE]
    assert students["ben"].sources[NAIVE].read_bytes() == b"int top;\n"


def test_blocks_a_source_that_is_too_large(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / NAIVE, b"/" * (FILE_BYTES + 1))
    put(source / "ben.zip", zip_bytes({NAIVE: os.urandom(FILE_BYTES + 1)}))
    put(source / "carla" / NAIVE, b"/" * FILE_BYTES)
    students = take(source, tmp_path)
    assert "larger than 256 KiB" in students["anna"].blocked[NAIVE]
    assert "larger than 256 KiB" in students["ben"].blocked[NAIVE]
    assert NAIVE in students["carla"].sources


def test_follows_no_link_and_opens_no_device(source: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.cu", b"the solution\n")
    put(source / "anna" / TILED)
    (source / "anna" / NAIVE).symlink_to(secret)
    (source / "anna" / "more").symlink_to("/")
    (source / "ben").symlink_to(tmp_path)
    put(source / "carla" / TILED)
    os.mkfifo(source / "carla" / NAIVE)
    os.mkfifo(source / "dora.zip")
    students = take(source, tmp_path)
    assert "symbolic link" in students["anna"].blocked[NAIVE]
    assert any("'more' is a symbolic link" in notice for notice in students["anna"].submission.notices)
    assert sorted(students["anna"].sources) == [TILED]
    assert "symbolic link" in (students["ben"].submission.refused or "")
    assert "not a regular file" in students["carla"].blocked[NAIVE]
    assert "dora" not in students


def test_one_hostile_archive_stops_nobody_else(source: Path, tmp_path: Path) -> None:
    put(source / "anna.zip", zip_bytes({"../../escaped.cu": TEXT, NAIVE: TEXT}))
    put(source / "ben.zip", b"not an archive at all")
    put(source / "carla.zip", zip_bytes({NAIVE: TEXT})[:-30])
    put(source / "dora.rar", b"Rar!\x1a\x07\x01\x00")
    put(source / "emil.zip", b"")
    put(source / "zoe.zip", zip_bytes({NAIVE: TEXT}))
    students = take(source, tmp_path)
    refused = {name: one.submission.refused or "" for name, one in students.items()}
    assert "'..'" in refused["anna"]
    assert "not a zip, tar or tar.gz" in refused["ben"]
    assert "damaged" in refused["carla"]
    assert "not a zip, tar or tar.gz" in refused["dora"]
    assert "empty" in refused["emil"]
    assert refused["zoe"] == ""
    assert all(one.sources == {} for name, one in students.items() if name != "zoe")
    assert not list(tmp_path.rglob("escaped.cu"))


def test_one_hostile_student_inside_a_class_archive_stops_nobody_else(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in (f"anna/{NAIVE}", f"ben/{NAIVE}", f"carla/{NAIVE}"):
            info = tarfile.TarInfo(name)
            info.size = len(TEXT)
            archive.addfile(info, io.BytesIO(TEXT))
        link = tarfile.TarInfo(f"ben/{TILED}")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("carla/../anna/x.cu"))
    students = take(put(tmp_path / "class.tar.gz", buffer.getvalue()), tmp_path)
    assert {name: bool(one.submission.refused) for name, one in students.items()} == {
        "anna": False, "ben": True, "carla": True,
    }  # fmt: skip


def test_opens_the_one_archive_in_a_students_folder_but_none_within_an_archive(source: Path, tmp_path: Path) -> None:
    inner = zip_bytes({NAIVE: TEXT})
    put(source / "anna_assignsubmission_file" / "hw.zip", inner)
    put(source / "ben.zip", zip_bytes({"hw.zip": inner}))
    put(source / "carla.zip", zip_bytes({"backup.zip": inner, NAIVE: TEXT}))
    students = take(source, tmp_path)
    assert NAIVE in students["anna_assignsubmission_file"].sources
    assert "holds another archive" in (students["ben"].submission.refused or "")
    assert NAIVE in students["carla"].sources


def test_an_empty_folder_is_a_student_without_files(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / NAIVE)
    (source / "ben").mkdir()
    ben = take(source, tmp_path)["ben"]
    assert ben.sources == {}
    assert ben.submission.notices == ("this submission has no files",)


def test_refuses_submissions_that_are_none(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    loose = tmp_path / "loose"
    put(loose / NAIVE)
    unrelated = tmp_path / "unrelated"
    put(unrelated / "photos" / "cat.jpg")
    put(unrelated / "music" / "song.mp3")
    papers = tmp_path / "papers"
    put(papers / "thesis.pdf")
    text = put(tmp_path / "grades.xlsx", b"hello")
    for path, words in [
        (tmp_path / "nowhere", "there are no submissions here"),
        (empty, "empty"),
        (loose, "the submission of one student"),
        (unrelated, "none of its folders and archives holds"),
        (papers, "no folder or archive of a student"),
        (text, "not a zip, tar or tar.gz"),
        (put(tmp_path / "broken.zip", zip_bytes({f"anna/{NAIVE}": TEXT})[:-20]), "damaged"),
        (put(tmp_path / "flat.zip", zip_bytes({NAIVE: TEXT})), "the submission of one student"),
        (put(tmp_path / "evil.zip", zip_bytes({"../x": TEXT, f"anna/{NAIVE}": TEXT})), "'..'"),
    ]:
        with pytest.raises(IntakeError, match=words) as error:
            take(path, tmp_path)
        assert str(path) in str(error.value)


def test_leaves_the_submissions_as_they_were(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / NAIVE, b"\xef\xbb\xbfint a;\r\n")
    put(source / "ben.zip", zip_bytes({NAIVE: TEXT}))
    before = {path: path.stat() for path in source.rglob("*")}
    take(source, tmp_path)
    after = {path: path.stat() for path in source.rglob("*")}
    assert {path: (one.st_mtime_ns, one.st_size) for path, one in before.items()} == {
        path: (one.st_mtime_ns, one.st_size) for path, one in after.items()
    }


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_whatever_the_names_nothing_is_written_outside_the_scratch_folder(tmp_path: Path) -> None:
    """Combines names at random from dangerous parts. Each archive is taken or refused, and writes only into its folder."""
    pieces = [
        "..",
        ".",
        "",
        "/",
        "\\",
        "C:",
        NAIVE,
        "a",
        "é",
        "e\u0301",
        "\u202e",
        "~",
        "nul",
        " ",
        "-",
        "%2e%2e",
        "x" * 300,
    ]
    rng = random.Random(4)
    refused = 0
    for number in range(150):
        names = {"/".join(rng.choices(pieces, k=rng.randint(1, 4))) or "a" for _ in range(rng.randint(1, 3))}
        folder = tmp_path / f"{number}" / "in"
        put(folder / "anna" / NAIVE)
        put(folder / "mallory.zip", (zip_bytes if number % 2 else tar_bytes)(dict.fromkeys(sorted(names), TEXT)))
        students = take(folder, tmp_path / f"{number}")
        assert len(students) == 2
        refused += students["mallory"].submission.refused is not None
        written = {path.relative_to(tmp_path / f"{number}").parts[0] for path in tmp_path.glob(f"{number}/*")}
        assert len(written) == 2
        for path in students["mallory"].sources.values():
            assert path.name == NAIVE
    assert 20 < refused < 140
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(map(str, range(150)))
