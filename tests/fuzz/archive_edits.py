"""Makes zips and tars that no honest archiver makes: odd names, links, devices, wrong sizes, names twice, archives in archives. Pure."""

from __future__ import annotations

import gzip
import io
import random
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_PARTS = (
    "..", ".", "", " ", "a", "A", "é", "e\u0301", "ﬁle", "\u202egnp.cu", "con", "nul.cu", "c:", "x" * 254, "x" * 300, "a\0b", "a\\b",
    "a\nb", "-rf", "__MACOSX", ".git", "\ufeffa", "\U0001f600", "ß", "ẞ", "İ", "~", "$HOME", "|id", "*", "%2e%2e",
)  # fmt: skip
_KINDS = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE,
          tarfile.FIFOTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, b"Z")  # fmt: skip
_TARGETS = ("/etc/passwd", "../../../etc/shadow", ".", "matmul_naive.cu", "a" * 400)


@dataclass(frozen=True)
class Entry:
    name: str
    data: bytes


def odd_name(chance: random.Random, wanted: Sequence[str]) -> str:
    """A path in an archive, sometimes one that a lab asks for."""
    parts = [chance.choice(_PARTS) for _ in range(chance.choice((0, 0, 1, 1, 2, 20)))]
    if chance.random() < 0.5:
        name = chance.choice(wanted)
        parts.append(
            chance.choice(
                (name, name, name.upper(), name + " ", name + "/", name.replace(".", "\u2024"), name + ".txt")
            )
        )
    return chance.choice(("/", "/", "/", "\\", "//")).join(parts or [chance.choice(_PARTS)])


def odd_entries(chance: random.Random, honest: Mapping[str, bytes]) -> list[Entry]:
    """The files of an honest upload, and others beside them or in their place."""
    entries = [Entry(name, data) for name, data in honest.items()]
    for _ in range(chance.choice((0, 1, 2, 5))):
        data = chance.choice((b"", b"// x\n", b"\xff\xfe\0", b"\0" * 300_000, chance.randbytes(200), *honest.values()))
        entries.insert(chance.randrange(len(entries) + 1), Entry(odd_name(chance, list(honest)), data))
    if chance.random() < 0.3 and entries:
        entries.append(chance.choice(entries))
    return entries


def zipped(entries: Sequence[Entry], chance: random.Random) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")  # of names twice
        for entry in entries:
            info = zipfile.ZipInfo("x", (2025, 1, 1, 0, 0, 0))
            info.filename = entry.name
            if chance.random() < 0.2:
                mode = chance.choice((stat.S_IFLNK, stat.S_IFDIR, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK)) | 0o777
                info.external_attr = mode << 16
            if chance.random() < 0.1:
                info.extra = chance.choice((b"\1\0\x10\0" + b"\xff" * 16, b"up\5\0\1\0\0\0\0", chance.randbytes(9)))
            how = chance.choice(
                (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            archive.writestr(info, entry.data, how)
        if chance.random() < 0.1:
            archive.comment = chance.randbytes(40)
    return packed.getvalue()


def tarred(entries: Sequence[Entry], chance: random.Random) -> bytes:
    packed = io.BytesIO()
    form = chance.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.size = len(entry.data)
            if chance.random() < 0.2:
                info.type, info.linkname = chance.choice(_KINDS), chance.choice(_TARGETS)
            if chance.random() < 0.1:
                info.pax_headers = {
                    chance.choice(("path", "size", "GNU.sparse.map", "mtime", "x")): chance.choice(
                        ("", "-1", "../x", "9" * 30)
                    )
                }
            try:
                archive.addfile(info, io.BytesIO(entry.data))
            except (ValueError, UnicodeError):  # this format cannot say it
                continue
    data = packed.getvalue()
    return gzip.compress(data, mtime=0) if chance.random() < 0.5 else data


def packed_plainly(entries: Sequence[Entry], *, tar: bool) -> bytes:
    """As an honest archiver does it."""
    packed = io.BytesIO()
    if tar:
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for entry in entries:
                info = tarfile.TarInfo(entry.name)
                info.size = len(entry.data)
                archive.addfile(info, io.BytesIO(entry.data))
    else:
        with zipfile.ZipFile(packed, "w") as zip_archive:
            for entry in entries:
                zip_archive.writestr(entry.name, entry.data)
    return packed.getvalue()
