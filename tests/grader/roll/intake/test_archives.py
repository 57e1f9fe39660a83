"""Reading archives: every kind of hostile archive is refused with a reason, and nothing is written outside the spool."""

from __future__ import annotations

import gzip
import io
import random
import shutil
import stat
import struct
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from grader.roll.intake.upload import STUDENT, Contents, Limits, Refusal, Request, clashes, read_archive

NAIVE = "matmul_naive.cu"
TEXT = b"__global__ void matmul_naive() {}\n"
SMALL = replace(STUDENT, unpacked_bytes=1 << 20, ratio_from_bytes=1 << 16, members=50)


def read(tmp_path: Path, data: bytes, limits: Limits = SMALL) -> Contents:
    path = tmp_path / "upload"
    path.write_bytes(data)
    spool = tmp_path / "spool"
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir()
    return read_archive(path, Request(spool, lambda path: 1 << 16 if path[-1] == NAIVE else 0, limits))


def reasons(contents: Contents) -> list[str]:
    defects = [*contents.defects, *clashes(file.path for file in contents.files)]
    return [defect.reason for defect in defects]


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(*entries: tarfile.TarInfo, mode: Literal["w", "w:gz"] = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for info in entries:
            archive.addfile(info, io.BytesIO(b"\0" * info.size))
    return buffer.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size
    return info


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize("name", ["../x", "a/../../x", "..", "a/..", "..\\x", "a\\..\\..\\x"])
def test_refuses_paths_that_climb(tmp_path: Path, name: str) -> None:
    for data in (zipped((name, TEXT)), tarred(entry(name, size=3))):
        assert any("'..'" in reason for reason in reasons(read(tmp_path, data)))


@pytest.mark.parametrize("name", ["/etc/passwd", "\\windows\\x", "C:\\x", "c:/x", "//host/share/x"])
def test_refuses_absolute_paths(tmp_path: Path, name: str) -> None:
    for data in (zipped((name, TEXT)), tarred(entry(name, size=3))):
        assert any("absolute path" in reason for reason in reasons(read(tmp_path, data)))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (tarfile.SYMTYPE, "symbolic link"), (tarfile.LNKTYPE, "hard link"), (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"), (tarfile.FIFOTYPE, "special file"),
    ],
)  # fmt: skip
def test_refuses_everything_in_a_tar_but_files_and_folders(tmp_path: Path, kind: bytes, words: str) -> None:
    contents = read(tmp_path, tarred(entry(NAIVE, kind, "/etc/passwd")))
    assert words in reasons(contents)[0]
    assert contents.files == ()


@pytest.mark.parametrize(("mode", "words"), [(stat.S_IFLNK | 0o777, "symbolic link"), (stat.S_IFIFO, "special file")])
def test_refuses_everything_in_a_zip_but_files_and_folders(tmp_path: Path, mode: int, words: str) -> None:
    contents = read(tmp_path, zipped((zip_entry(NAIVE, mode), b"/etc/passwd")))
    assert words in reasons(contents)[0]
    assert contents.files == ()


def test_refuses_a_bomb_by_its_size(tmp_path: Path) -> None:
    many = [(f"{number}.bin", random.Random(number).randbytes(1 << 17)) for number in range(9)]
    for data in (zipped(*many), tarred(entry("zeros", size=(1 << 20) + 1), mode="w")):
        with pytest.raises(Refusal, match="more than 1 MiB"):
            read(tmp_path, data)


def test_refuses_a_bomb_by_its_ratio(tmp_path: Path) -> None:
    zeros = b"\0" * (1 << 19)
    for data in (zipped(("zeros.bin", zeros)), tarred(entry("zeros.bin", size=1 << 19))):
        with pytest.raises(Refusal, match="200 times"):
            read(tmp_path, data)


def test_refuses_a_bomb_whose_tar_header_lies_about_its_size(tmp_path: Path) -> None:
    tar = tarred(entry("a", size=1), mode="w") + b"\0" * (8 << 20)
    header = bytearray(tarred(entry("zeros", size=0), mode="w")[:512])
    header[124:136] = b"77777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    with pytest.raises(Refusal, match=r"more than|times its size"):
        read(tmp_path, gzip.compress(bytes(header) + tar))


def test_a_zip_cannot_yield_more_than_its_directory_says(tmp_path: Path) -> None:
    data = bytearray(zipped((NAIVE, b"\0" * (1 << 19))))
    central = data.rindex(b"PK\1\2")
    data[central + 24 : central + 28] = struct.pack("<I", 10)  # the size it claims
    with pytest.raises(Refusal, match="damaged"):
        read(tmp_path, bytes(data))
    assert all(path.stat().st_size <= 10 for path in (tmp_path / "spool").iterdir())


