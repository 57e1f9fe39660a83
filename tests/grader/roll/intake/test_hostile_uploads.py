"""Hostile uploads are refused with a reason, do not affect the others, and write nothing outside their folder."""

from __future__ import annotations

import io
import os
import random
import tarfile
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, put, take, tar_bytes, zip_bytes

from grader.roll.intake.upload import FILE_BYTES
from grader.roll.intake.upload_search import IntakeError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "sub missions"
    folder.mkdir()
    return folder


def test_blocks_a_file_that_is_there_twice_with_different_text(source: Path, tmp_path: Path) -> None:
    put(source / "anna" / "one" / NAIVE, b"int old;\n")
    put(source / "anna" / "two" / NAIVE, b"int fresh;\n")
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
