"""A handout as students have it after a browser, a system or a platform packed it again, and what ends up under its name instead."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.handout_archive import MANIFEST, Handout, Manifest, PackedFile, digest, pack, read_handout
from grader.model.errors import RemediableError

FILES = {
    "assignments/01-add/add.cu": b"// TODO\n",
    "kit/setup/setup.sh": b"#!/bin/sh\necho set up\n",
    "kit/template.txt": b"#!/bin/sh\n# is not run from here\n",
    "kit/picture.png": b"\x89PNG\r\n\x1a\n",
    "Makefile": b"test:\n",
}
RUNNABLE = "kit/setup/setup.sh"
Members = dict[str, bytes]


def members(top: str) -> Members:
    manifest = Manifest("2", "2026-09-01", {name: digest(data) for name, data in FILES.items()}, frozenset())
    everything = {**FILES, "VERSION": f"{manifest}\n".encode(), MANIFEST: manifest.to_json()}
    return {top + name: data for name, data in everything.items()}


def tarred(files: Members, mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:  # type: ignore[call-overload]  # the mode is no literal
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o755 if name.endswith(RUNNABLE) else 0o644
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(files: Members) -> bytes:
    """As Windows packs it: no file is executable there."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def shadows(top: str) -> Members:
    """What macOS packs beside the files."""
    return {f"__MACOSX/{top}._{MANIFEST}": b"\0", f"{top}.DS_Store": b"\0", f"{top}._Makefile": b"\0"}


REPACKED: dict[str, Callable[[], bytes]] = {
    "as it was made": lambda: pack(
        "tilelab-2", {name: PackedFile(data, name == RUNNABLE) for name, data in members("").items()}, 0
    ),
    "Safari took the gz away": lambda: tarred(members("tilelab-2/"), "w"),
    "packed with xz": lambda: tarred(members("tilelab-2/"), "w:xz"),
    "another name for its folder": lambda: tarred(members("CUDA Übung 3 (1)/")),
    "no folder around it": lambda: zipped(members("")),
    "a folder in a folder": lambda: zipped(members("tilelab-2/tilelab-2/")),
    "tar began its names with a dot": lambda: tarred(members("./tilelab-2/")),
    "Windows packed it": lambda: zipped(
        {name.replace("/", "\\"): data for name, data in members("tilelab-2/").items()}
    ),
    "macOS packed it": lambda: zipped({**shadows("tilelab-2/"), **members("tilelab-2/")}),
    "what was built is in it too": lambda: tarred({**members("x/"), "x/build/handout.json": b"{}", "x/.venv/a": b"\0"}),
    "a platform put the archive into a zip": lambda: zipped({"Week 3/tilelab-2.tar.gz": tarred(members("tilelab-2/"))}),
}


@pytest.mark.parametrize("how", REPACKED)
def test_a_handout_is_read_however_it_was_packed_again(tmp_path: Path, how: str) -> None:
    path = tmp_path / "download (1).tar.gz.bin"  # a browser may call it anything
    path.write_bytes(REPACKED[how]())
    assert_whole(read_handout(path), says_what_is_executable=how == "as it was made")


def assert_whole(read: Handout, *, says_what_is_executable: bool = False) -> None:
    assert {name: file.data for name, file in read.files.items()} == members("")
    assert read.files[RUNNABLE].executable
    assert not read.files["Makefile"].executable
    assert not (read.files["kit/template.txt"].executable and says_what_is_executable)


@pytest.mark.parametrize("top", ["", "tilelab-2/", "downloads/tilelab-2/tilelab-2/"])
def test_an_unpacked_folder_is_read_as_well(tmp_path: Path, top: str) -> None:
    for name, data in members(top).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert_whole(read_handout(tmp_path))


def test_the_one_archive_in_a_folder_of_downloads_is_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    (tmp_path / "tilelab-2.tar").write_bytes(tarred(members("tilelab-2/"), "w"))
    assert_whole(read_handout(tmp_path))


def test_line_ends_of_windows_are_turned_back(tmp_path: Path) -> None:
    windows = {
        name: data if name.endswith(".png") else data.replace(b"\n", b"\r\n") for name, data in members("x/").items()
    }
    (tmp_path / "x.zip").write_bytes(zipped(windows))
    assert_whole(read_handout(tmp_path / "x.zip"))


def test_only_files_of_the_manifest_are_taken(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({**members("x/"), "x/kit/evil.cpp": b"int main();", "x/../../evil": b"!"}))
    assert_whole(read_handout(tmp_path / "x.zip"))


@pytest.mark.parametrize("path", ["../evil", "/evil", "kit/../../evil", "kit//evil", "", ".", "a\0b", MANIFEST])
def test_a_manifest_that_leads_out_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    manifest = Manifest("2", "2026-09-01", {path: digest(b"!")}, frozenset()).to_json()
    (tmp_path / "x.tar").write_bytes(tarred({f"x/{MANIFEST}": manifest, f"x/{path}": b"!"}, "w"))
    with pytest.raises(RemediableError, match="damaged"):
        read_handout(tmp_path / "x.tar")


def password() -> bytes:
    data = bytearray(zipped(members("x/")))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


STRANGERS: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "is empty"),
    "a page to log in": (lambda: b"\n<!DOCTYPE html><html>Sign in</html>", "log in"),
    "7z": (lambda: b"7z\xbc\xaf\x27\x1c\0\x04", "unpack it"),
    "a text": (lambda: b"this is no archive\n", "it is no archive"),
    "half a zip": (lambda: zipped(members("x/"))[:400], "Download the handout again"),
    "half an archive": (lambda: tarred(members("x/"))[:300], "Download the handout again"),
    "a password": (password, "protected by a password"),
    "notes": (lambda: zipped({"notes.txt": b"mine"}), f"it holds no {MANIFEST}"),
    "a worked-in folder": (
        lambda: zipped({**members("x/"), "x/Makefile": b"mine:\n"}),
        r"was worked in.*\(Makefile\)",
    ),
    "files are missing": (
        lambda: zipped({n: d for n, d in members("x/").items() if "kit" not in n}),
        "picture.png and 2 more",
    ),
    "two handouts": (lambda: zipped({**members("new/"), **members("old/")}), "several handouts"),
    "two archives": (lambda: zipped({"a.zip": b"", "b.tar.gz": b""}), "several archives"),
}


@pytest.mark.parametrize("what", STRANGERS)
def test_anything_else_gets_a_sentence_that_names_the_file_and_the_remedy(tmp_path: Path, what: str) -> None:
    data, said = STRANGERS[what]
    path = tmp_path / "tilelab-2.tar.gz"
    path.write_bytes(data())
    with pytest.raises(RemediableError, match=said) as refused:
        read_handout(path)
    assert str(path) in str(refused.value)


def test_an_address_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="download the handout with a browser"):
        read_handout(Path("https://example.org/tilelab-2.tar.gz"))
    (tmp_path / "tilelab-2.tar").write_bytes(b"")
    with pytest.raises(RemediableError, match=r"no such file; there is tilelab-2\.tar$"):
        read_handout(tmp_path / "tilelab-2.tar.gz")


def test_the_right_to_run_a_file_comes_from_its_first_line_where_the_archive_has_none(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped(members("x/")))
    runnable = [name for name, file in read_handout(tmp_path / "x.zip").files.items() if file.executable]
    assert runnable == [RUNNABLE, "kit/template.txt"]
    assert not any(info.external_attr >> 16 & stat.S_IXUSR for info in zipfile.ZipFile(tmp_path / "x.zip").infolist())
