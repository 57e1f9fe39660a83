"""A tar.gz whose bytes depend only on its contents: names sorted, one time, one owner, nothing from this machine.

It holds files only, which everybody may read. Folders are made when it is unpacked. Another version of zlib may compress it to
other bytes, but its contents stay the same.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PackedFile:
    """A file's contents, and whether it is executable."""

    data: bytes
    executable: bool = False


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
