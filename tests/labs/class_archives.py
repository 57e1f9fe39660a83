"""Makes the archives in tests/class. After changing what they hold, run `python tests/labs/class_archives.py`.

Their sources are correct kernels from `accepted/`. Dates and owners are fixed: the same input gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLASS = HERE.parent / "class"
_DATE = (2025, 10, 1, 12, 0, 0)


def members() -> dict[str, dict[str, bytes]]:
    """What the two ordinary archives hold, by name."""
    return {
        "annie-easley.zip": {
            "annie-easley/.DS_Store": b"\0\0\0\1Bud1",
            "annie-easley/matmul_naive.cu": _accepted("01-naive/index_macros.cu"),
            "annie-easley/matmul_tiled.cu": _accepted("02-tiled/coarsened_rows.cu"),
            "annie-easley/matmul_boundary.cu": _accepted("03-boundary/coarsened_columns.cu"),
            "__MACOSX/annie-easley/._matmul_naive.cu": b"\0\5\26\7\0\2\0\0Mac OS X",
            "__MACOSX/annie-easley/._matmul_tiled.cu": b"\0\5\26\7\0\2\0\0Mac OS X",
        },
        "dennis-ritchie.tar.gz": {
            "labs/matmul_naive.cu": _accepted("01-naive/grid_stride.cu"),
            "labs/matmul_tiled.cu": _accepted("02-tiled/guide_submatrices.cu"),
            "labs/matmul_boundary.cu": _accepted("03-boundary/textbook_ds_m_any_size.cu"),
            "labs/matmul_open.cu": _accepted("04-open/vectorised_pipeline.cu"),
        },
    }


def build() -> dict[str, bytes]:
    """Every archive of the class as bytes, by file name."""
    ordinary = members()
    naive, tiled = _accepted("01-naive/textbook_row_col.cu"), _accepted("02-tiled/tile_of_32.cu")
    climbing = {"matmul_naive.cu": naive, "../../matmul_tiled.cu": tiled}
    huge = {"matmul_naive.cu": naive + b"// padding\n" * 60_000, "matmul_tiled.cu": tiled}
    return {
        "annie-easley.zip": _zip(ordinary["annie-easley.zip"]),
        "dennis-ritchie.tar.gz": _tar(ordinary["dennis-ritchie.tar.gz"], {}),
        "mallory-slips.zip": _zip(climbing),
        "trudy-links.tar.gz": _tar({"matmul_naive.cu": naive}, {"matmul_tiled.cu": "/etc/passwd"}),
        "sybil-bomb.zip": _zip({"matmul_naive.cu": naive, "zeros.bin": bytes(64 << 20)}),
        "harriet-huge.zip": _zip(huge),
    }


def _accepted(name: str) -> bytes:
    return (HERE / "accepted" / name).read_bytes()


def _zip(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return packed.getvalue()


def _tar(files: dict[str, bytes], links: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, target in links.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return gzip.compress(packed.getvalue(), mtime=0)


if __name__ == "__main__":
    for file_name, content in build().items():
        (CLASS / file_name).write_bytes(content)
