"""Uploads for the tests of intake: files and archives with given contents, and what intake makes of them."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Literal

from grader.roll.intake.intake import Intake, discover

NAIVE, TILED = "matmul_naive.cu", "matmul_tiled.cu"
WANTED = [NAIVE, TILED]
TEXT = b"__global__ void matmul_naive() {}\n"


def handed_in(student: Intake, file: str) -> datetime | None:
    """When the file that counts was handed in. None: it was not, or nothing says when."""
    return student.attempts[student.counted[file]].at if file in student.counted else None


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
