"""An upload as data, whether it came as a folder or as an archive: its files, where their bytes are, and what is wrong with it; the limits
on uploads; and how folders and archives are read.
"""

from __future__ import annotations

import errno
import gzip
import os
import stat
import sys
import sysconfig
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from grader.model.errors import MachineError
from grader.model.labs import SOURCE_BYTES
from grader.model.result import Student
from grader.model.written_names import clean, is_junk
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement, Unconfined
from grader.system.confinement import Limits as ProcessLimits

FILE_BYTES = SOURCE_BYTES
NOTEBOOK_BYTES = 4 << 20  # with the pictures that its cells gave
SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
FOREIGN_SUFFIXES = (".rar", ".7z", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst", ".gz", ".xz", ".bz2", ".zst")


@dataclass(frozen=True)
class Limits:
    """What one archive may hold."""

    archive_bytes: int = 32 << 20
    members: int = 10_000
    directory_bytes: int = 2 << 20  # a zip's list of names, which is read into memory as a whole
    unpacked_bytes: int = 256 << 20
    ratio: int = 200  # unpacked size by packed size; applies above `ratio_from_bytes` unpacked bytes
    ratio_from_bytes: int = 8 << 20
    path_bytes: int = 1_024
    depth: int = 16


STUDENT = Limits()
# The instructor's own download: larger, but limited too.
CLASS = Limits(archive_bytes=8 << 30, members=200_000, directory_bytes=64 << 20, unpacked_bytes=32 << 30, ratio=2_000)


@dataclass(frozen=True)
class Defect:
    """Why an archive, or one path in it, cannot be taken."""

    reason: str
    path: tuple[str, ...] = ()  # the part of it that can be trusted; empty: the archive as a whole


@dataclass(frozen=True)
class Stored:
    """One regular file of an upload."""

    path: tuple[str, ...]
    size: int
    at: Path | None = None  # where its bytes are; None: not asked for


@dataclass(frozen=True)
class Contents:
    files: tuple[Stored, ...] = ()
    folders: tuple[tuple[str, ...], ...] = ()
    defects: tuple[Defect, ...] = ()
    repositories: frozenset[tuple[str, ...]] = frozenset()  # that hold a `.git`; the rest of junk leaves no trace


@dataclass
class Gathered:
    """Contents while they are put together."""

    files: list[Stored] = field(default_factory=list)
    folders: list[tuple[str, ...]] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
    repositories: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def contents(self) -> Contents:
        return Contents(tuple(self.files), tuple(self.folders), tuple(self.defects), frozenset(self.repositories))


class Refusal(Exception):  # noqa: N818 -- a decision about an upload, no failure
    """The archive as a whole cannot be taken. The text says why."""


@dataclass(frozen=True)
class Request:
    """Which files are stored, how many bytes of each, and where."""

    spool: Path  # our own folder; it exists
    # By path, asked once; of a larger file, one byte more is stored; 0: it is not.
    file_bytes: Callable[[tuple[str, ...]], int]
    limits: Limits = STUDENT
    confinement: Confinement | None = None  # of the programs that unpack; none: for one's own archives alone


@dataclass(frozen=True)
class Upload:
    """One attempt of one student or team, as it was found."""

    name: str
    contents: Contents = field(default_factory=Contents)
    refused: str | None = None
    notices: tuple[str, ...] = ()
    owners: tuple[Student, ...] = ()  # whose it is: several for a team; empty: `name` is all that is known
    at: datetime | None = None  # when it was handed in, with its time zone; none: nothing says
    attempt: int = 0  # 1, 2, ... of one owner's; 0: the platform gives one alone
    told: int = 0  # how many attempts of this owner the platform says there were; 0: it does not say
    late: bool = False  # the platform itself marked it as late
    # Which of several given SUBMISSIONS it is from, and which question there: their attempts are counted apart.
    download: int = 0
    text: str = ""  # what was typed into the platform's own text field
    downloaded: tuple[str, ...] = ()  # the names that the platform gave its files in a download
    packed: bool = False  # came as an archive: an archive inside it is not opened, and any defect makes us refuse it


def failure_reason(error: Exception) -> str:
    """Why an upload is refused at which Tilelab itself fails. The error's own text may quote the upload, so it is not shown."""
    return f"Tilelab failed while it read this upload ({type(error).__name__}); the instructor has to look at it"


def is_archive_name(name: str) -> bool:
    return name.casefold().endswith(SUFFIXES + FOREIGN_SUFFIXES)


def stem_of(name: str) -> str:
    """`name` without its archive suffix."""
    longest = sorted(SUFFIXES + FOREIGN_SUFFIXES, key=len, reverse=True)
    suffix = next((suffix for suffix in longest if name.casefold().endswith(suffix)), "")
    return name[: len(name) - len(suffix)]


def clashes(paths: Iterable[tuple[str, ...]]) -> list[Defect]:
    """Paths that are the same file on some machine: they differ only in case or Unicode form, or a file is also a folder."""
    seen: dict[tuple[str, ...], tuple[str, ...]] = {}
    folders: set[tuple[str, ...]] = set()
    defects = []
    for path in paths:
        key = tuple(unicodedata.normalize("NFKC", part).casefold() for part in path)
        if key in seen:
            one, other = clean("/".join(seen[key])), clean("/".join(path))
            same = "twice" if seen[key] == path else f"and {other!r}, which are the same name on many machines"
            defects.append(Defect(f"the archive holds {one!r} {same}", path))
        seen.setdefault(key, path)
        folders.update(key[:length] for length in range(1, len(key)))
    both = [seen[key] for key in sorted(folders & seen.keys())]
    reason = "both as a file and as a folder"
    return defects + [Defect(f"the archive holds {clean('/'.join(path))!r} {reason}", path) for path in both]


def size_text(count: int) -> str:
    return f"{count >> 30} GiB" if count >= 1 << 30 else f"{count >> 20} MiB"


# Reads a stored file of an upload: at most so many bytes, and only of a regular file.


def stored_bytes(file: Stored, limit: int) -> bytes | None:
    """At most `limit` bytes and one more. None where it is not regular, was not stored or cannot be read. Follows no link."""
    if file.at is None:
        return None
    try:
        descriptor = os.open(file.at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as source:  # noqa: PTH123 -- a descriptor, not a path
        return source.read(limit + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


# Lists an uploaded folder. It follows no link and opens no file. What is not a regular file becomes a `Defect`.


def read_folder(root: Path, limits: Limits) -> Contents:
    """What lies under `root`, without junk, in the order of names. Raises Refusal where it exceeds the limits."""
    found = Gathered()
    for count, (path, entry) in enumerate(_walk(root, (), limits, found)):
        if count >= limits.members:
            raise Refusal(f"the folder holds more than {limits.members} entries")
        if entry.is_symlink():
            found.defects.append(Defect(f"{clean('/'.join(path))!r} is a symbolic link; links are not followed", path))
        elif entry.is_dir(follow_symlinks=False):
            found.folders.append(path)
        elif entry.is_file(follow_symlinks=False):
            found.files.append(Stored(path, entry.stat(follow_symlinks=False).st_size, Path(entry.path)))
        else:
            found.defects.append(Defect(f"{clean('/'.join(path))!r} is not a regular file", path))
    return found.contents


def _walk(
    folder: Path, above: tuple[str, ...], limits: Limits, found: Gathered
) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
    if len(above) > limits.depth:
        raise Refusal(f"the folder is nested deeper than {limits.depth} levels")
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        found.defects.append(
            Defect(f"{clean('/'.join(above) or folder.name)!r} cannot be read: {error.strerror}", above)
        )
        return
    for entry in entries:
        path = (*above, entry.name)
        if entry.name == ".git":
            found.repositories.add(above)
        if is_junk(path[-1:]):
            continue
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), path, limits, found)


# Reads uploaded archives: lists what a zip or tar holds and stores the files asked for, within limits.
#
# The archive does not choose where its bytes are stored: stored files get numbers as names. An archive inside an archive is not opened
# here. Whatever is wrong becomes a `Defect` with a reason in plain words. The caller decides whom it concerns.

_CHUNK = 1 << 16
# Errors of this machine. All other errors are the archive's: it can make the reader seek anywhere, for example.
_MACHINE_ERRORS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EPERM, errno.ENOENT}
)


