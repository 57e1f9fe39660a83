"""Reads a handout from whatever a student has of it: the archive as it was made, one that a browser or a system has packed again
(zip, tar without gz, a folder around it), an archive inside an archive, or an unpacked folder.

It uses only the standard library, as upgrade.py does. What decides is the manifest: only files that it lists are read, and each has
to be what it says. So no name in an archive can lead out of the folder that is upgraded.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.model.errors import RemediableError

# `handout.json`: the files of a handout when it was packed. With it, an upgrade can tell a student's changes from our files.
#
# It uses only the standard library: an upgrade has to work even where set-up failed.

MANIFEST = "handout.json"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Manifest:
    version: str
    date: str  # of the last change to the course, as 2026-09-01
    files: Mapping[str, str]  # path to digest, without this file and VERSION
    starters: frozenset[str]  # the files that students edit

    @property
    def contents(self) -> str:
        """Twelve digits that change when any file changes."""
        return digest(json.dumps([self.version, sorted(self.files.items())]).encode())[:12]

    def __str__(self) -> str:
        return f"{self.version} of {self.date}, contents {self.contents}"

    def to_json(self) -> bytes:
        fields = {
            "version": self.version,
            "date": self.date,
            "starters": sorted(self.starters),
            "files": dict(sorted(self.files.items())),
        }
        return (json.dumps(fields, indent=1) + "\n").encode()

    @classmethod
    def from_json(cls, data: bytes, source: str) -> Manifest:
        """Raises RemediableError, which names `source`, where `data` is no manifest."""
        damaged = RemediableError(f"{source}: {MANIFEST} is damaged; get the handout again")
        try:
            fields = json.loads(data)
            files, starters = dict(fields["files"]), frozenset(fields["starters"])
            made = cls(fields["version"], fields["date"], files, starters)
        except (ValueError, KeyError, TypeError) as error:
            raise damaged from error
        words = (made.version, made.date, *files, *files.values(), *starters)
        if not all(isinstance(word, str) for word in words) or not all(map(_is_inside, made.files)):
            raise damaged
        return made


def _is_inside(path: str) -> bool:
    """Whether it names a file below the handout's folder, in one way only."""
    plain = str(PurePosixPath(path)) == path and path[:1] not in {"", "/"} and "\0" not in path
    return plain and not {".", "..", MANIFEST} & set(path.split("/"))


# A tar.gz whose bytes depend only on its contents: names sorted, one time, one owner, nothing from this machine.
#
# It holds files only, which everybody may read. Folders are made when it is unpacked. Another version of zlib may compress it to
# other bytes, but its contents stay the same.


@dataclass(frozen=True)
class PackedFile:
    """A file's contents, and whether it is executable."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class Handout:
    """A handout's files as students get them, and the one time that all of them have."""

    manifest: Manifest
    files: Mapping[str, PackedFile]
    time: int  # seconds since 1970

    @property
    def name(self) -> str:
        return f"tilelab-{self.manifest.version}"

    def archive(self) -> bytes:
        return pack(self.name, self.files, self.time)


def whole(manifest: Manifest, listed: Mapping[str, PackedFile], time: int = 0) -> Handout:
    """Of the files that the manifest lists."""
    own = {"VERSION": PackedFile(f"{manifest}\n".encode()), MANIFEST: PackedFile(manifest.to_json())}
    return Handout(manifest, {**listed, **own}, time)


