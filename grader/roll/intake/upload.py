"""An upload as data, whether it came as a folder or as an archive: its files, where their bytes are, and what is wrong with it.

The limits on uploads are here too. Nothing here reads a file.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.model.result import Student
from grader.model.written_names import clean, is_junk
from grader.system.confinement import Confinement

FILE_BYTES = 256 << 10  # of one source file
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
