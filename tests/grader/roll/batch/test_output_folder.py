"""OUT: it is used only if no other files would be overwritten. Files are written as a whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from grader.roll.batch.output_folder import OutError, OutputFolder
from grader.roll.batch.plugin import File
from grader.roll.batch.publishing import write_files
from grader.system.own_files import write_atomically


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    (folder / "anna").mkdir(parents=True)
    return folder


def test_makes_an_out_that_is_not_there_yet(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "a b" / "out"
    OutputFolder(out, source).claim()
    OutputFolder(out, source).claim()
    assert sorted(path.name for path in out.iterdir()) == ["instructor", "students"]
    assert [stat.S_IMODE(one.stat().st_mode) for one in (out, *out.iterdir())] == [0o700] * 3
    assert OutputFolder(out, source).open_notices() == []


def test_an_out_that_a_group_shares_is_the_groups_and_nobody_elses(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o2775)
    before = os.umask(0o022)
    try:
        with OutputFolder(out, source).alone():
            OutputFolder(out, source).claim()
            write_files([File(out / "exports" / "a.csv", lambda: "a")])
    finally:
        os.umask(before)
    folders, files = [out / "students", out / "instructor"], [out / "exports" / "a.csv", out / "instructor" / ".lock"]
    assert [stat.S_IMODE(one.stat().st_mode) for one in folders] == [0o2770] * 2
    assert [stat.S_IMODE(one.stat().st_mode) & 0o677 for one in files] == [0o660] * 2
    assert out.joinpath("exports").stat().st_mode & stat.S_IWGRP


def test_an_out_of_an_older_version_that_others_can_read_is_told(tmp_path: Path, source: Path) -> None:
    folder = OutputFolder(tmp_path / "my out", source)
    folder.claim()
    for one in (folder.path, folder.students):
        one.chmod(0o755)
    assert "chmod -R go= '" in folder.open_notices()[0]
    folder.path.chmod(0o700)
    assert folder.open_notices() == []


def test_leaves_what_else_lies_in_out(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    OutputFolder(out, source).claim()
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["index.html", "grades.csv", "students", "instructor"])
def test_refuses_to_overwrite_what_it_did_not_write(tmp_path: Path, source: Path, name: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("mine")
    with pytest.raises(OutError, match=name):
        OutputFolder(out, source).require_usable()
    assert [path.name for path in out.iterdir()] == [name]


def test_refuses_a_file_and_a_place_among_the_submissions(tmp_path: Path, source: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(source)
    for out, words in [
        (file, "this is a file"), (file / "out", "cannot be written here"), (source, "inside SUBMISSIONS"),
        (source / "out", "inside SUBMISSIONS"), (link / "out", "inside SUBMISSIONS"),
    ]:  # fmt: skip
        with pytest.raises(OutError, match=words) as error:
            OutputFolder(out, source).require_usable()
        assert str(out) in str(error.value)


def test_refuses_to_grade_its_own_results(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    OutputFolder(out, source).claim()
    with pytest.raises(OutError, match="not submissions"):
        OutputFolder(out, out / "students").require_usable()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    write_atomically(tmp_path / "page", "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(tmp_path / "page", "new \udc80")
    assert (tmp_path / "page").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


def test_a_second_batch_is_refused_before_it_reads_anything(tmp_path: Path, source: Path) -> None:
    out = OutputFolder(tmp_path / "out", source)
    with out.alone(), pytest.raises(OutError, match="is not judged again"), out.alone():
        pytest.fail("two batches in one OUT")
    with out.alone():
        out.claim()
    assert out.is_ours


def test_a_batch_that_fails_before_its_claim_leaves_no_new_out(tmp_path: Path, source: Path) -> None:
    def fail() -> None:
        with OutputFolder(tmp_path / "new" / "out", source).alone():
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    assert not (tmp_path / "new").exists()


def test_a_batch_that_fails_leaves_an_out_of_ours_as_it_is(tmp_path: Path, source: Path) -> None:
    out = OutputFolder(tmp_path / "out", source)
    with out.alone():
        out.claim()

    def fail() -> None:
        with out.alone():
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    assert out.is_ours
    assert out.jobs.is_dir()


def test_an_out_on_a_full_disk_is_refused_in_a_sentence(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.roll.batch.output_folder.write_atomically", full)
    with (
        pytest.raises(OutError, match=r"No space left on device.*Choose another OUT"),
        OutputFolder(tmp_path / "out", source).alone(),
    ):
        pytest.fail("the lock is held on a full disk")