@dataclass(frozen=True)
class _Member:
    """One entry as its archive describes it."""

    name: str
    size: int
    kind: str  # "file", "folder", or a description of what else it is
    open: Callable[[], IO[bytes]]


def read_archive(path: Path, request: Request) -> Contents:
    """What the archive at `path` holds, without junk. Raises Refusal where it cannot be read to its end within the limits."""
    limits = request.limits
    packed = path.stat().st_size
    if packed > limits.archive_bytes:
        raise Refusal(f"the archive is larger than {size_text(limits.archive_bytes)}")
    with path.open("rb") as file:
        if file.read(len(MARK)) == MARK:
            folder = request.spool / "unpacked"
            unpack_seven_zip(path, folder, limits, request.confinement)
            contents = read_folder(folder, limits)
            _check_size(sum(one.size for one in contents.files), packed, limits)
            return contents
    found, declared = Gathered(), 0
    try:
        for count, member in enumerate(_members(path, limits), 1):
            declared += member.size
            if count > limits.members:
                raise Refusal(f"the archive holds more than {limits.members} entries")  # noqa: TRY301 -- as from deeper down
            _check_size(declared, packed, limits)
            _take(member, found, request)
    except (Refusal, MachineError):
        raise
    except Exception as error:  # a hostile archive can make its reader fail in any way
        if isinstance(error, OSError) and error.errno in _MACHINE_ERRORS:
            raise
        raise Refusal(f"the archive is damaged or incomplete ({type(error).__name__})") from error
    return found.contents


