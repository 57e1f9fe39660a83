"""7z archives are unpacked by a process of its own; whatever is wrong with one becomes a sentence about that upload alone."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, put, take, zip_bytes

from grader.intake.uploads import seven_zip
from grader.intake.uploads.archives import read_archive
from grader.intake.uploads.upload import STUDENT, Refusal, Request

py7zr = pytest.importorskip("py7zr")  # the extra `sevenzip`


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
    ("data", "reason"),
    [
        (seven_zip_bytes({NAIVE: TEXT})[:50], "damaged or incomplete"),
        (seven_zip.MARK + b"\xff" * 200, "damaged or incomplete"),
        (seven_zip_bytes({NAIVE: TEXT}, "secret"), "encrypted"),
        (seven_zip_bytes({NAIVE: b"\0" * (2 << 20)}), "unpacks to more than 1 MiB"),
        (seven_zip_bytes({f"{number}.cu": b"x" for number in range(30)}), "more than 20 entries"),
    ],
    ids=["cut", "nothing", "encrypted", "large", "many"],
)
def test_what_is_wrong_with_one_is_said(data: bytes, reason: str, tmp_path: Path) -> None:
    limits = replace(STUDENT, unpacked_bytes=1 << 20, members=20)
    request = Request(tmp_path / "spool", lambda _: True, lambda _: 1 << 16, limits)
    request.spool.mkdir()
    with pytest.raises(Refusal, match=reason):
        read_archive(put(tmp_path / "hw.7z", data), request)


def test_without_its_reader_the_student_is_told_what_to_hand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = put(tmp_path / "child.py", b'print(\'{"refused": "missing"}\')')
    monkeypatch.setattr(seven_zip, "_CHILD", child)
    put(tmp_path / "in" / "anna.7z", seven_zip_bytes({NAIVE: TEXT}))
    put(tmp_path / "in" / "ben" / NAIVE)
    students = take(tmp_path / "in", tmp_path)
    assert "hand in a zip" in (students["anna"].submission.refused or "")
    assert NAIVE in students["ben"].sources
