"""Writes a file as a whole or not at all: a reader sees the old contents or the new ones, and never a part of them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_durably(path: Path, text: str | bytes) -> None:
    """As `write_atomically`, and the file is there after a loss of power too."""
    write_atomically(path, text, durable=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_atomically(path: Path, text: str | bytes, *, durable: bool = False) -> None:
    """Writes `text` to `path` by atomic rename: a reader sees the old file or the new one. `durable`: its bytes are on the disk before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            os.fchmod(file.fileno(), 0o644)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
