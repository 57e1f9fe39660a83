"""Unpacks a 7z archive in a process of its own, within limits of memory, time and bytes. It is a program and imports nothing of ours.

`seven_zip_child.py ARCHIVE FOLDER MEMBERS BYTES` fills FOLDER. Where it cannot, it prints why and its status is 1.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

_MEMORY = 1 << 30
_SECONDS = 60


class _TooMuchError(Exception):
    pass


def main() -> int:
    archive, folder, members, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (count + 1, count + 1))
    # The archive's times and rights are nobody's: a file without the right to be read would be of no use.
    os.utime = os.chmod = lambda *_, **__: None  # type: ignore[assignment]  # they take any arguments, and do nothing
    try:
        _unpack(archive, folder, members, count)
    except ImportError:
        why = "missing"
    except _TooMuchError as error:
        why = str(error)
    except MemoryError:
        why = "unpacking the archive takes too much memory"
    except Exception as error:  # noqa: BLE001 -- a hostile archive can make its reader fail in any way
        why = f"the archive is damaged or incomplete ({type(error).__name__})"
    else:
        return 0
    sys.stdout.write(why)
    return 1


def _unpack(path: Path, folder: Path, members: int, count: int) -> None:
    import py7zr  # noqa: PLC0415 -- optional: whoever called this says so where it is missing

    with py7zr.SevenZipFile(path, blocksize=1 << 16) as archive:
        entries = list(archive.files)
        if archive.needs_password():
            raise _TooMuchError("the archive is encrypted")
        if len(entries) > members:
            raise _TooMuchError(f"the archive holds more than {members} entries")
        if sum(entry.uncompressed or 0 for entry in entries) > count:  # it writes no more than it declares
            raise _TooMuchError(f"the archive unpacks to more than {count >> 20} MiB")
        archive.extractall(folder)


if __name__ == "__main__":
    sys.exit(main())