def _take(member: _Member, found: Gathered, request: Request) -> None:
    """Stores one member if it was asked for."""
    parts, reason = _parts(member.name, request.limits)
    if reason is None and member.kind not in {"file", "folder"}:
        reason = f"the archive holds {member.kind}: {clean(member.name)}"
    if reason is not None:
        found.defects.append(Defect(reason, parts))
    elif is_junk(parts):
        found.repositories.update(parts[:depth] for depth, part in enumerate(parts) if part == ".git")
    elif member.kind == "folder":
        found.folders.append(parts)
    elif parts:
        at = None
        if limit := request.file_bytes(parts):
            at = request.spool / f"{len(found.files):06}"
            with member.open() as source:
                _store(source, at, limit)
        found.files.append(Stored(parts, member.size, at))


def _store(source: IO[bytes], at: Path, limit: int) -> None:
    """Copies at most `limit` bytes and one more. The one more shows that the file is larger."""
    left = limit + 1
    with at.open("xb") as target:
        while left > 0 and (chunk := source.read(min(_CHUNK, left))):
            target.write(chunk)
            left -= len(chunk)


def _parts(name: str, limits: Limits) -> tuple[tuple[str, ...], str | None]:
    """The path's parts. Where the path cannot be taken: the parts before the fault, and the reason."""
    name = name.replace("\\", "/")  # zips made by Windows
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
    """The archive's entries in their order. Its first bytes say which kind of archive it is; its name does not count."""
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
            raise Refusal("the file is empty")
        else:
            raise Refusal(
                "this is not a zip, tar or tar.gz archive (other kinds, such as rar, are not accepted: unpack it and pack a zip)"
            )


