"""Reads uploaded archives: lists what a zip or tar holds and stores the files asked for, within limits.

Nothing of an archive chooses where its bytes land: stored files get numbers for names. No archive inside an archive is
opened here. Everything wrong is a `Defect` with the reason a person would give; the caller decides whom it concerns.
"""

from __future__ import annotations

import errno
import gzip
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from grader.intake.naming import clean, is_junk
from grader.intake.upload import Contents, Defect, Limits, Refusal, Request, Stored, size_in_words

_CHUNK = 1 << 16
# Trouble of this machine, not of the archive (which can make the reader seek anywhere, for one).
_OURS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EPERM, errno.ENOENT})


@dataclass(frozen=True)
class _Member:
    """One entry as its archive describes it."""

    name: str
    size: int
    kind: str  # "file", "folder", or what it is instead
    open: Callable[[], IO[bytes]]


@dataclass
class _Intaking:
    """What was read of one archive so far."""

    request: Request
    files: list[Stored] = field(default_factory=list)
    folders: list[tuple[str, ...]] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
    members: int = 0
    declared_bytes: int = 0


def read_archive(path: Path, request: Request) -> Contents:
    """What the archive at `path` holds, junk aside. Raises Refusal when it cannot be read to its end within the limits."""
    limits = request.limits
    packed = path.stat().st_size
    if packed > limits.archive_bytes:
        message = f"the archive is larger than {size_in_words(limits.archive_bytes)}"
        raise Refusal(message)
    intaking = _Intaking(request)
    try:
        for member in _members(path, limits):
            _take(intaking, member, packed)
    except Refusal:
        raise
    except OSError as error:
        if error.errno in _OURS:
            raise
        raise Refusal(_broken(error)) from error
    except Exception as error:  # a hostile archive breaks its reader in any way it likes
        raise Refusal(_broken(error)) from error
    return Contents(tuple(intaking.files), tuple(intaking.folders), tuple(intaking.defects))


def _take(intaking: _Intaking, member: _Member, packed: int) -> None:
    """Checks one member against the limits and stores it if it was asked for."""
    request, limits = intaking.request, intaking.request.limits
    intaking.members += 1
    if intaking.members > limits.members:
        message = f"the archive holds more than {limits.members} entries"
        raise Refusal(message)
    intaking.declared_bytes += member.size
    _check_size(intaking.declared_bytes, packed, limits)
    parts, reason = _parts(member.name, limits)
    if reason is None and member.kind not in {"file", "folder"}:
        reason = f"the archive holds {member.kind}: {clean(member.name)}"
    if reason is not None:
        intaking.defects.append(Defect(reason, parts))
    elif is_junk(parts):
        return
    elif member.kind == "folder":
        intaking.folders.append(parts)
    elif parts:
        at = None
        if request.asks_for(parts[-1]):
            at = request.spool / f"{len(intaking.files):06}"
            with member.open() as source:
                _store(source, at, request.file_bytes(parts[-1]))
        intaking.files.append(Stored(parts, member.size, at))


def _store(source: IO[bytes], at: Path, limit: int) -> None:
    """Copies at most `limit` bytes and one more, which tells that there was more."""
    left = limit + 1
    with at.open("xb") as target:
        while left > 0 and (chunk := source.read(min(_CHUNK, left))):
            target.write(chunk)
            left -= len(chunk)


def _parts(name: str, limits: Limits) -> tuple[tuple[str, ...], str | None]:
    """The path's parts and, if it cannot be taken, why; then only the parts before the trouble."""
    name = name.replace("\\", "/")  # Windows' own zips
    parts = tuple(part for part in name.split("/") if part not in {"", "."})
    trusted: list[str] = []
    for part in parts:
        if part == "..":
            return tuple(trusted), f"the archive holds a path with '..': {clean(name)}"
        if "\0" in part or len(part.encode("utf-8", "surrogateescape")) > 255:  # noqa: PLR2004 -- NAME_MAX
            return tuple(trusted), f"the archive holds an impossible file name: {clean(name)}"
        trusted.append(part)
    if name.startswith("/") or (parts and len(parts[0]) == 2 and parts[0][1] == ":"):  # noqa: PLR2004 -- "C:"
        return (), f"the archive holds an absolute path: {clean(name)}"
    if len(name) > limits.path_bytes or len(parts) > limits.depth:
        return parts[:1], f"the archive holds a path that is too long or too deep: {clean(name)}"
    return parts, None