def test_refuses_too_many_entries(tmp_path: Path) -> None:
    for data in (zipped(*((f"{n}.txt", b"") for n in range(51))), tarred(*(entry(f"{n}.txt") for n in range(51)))):
        with pytest.raises(Refusal, match="more than 50 entries"):
            read(tmp_path, data)


def test_refuses_a_list_of_entries_that_would_fill_the_memory(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="list of entries"):
        read(tmp_path, zipped(*((f"{n}.txt", b"") for n in range(50))), replace(SMALL, directory_bytes=1_000))


def test_refuses_encrypted_archives(tmp_path: Path) -> None:
    data = bytearray(zipped((NAIVE, TEXT)))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    with pytest.raises(Refusal, match="encrypted"):
        read(tmp_path, bytes(data))


@pytest.mark.parametrize(
    "names",
    [(NAIVE, NAIVE), (NAIVE, "Matmul_naive.cu"), ("é.cu", "e\u0301.cu"), ("a", "a/b.cu"), ("ﬁle.cu", "file.cu")],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_refuses_clashing_names(tmp_path: Path, names: tuple[str, ...]) -> None:
    for data in (zipped(*((name, TEXT) for name in names)), tarred(*map(entry, names))):
        assert len(reasons(read(tmp_path, data))) == 1


def test_refuses_an_archive_cut_anywhere(tmp_path: Path) -> None:
    noise = random.Random(7).randbytes(3_000)
    data = zipped((NAIVE, noise))
    for length in range(1, len(data), 97):
        with pytest.raises(Refusal):
            read(tmp_path, data[:length])
    data = gzip.compress(tarred(entry(NAIVE, size=3_000), entry("b", size=3_000), mode="w"))
    with pytest.raises(Refusal):
        read(tmp_path, data[: len(data) // 2])


def test_a_damaged_archive_is_refused_or_read_but_never_breaks_the_reader(tmp_path: Path) -> None:
    """Changes random bytes in good archives. The result is always Contents or a Refusal."""
    rng = random.Random(20)
    originals = [
        zipped((NAIVE, TEXT * 20), ("b/c.txt", b"x")),
        tarred(entry(NAIVE, size=900), entry("b/c.txt", size=1)),
    ]
    originals += [tarred(entry(NAIVE, size=900), entry("x" * 200, size=1), mode="w")]
    refused = 0
    for _ in range(400):
        data = bytearray(rng.choice(originals))
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            contents = read(tmp_path, bytes(data))
        except Refusal:
            refused += 1
            continue
        assert all(".." not in file.path for file in contents.files)
    assert 0 < refused < 400
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spool", "upload"]


def test_refuses_a_tar_with_endless_long_names(tmp_path: Path) -> None:
    header = tarred(entry("././@LongLink", tarfile.GNUTYPE_LONGNAME, size=512), mode="w")[:1024]
    with pytest.raises(Refusal):
        read(tmp_path, header * 1_500, replace(SMALL, unpacked_bytes=4 << 20))


def test_stores_only_what_was_asked_for_under_numbers(tmp_path: Path) -> None:
    contents = read(tmp_path, zipped(("hw/" + NAIVE, TEXT), ("hw/evil.sh", b"rm"), ("hw/more/", b"")))
    assert [(file.path, file.at is not None) for file in contents.files] == [
        (("hw", NAIVE), True),
        (("hw", "evil.sh"), False),
    ]
    assert contents.folders == (("hw", "more"),)
    assert [path.read_bytes() for path in (tmp_path / "spool").iterdir()] == [TEXT]
    assert [path.name for path in (tmp_path / "spool").iterdir()] == ["000000"]


def test_reads_names_that_are_utf8_without_saying_so(tmp_path: Path) -> None:
    data = zipped(("größe.cu", TEXT))
    flagless = bytearray(data)
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = flagless.index(mark) + offset
        flagless[at : at + 2] = b"\0\0"
    assert read(tmp_path, bytes(flagless)).files[0].path == ("größe.cu",)


def test_understands_backslashes_as_windows_writes_them(tmp_path: Path) -> None:
    assert read(tmp_path, zipped(("hw\\" + NAIVE, TEXT))).files[0].path == ("hw", NAIVE)


def test_refuses_impossible_names(tmp_path: Path) -> None:
    deep = "a/" * 40 + "b"
    assert "too deep" in reasons(read(tmp_path, zipped((deep, TEXT))))[0]
    assert "impossible" in reasons(read(tmp_path, tarred(entry("n" * 256))))[0]