def pack(folder: str, files: Mapping[str, PackedFile], time: int) -> bytes:
    """A tar.gz that unpacks to `folder`. Every file has the time `time` (seconds since 1970)."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(f"{folder}/{name}")  # user and group 0, without names
            member.size = len(files[name].data)
            member.mode = 0o755 if files[name].executable else 0o644
            member.mtime = time
            tar.addfile(member, io.BytesIO(files[name].data))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


_MOST_BYTES = 256 * 1024 * 1024  # of a handout's files; a handout has about a thousandth of that
_MOST_PACKED = 4 * _MOST_BYTES  # of everything in an archive: somebody may have packed what was built as well
_MOST_NAMES = 200_000
_MOST_FOLDERS = 4  # around a handout, in a folder
_NEVER_IN = frozenset({".venv", ".tilelab", "build", ".git", "__MACOSX", "node_modules"})
_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2", ".zip")
_AGAIN = "Download the handout again, and name that file."
_BROKEN = (
    OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, NotImplementedError, RuntimeError,
    ValueError,
)  # fmt: skip
# How other things begin that end up under the name of an archive.
_STRANGERS = (
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it, and name the folder that comes out of it"),
    (b"Rar!", "a rar archive: unpack it, and name the folder that comes out of it"),
    (b"<", "a web page and no handout: log in where the handout lies, and download it again"),
)


@dataclass(frozen=True)
class _Packed:
    """Anything that holds files: `names` of them in their order, and `read`, whose answer is None for what is no file of usual size."""

    source: str
    names: tuple[str, ...]
    read: Callable[[str], PackedFile | None]


def read_handout(path: Path) -> Handout:
    """The handout in `path`. Raises RemediableError, which says what it is instead or what is wrong with it."""
    source = str(path)
    if source.startswith(("http://", "https://", "http:/", "https:/")):
        raise RemediableError(f"{source} is an address: download the handout with a browser, and name the file")
    try:
        packed = _folder(path) if path.is_dir() else _archive(source, _bytes_of(path))
        return _handout(packed)
    except _BROKEN as error:
        raise RemediableError(f"{source} cannot be read as a handout: {_reason(error)}. {_AGAIN}") from error


def _bytes_of(path: Path) -> bytes:
    if not path.exists():
        near = sorted(one.name for one in path.parent.glob(f"{_plain_name(path.name)}*"))
        other = "name the newer handout's archive, or the folder that you unpacked it to"
        raise RemediableError(f"{path}: there is no such file; {f'there is {near[0]}' if near else other}")
    if not path.is_file():
        raise RemediableError(f"{path} is no file and no folder: name the newer handout's archive")
    if path.stat().st_size > _MOST_PACKED:
        raise RemediableError(f"{path} is much larger than any handout")
    return path.read_bytes()


def _plain_name(name: str) -> str:
    """`tilelab-0.2.0` of `tilelab-0.2.0.tar.gz`: what a browser leaves of a name."""
    ending = next((one for one in _ARCHIVES if name.lower().endswith(one)), PurePosixPath(name).suffix)
    return name[: len(name) - len(ending)]


def _archive(source: str, data: bytes) -> _Packed:
    """What decides is how the file begins, and not its name."""
    if not data:
        raise RemediableError(f"{source} is empty: its download did not end, or the disk is full. {_AGAIN}")
    if data.startswith(b"PK"):
        return _zip(source, data)
    for beginning, what in _STRANGERS:
        if data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(beginning):
            raise RemediableError(f"{source} is {what}")
    return _tar(source, data)


def _tar(source: str, data: bytes) -> _Packed:
    members: dict[str, tarfile.TarInfo] = {}
    total = 0
    tar = tarfile.open(fileobj=io.BytesIO(data), mode="r:*")  # noqa: SIM115 -- it is read from later
    for count, member in enumerate(tar):
        total += max(member.size, 0)
        if total > _MOST_PACKED or count > _MOST_NAMES:
            raise RemediableError(f"{source} is much larger than any handout")
        members[member.name] = member

    def read(name: str) -> PackedFile | None:
        member = members.get(name)
        stream = tar.extractfile(member) if member and member.isreg() and member.size <= _MOST_BYTES else None
        return PackedFile(stream.read(), bool(member.mode & 0o100)) if member and stream else None

    return _Packed(source, tuple(members), read)


def _zip(source: str, data: bytes) -> _Packed:
    packed = zipfile.ZipFile(io.BytesIO(data))
    entries = {one.filename: one for one in packed.infolist()}
    if any(one.flag_bits & 1 for one in entries.values()):
        raise RemediableError(
            f"{source} is protected by a password: unpack it, and name the folder that comes out of it"
        )
    if len(entries) > _MOST_NAMES or sum(one.file_size for one in entries.values()) > _MOST_PACKED:
        raise RemediableError(f"{source} is much larger than any handout")

    def read(name: str) -> PackedFile | None:
        one = entries.get(name)
        small = one is not None and one.file_size <= _MOST_BYTES
        return PackedFile(packed.read(one), bool(one.external_attr >> 16 & 0o100)) if one and small else None

    return _Packed(source, tuple(entries), read)


def _folder(folder: Path) -> _Packed:
    """Only places where a handout or its archive may lie are listed; the manifest says what is read."""
    found: list[str] = []
    for here, folders, files in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(set(folders) - _NEVER_IN) if depth < _MOST_FOLDERS and MANIFEST not in files else []
        wanted = [name for name in files if name == MANIFEST or name.lower().endswith(_ARCHIVES)]
        found += [(Path(here) / name).relative_to(folder).as_posix() for name in wanted]
        if len(found) > _MOST_NAMES:
            break

    def read(name: str) -> PackedFile | None:
        path = folder / name
        small = path.is_file() and path.stat().st_size <= _MOST_BYTES
        return PackedFile(path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR)) if small else None

    return _Packed(str(folder), tuple(found), read)


def _handout(packed: _Packed, inside: int = 0) -> Handout:
    """The handout somewhere in it, or in the one archive that it holds."""
    tops = _tops(packed.names)
    if not tops:
        archives = [name for name in packed.names if _is_own(name) and name.lower().endswith(_ARCHIVES)]
        if len(archives) == 1 and inside < 2 and (file := packed.read(archives[0])):  # noqa: PLR2004 -- a platform packs once, a system once more
            return _handout(_archive(f"{packed.source}/{archives[0]}", file.data), inside + 1)
        found = f" but several archives ({', '.join(archives[:3])}): name one of them" if len(archives) > 1 else ""
        raise RemediableError(f"{packed.source} is not a handout: it holds no {MANIFEST}{found}")
    if len(tops) > 1:
        raise RemediableError(
            f"{packed.source} holds several handouts ({', '.join(tops)}): name the folder of the newer one"
        )
    names = {_tidy(name): name for name in packed.names}
    top = tops[0]
    of_manifest = packed.read(names[f"{top}{MANIFEST}"]) or PackedFile(b"")
    manifest = Manifest.from_json(of_manifest.data, packed.source)
    order = {name: at for at, name in enumerate(packed.names)}  # an archive is read forwards
    wanted = {names.get(top + path, top + path): path for path in manifest.files}
    files: dict[str, PackedFile] = {}
    total = 0
    for name in sorted(wanted, key=lambda one: order.get(one, 0)):
        if (file := packed.read(name)) is None:
            continue
        total += len(file.data)
        if total > _MOST_BYTES:
            raise RemediableError(f"{packed.source} is much larger than any handout")
        files[wanted[name]] = _as_handed_out(file, manifest.files[wanted[name]])
    _check(packed.source, manifest, files)
    if not any(file.executable for file in files.values()):  # a system without that right has packed it
        files = {path: PackedFile(file.data, file.data.startswith(b"#!")) for path, file in files.items()}
    return whole(manifest, files)


def _tops(names: Iterable[str]) -> list[str]:
    """The folders, with a slash at the end, in which a handout lies: those with the fewest folders around them."""
    own = [_tidy(name) for name in names if _is_own(name)]
    found = {name[: -len(MANIFEST)] for name in own if PurePosixPath(name).name == MANIFEST}
    least = min((one.count("/") for one in found), default=0)
    return sorted(one for one in found if one.count("/") == least)


def _tidy(name: str) -> str:
    """As tar writes it: some programs begin names with ./ or write the folders of Windows."""
    return name.replace("\\", "/").removeprefix("./")


def _is_own(name: str) -> bool:
    """Whether it is a file of somebody's: macOS packs shadows of files beside them."""
    parts = _tidy(name).split("/")
    return not parts[-1].startswith("._") and not _NEVER_IN & set(parts)


def _as_handed_out(file: PackedFile, wanted: str) -> PackedFile:
    """Windows may turn the line ends of text."""
    data = file.data
    if digest(data) != wanted and digest(unix := data.replace(b"\r\n", b"\n")) == wanted:
        data = unix
    return PackedFile(data, file.executable)


def _check(source: str, manifest: Manifest, files: Mapping[str, PackedFile]) -> None:
    missing = sorted(manifest.files.keys() - files.keys())
    other = sorted(path for path, file in files.items() if digest(file.data) != manifest.files[path])
    if missing or other:
        first = (missing or other)[0]
        what = "lacks files" if missing else "has files that differ from its manifest"
        more = f" and {len(missing or other) - 1} more" if len(missing or other) > 1 else ""
        raise RemediableError(f"{source} is damaged, or was worked in: it {what} ({first}{more}). {_AGAIN}")


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = " ".join(str(error).split())
    if isinstance(error, tarfile.ReadError) and ("could not be opened" in text or "not a" in text):
        return "it is no archive"
    return text[:200].rstrip(".") or type(error).__name__
