"""Reads a stored file of an upload: at most so many bytes, and only of a regular file."""

from __future__ import annotations

import os
import stat

from grader.intake.uploads.upload import Stored


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