class _Directory:
    """A zip's file while its list of names is read. It refuses to read more than `limit` bytes at once."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self.limit: int | None = limit

    def read(self, size: int = -1) -> bytes:
        if self.limit is not None and not 0 <= size <= self.limit and size != -1:
            raise Refusal("the archive's list of entries is too long")
        return self._file.read(size)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


def _zip_members(file: BinaryIO, limits: Limits) -> Iterator[_Member]:
    directory = _Directory(file, limits.directory_bytes)
    with zipfile.ZipFile(cast("BinaryIO", directory)) as archive:
        directory.limit = None
        for info in archive.infolist():
            if info.flag_bits & 0x1:
                raise Refusal(f"the archive is encrypted: {clean(info.filename)}")
            yield _Member(_zip_name(info), info.file_size, _zip_kind(info), partial(archive.open, info))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name. Some archivers write UTF-8 and do not say so; their names are read as UTF-8 too."""
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
    """A tar stream that raises Refusal when more bytes come out of it than the limits allow."""

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
            opened = cast("Callable[[], IO[bytes]]", partial(archive.extractfile, info))  # is asked of files alone
            yield _Member(info.name, info.size, _tar_kind(info), opened)
            archive.members.clear()  # type: ignore[attr-defined]  # typeshed omits it; without this, every name stays in memory


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
        raise Refusal(f"the archive unpacks to more than {size_text(limits.unpacked_bytes)}")
    if unpacked > limits.ratio_from_bytes and unpacked > limits.ratio * max(packed, 1):
        raise Refusal(f"the archive unpacks to more than {limits.ratio} times its size")


# A 7z archive is unpacked into a folder of ours, which is then read as a folder that was handed in: by a confined child, within limits.
#
# The reader of 7z (py7zr) is optional. Where it is not installed, the student is told which kinds are accepted. A hostile archive may
# take the child over: what it leaves is as little believed as any upload.

MARK = b"7z\xbc\xaf\x27\x1c"
_CHILD = Path(__file__).with_name("seven_zip_child.py")
# The sandbox forbids a system call with which Python opens a program that it is started with.
_START = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
_MEMORY = 1 << 30
_SECONDS, _CPU_SECONDS = 120, 60
_REFUSED = 1  # the child's exit status where it says why
_NOT_CONFINED = 125  # the launcher's
_MISSING = (
    "this is a 7z archive, which cannot be opened here: hand in a zip (to open 7z too, the instructor can run "
    "`.venv/bin/pip install 'py7zr>=1,<2'`)"
)


def unpack_seven_zip(path: Path, folder: Path, limits: Limits, confinement: Confinement | None) -> None:
    """Raises Refusal, and MachineError where the child cannot be confined. `confinement`: none is for one's own archives alone."""
    folder.mkdir()
    argv = [sys.executable, "-I", "-c", _START, str(_CHILD), str(path.resolve()), str(folder.resolve())]
    argv += [str(limits.members), str(limits.unpacked_bytes)]
    finished = run_confined(
        confinement or Unconfined(),
        argv,
        readable=[path.resolve(), _CHILD, *_python()],
        writable=[folder.resolve()],
        limits=ProcessLimits(
            "build",
            cpu_seconds=_CPU_SECONDS,
            wall_seconds=_SECONDS,
            memory_bytes=_MEMORY,
            processes=64,
            file_bytes=limits.unpacked_bytes + 1,
            open_files=256,
        ),
        cwd=folder,
    )
    if finished.returncode == _NOT_CONFINED:
        reason = finished.stderr.decode("utf-8", "replace").strip()
        raise MachineError(f"a 7z archive could not be unpacked in a sandbox on this machine: {reason}")
    if finished.returncode == _REFUSED and finished.stdout:
        reason = finished.stdout.decode("utf-8", "replace")[:300]
        raise Refusal(_MISSING if reason == "missing" else reason)
    if finished.timed_out or finished.returncode != 0:
        raise Refusal("unpacking the archive takes too much time or memory")


def _python() -> list[Path]:
    """What this Python has to read to run, besides the system's own folders."""
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_config_var("LIBDIR")]
    names = [sys.prefix, *library]
    folders = {Path(name) for name in names if name} | {Path(sys.executable).resolve().parent}
    return sorted(one for one in folders if one.is_dir() and not one.is_relative_to("/usr"))
