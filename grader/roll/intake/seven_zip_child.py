"""Unpacks a 7z archive in a process of its own, within limits of memory, time and bytes. It is a program and imports nothing of ours.

`seven_zip_child.py ARCHIVE FOLDER MEMBERS BYTES` writes each file's bytes to FOLDER under a number, and to FOLDER/list.json a list of
`[name, size, kind, number]`, or `{"refused": why}`. No name of the archive's is a path here.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

_MEMORY = 1 << 30
_SECONDS = 60


class _TooMuchError(Exception):
    pass


def main() -> int:
    archive, folder, members, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (count + 1, count + 1))
    try:
        told: object = list(_unpacked(archive, folder, members, count))
    except ImportError:
        told = {"refused": "missing"}
    except _TooMuchError as error:
        told = {"refused": str(error)}
    except MemoryError:
        told = {"refused": "unpacking the archive takes too much memory"}
    except Exception as error:  # noqa: BLE001 -- a hostile archive can make its reader fail in any way
        told = {"refused": f"the archive is damaged or incomplete ({type(error).__name__})"}
    (folder / "list.json").write_text(json.dumps(told), encoding="ascii")
    return 0


def _unpacked(path: Path, folder: Path, members: int, count: int) -> Iterator[tuple[str, int, str, int]]:
    import py7zr  # noqa: PLC0415 -- optional: whoever called this says so where it is missing

    with py7zr.SevenZipFile(path, blocksize=1 << 16) as archive:
        entries = list(archive.files)
        if archive.needs_password():
            raise _TooMuchError("the archive is encrypted")
        if len(entries) > members:
            raise _TooMuchError(f"the archive holds more than {members} entries")
        _check(sum(entry.uncompressed or 0 for entry in entries), count)
        kinds = [(entry.filename, entry.uncompressed or 0, _kind(entry)) for entry in entries]
        written = _extract(archive, folder, count)
    for name, size, kind in kinds:
        yield name, size, kind, written.get(name, -1)


def _check(size: int, count: int) -> None:
    if size > count:
        raise _TooMuchError(f"the archive unpacks to more than {count >> 20} MiB")


def _extract(archive: Any, folder: Path, count: int) -> dict[str, int]:  # noqa: ANN401 -- of a package that may be missing
    """The number of each name."""
    import py7zr.io  # noqa: PLC0415

    written: dict[str, int] = {}

    class Bytes(py7zr.io.Py7zIO):
        """One file's bytes on their way to disk."""

        total = 0

        def __init__(self, file: IO[bytes]) -> None:
            self._file, self._size = file, 0

        def write(self, s: bytes | bytearray) -> int:
            Bytes.total += len(s)
            _check(Bytes.total, count)
            self._size += len(s)
            return self._file.write(s)

        def read(self, size: int | None = None) -> bytes:
            return self._file.read(-1 if size is None else size)

        def seek(self, offset: int, whence: int = 0) -> int:
            return self._file.seek(offset, whence)

        def flush(self) -> None:
            self._file.flush()

        def size(self) -> int:
            return self._size

        def close(self) -> None:
            self._file.close()

    class Numbered(py7zr.io.WriterFactory):
        def create(self, filename: str) -> Bytes:
            written[filename] = len(written)
            return Bytes((folder / str(written[filename])).open("x+b"))

    archive.extract(factory=Numbered())
    return written


def _kind(entry: object) -> str:
    if getattr(entry, "is_symlink", False) or getattr(entry, "is_junction", False):
        return "a symbolic link"
    if getattr(entry, "is_socket", False):
        return "a device or another special file"
    return "folder" if getattr(entry, "is_directory", False) else "file"


if __name__ == "__main__":
    sys.exit(main())
