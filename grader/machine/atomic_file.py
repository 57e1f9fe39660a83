"""Writes a file as a whole or not at all: a reader sees the old contents or the new ones, and never a part of them."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

_GROUP = 0o060


def is_shared(folder: Path) -> bool:
    """Whether a group works in this folder together: it may write there, and what is made there is the group's (`chmod g+ws`)."""
    both = stat.S_ISGID | stat.S_IWGRP
    return folder.stat().st_mode & both == both


def write_durably(path: Path, text: str | bytes) -> None:
    """As `write_atomically`, and the file is there after a loss of power too."""
    write_atomically(path, text, durable=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_atomically(path: Path, text: str | bytes, *, durable: bool = False, mode: int = 0o644) -> None:
    """Writes `text` to `path` by atomic rename: a reader sees the old file or the new one. `durable`: its bytes are on the disk before.
    `mode`: who may read it; in a folder that a group shares, its group may read and write it as well.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            os.fchmod(file.fileno(), mode | (_GROUP if is_shared(path.parent) else 0))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
