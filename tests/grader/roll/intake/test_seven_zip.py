"""7z archives are unpacked by a process of its own; whatever is wrong with one becomes a sentence about that upload alone."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, put, take, zip_bytes

from grader.roll.intake import upload
from grader.roll.intake.upload import STUDENT, Refusal, Request, read_archive
from grader.system.confined_run import detect

py7zr = pytest.importorskip("py7zr")  # the extra `sevenzip`

CONFINE = Path(__file__).resolve().parents[4] / "build" / "bin" / "confine"
# What a child that an archive has taken over begins with: `folder` is where it may write.
_TAKEN_OVER = b"import os, pathlib, sys\nfolder = pathlib.Path(sys.argv[2])\n"
_ATTACKS = b"""
import socket
from contextlib import suppress
told = []
for name in {paths!r}:
    with suppress(OSError):
        told.append(pathlib.Path(name).read_text())
for name in {places!r}:
    with suppress(OSError):
        pathlib.Path(name).write_text('written')
with suppress(OSError):
    socket.create_connection(('127.0.0.1', 9), 1)
    told.append('network')
try:
    socket.socket()
    told.append('socket')
except OSError:
    pass
(folder / '{name}').write_text(' '.join(told))
"""


def seven_zip_bytes(files: dict[str, bytes], password: str | None = None) -> bytes:
    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w", password=password) as archive:
        for name, data in files.items():
            archive.writestr(data, name)
    return buffer.getvalue()


def test_a_students_7z_is_opened_like_a_zip(tmp_path: Path) -> None:
    put(tmp_path / "in" / "anna.7z", seven_zip_bytes({f"hw/{NAIVE}": TEXT, f"hw/{TILED}": TEXT, "hw/empty": b""}))
    put(tmp_path / "in" / "ben" / "hw.zip", zip_bytes({"hw.7z": seven_zip_bytes({NAIVE: TEXT})}))
    students = take(tmp_path / "in", tmp_path)
    assert sorted(students["anna"].sources) == [NAIVE, TILED]
    assert students["ben"].sources[NAIVE].read_bytes() == TEXT


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda: seven_zip_bytes({NAIVE: TEXT})[:50], "damaged or incomplete"),
        (lambda: upload.MARK + b"\xff" * 200, "damaged or incomplete"),
        (lambda: seven_zip_bytes({NAIVE: TEXT}, "secret"), "encrypted"),
        (lambda: seven_zip_bytes({NAIVE: b"\0" * (2 << 20)}), "unpacks to more than 1 MiB"),
        (lambda: seven_zip_bytes({f"{number}.cu": b"x" for number in range(30)}), "more than 20 entries"),
    ],
    ids=["cut", "nothing", "encrypted", "large", "many"],
)
def test_what_is_wrong_with_one_is_said(made: Callable[[], bytes], reason: str, tmp_path: Path) -> None:
    limits = replace(STUDENT, unpacked_bytes=1 << 20, members=20)
    request = Request(tmp_path / "spool", lambda _: 1 << 16, limits)
    request.spool.mkdir()
    with pytest.raises(Refusal, match=reason):
        read_archive(put(tmp_path / "hw.7z", made()), request)


def test_without_its_reader_the_student_is_told_what_to_hand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = put(tmp_path / "child.py", _TAKEN_OVER + b"print('missing', end='')\nsys.exit(1)")
    monkeypatch.setattr(upload, "_CHILD", child)
    put(tmp_path / "in" / "anna.7z", seven_zip_bytes({NAIVE: TEXT}))
    put(tmp_path / "in" / "ben" / NAIVE)
    students = take(tmp_path / "in", tmp_path)
    assert "hand in a zip" in (students["anna"].submission.refused or "")
    assert NAIVE in students["ben"].sources


def test_a_child_that_an_archive_has_taken_over_reaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, place = put(tmp_path / "seed", b"secret"), tmp_path / "grades.csv"
    attacks = _ATTACKS.decode().format(paths=[str(secret), "/etc/passwd"], places=[str(place)], name=NAIVE)
    monkeypatch.setattr(upload, "_CHILD", put(tmp_path / "child.py", _TAKEN_OVER + attacks.encode()))
    request = Request(tmp_path / "spool", lambda _: 1 << 16, STUDENT, detect(CONFINE, None, allow_none=False))
    request.spool.mkdir()
    (taken,) = read_archive(put(tmp_path / "hw.7z", seven_zip_bytes({NAIVE: TEXT})), request).files
    assert taken.at is not None
    assert taken.at.read_text() in {"", "socket"}  # a socket alone leads nowhere
    assert not place.exists()


def test_an_archive_is_opened_in_the_sandbox(tmp_path: Path) -> None:
    request = Request(tmp_path / "spool", lambda _: 1 << 16, STUDENT, detect(CONFINE, None, allow_none=False))
    request.spool.mkdir()
    (taken,) = read_archive(put(tmp_path / "hw.7z", seven_zip_bytes({NAIVE: TEXT})), request).files
    assert taken.at is not None
    assert taken.at.read_bytes() == TEXT


@pytest.mark.parametrize(
    "left",
    ["os.symlink({secret!r}, folder / 'x.cu')", "os.mkfifo(folder / 'x.cu')", "os.symlink({around!r}, folder / 'dir')"],
    ids=["link", "fifo", "linked folder"],
)
def test_nothing_that_the_child_leaves_is_believed(left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = put(tmp_path / "around" / "x.cu", b"secret")
    text = left.format(secret=str(secret), around=str(secret.parent))
    monkeypatch.setattr(upload, "_CHILD", put(tmp_path / "child.py", _TAKEN_OVER + text.encode()))
    request = Request(tmp_path / "spool", lambda _: 1 << 16)
    request.spool.mkdir()
    contents = read_archive(put(tmp_path / "hw.7z", seven_zip_bytes({NAIVE: TEXT})), request)
    assert contents.files == ()
    assert [one.path[0] for one in contents.defects] == [left.split("'")[-2]]


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        ("[(folder / str(number)).touch() for number in range(21)]", "more than 20 entries"),
        ("(folder / 'x.cu').write_bytes(bytes(2 << 20))", "unpacks to more than 1 MiB"),
        ("os.makedirs(folder / '/'.join('a' * 30))", "nested deeper"),
        ("sys.exit(7)", "too much time or memory"),
    ],
    ids=["many", "large", "deep", "failed"],
)
def test_its_limits_hold_for_what_it_leaves(
    left: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "_CHILD", put(tmp_path / "child.py", _TAKEN_OVER + left.encode()))
    limits = replace(STUDENT, unpacked_bytes=1 << 20, members=20)
    request = Request(tmp_path / "spool", lambda _: 1 << 16, limits)
    request.spool.mkdir()
    with pytest.raises(Refusal, match=reason):
        read_archive(put(tmp_path / "hw.7z", seven_zip_bytes({NAIVE: TEXT})), request)