def _members(path: Path, limits: Limits) -> Iterator[_Member]:
    """The archive's entries in their order; its first bytes, not its name, say what it is."""
    with path.open("rb") as file:
        head = file.read(512)
        file.seek(0)
        if head[:4] in {b"PK\3\4", b"PK\5\6"}:
            yield from _zip_members(file, limits)
        elif head[:2] == b"\x1f\x8b":
            with gzip.open(file) as unpacked:
                yield from _tar_members(cast("BinaryIO", unpacked), limits, file)
        elif head[257:262] == b"ustar":
            yield from _tar_members(file, limits, file)
        elif not head:
            message = "the file is empty"
            raise Refusal(message)
        else:
            message = "this is no zip, tar or tar.gz archive (others, such as rar and 7z, are not taken)"
            raise Refusal(message)


class _Directory:
    """A zip's file while its list of names is read: refuses to read more than `limit` bytes of it at once."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self.limit: int | None = limit

    def read(self, size: int = -1) -> bytes:
        if self.limit is not None and not 0 <= size <= self.limit and size != -1:
            message = "the archive's list of entries is too long"
            raise Refusal(message)
        return self._file.read(size)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


def _zip_members(file: BinaryIO, limits: Limits) -> Iterator[_Member]:
    directory = _Directory(file, limits.directory_bytes)
    with zipfile.ZipFile(cast("BinaryIO", directory)) as archive:
        directory.limit = None
        for info in archive.infolist():
            if info.flag_bits & 0x1:
                message = f"the archive is encrypted: {clean(info.filename)}"
                raise Refusal(message)
            yield _Member(_zip_name(info), info.file_size, _zip_kind(info), partial(archive.open, info))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name; archivers that write UTF-8 without saying so are understood."""
    name = info.orig_filename
    if info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "a device or another special file"
    return "folder" if info.orig_filename.endswith(("/", "\\")) or stat.S_ISDIR(mode) else "file"


class _Unpacked:
    """A tar stream that ends the reading once more came out of it than the limits allow."""

    def __init__(self, stream: BinaryIO, limits: Limits, packed: BinaryIO) -> None:
        self._stream, self._limits, self._packed = stream, limits, packed
        self._read = 0

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            size = _CHUNK
        data = self._stream.read(min(size, self._limits.unpacked_bytes + 1))
        self._read += len(data)
        _check_size(self._read, self._packed.tell(), self._limits)
        return data


def _tar_members(stream: BinaryIO, limits: Limits, packed: BinaryIO) -> Iterator[_Member]:
    bounded = cast("BinaryIO", _Unpacked(stream, limits, packed))
    with tarfile.open(fileobj=bounded, mode="r|", errorlevel=2) as archive:
        while (info := archive.next()) is not None:
            yield _Member(info.name, info.size, _tar_kind(info), partial(_tar_file, archive, info))
            archive.members.clear()  # type: ignore[attr-defined]  # typeshed omits it; else every name stays in memory


def _tar_file(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    assert file is not None
    return file


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.isdir():
        return "folder"
    if info.issym():
        return "a symbolic link"
    if info.islnk():
        return "a hard link"
    if not info.isreg() or info.issparse():
        return "a device or another special file"
    return "file"


def _check_size(unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked_bytes:
        message = f"the archive unpacks to more than {size_in_words(limits.unpacked_bytes)}"
        raise Refusal(message)
    if unpacked > limits.ratio_from_bytes and unpacked > limits.ratio * max(packed, 1):
        message = f"the archive unpacks to more than {limits.ratio} times its size"
        raise Refusal(message)


def _broken(error: Exception) -> str:
    return f"the archive is damaged or incomplete ({type(error).__name__})"
