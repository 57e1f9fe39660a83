"""The course's secret seed. It is made at first use in `.tilelab/seed`, readable only by its owner, and never committed.

Hidden random shapes and inputs follow from it. The judge of each lab gets a key derived from it, by a function that does not run
backwards, and derives its own keys from that. The seed itself goes to `OUT/instructor/` and nowhere else.
TILELAB_SEED names another file for it, because a container's own folder does not last.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from grader.model.errors import RemediableError

_BITS = 128
_DIGITS = len(str(1 << _BITS))


class SeedError(RemediableError):
    """The seed file exists but contains no seed."""


def course_seed(root: Path) -> int:
    """The seed of the course at `root`. If two processes make it at the same time, the first one's counts for both."""
    path = _place(root)
    if not path.exists():
        if not os.environ.get("TILELAB_SEED"):
            path.parent.mkdir(exist_ok=True)
        _make(path)
    return _read(path)


def judge_key(seed: int, lab_id: str) -> bytes:
    """What the randomness of one lab's judge follows from. Whoever knows it knows neither the seed nor another lab's key."""
    return hashlib.blake2b(lab_id.encode(), key=seed.to_bytes(_BITS // 8, "little"), digest_size=32).digest()


def seed_if_made(root: Path) -> int | None:
    """The course's seed if a grading has made one; it makes none."""
    path = _place(root)
    return _read(path) if path.exists() else None


def _place(root: Path) -> Path:
    elsewhere = os.environ.get("TILELAB_SEED")
    return Path(elsewhere) if elsewhere else root / ".tilelab" / "seed"


def _read(path: Path) -> int:
    text = path.read_bytes().decode("ascii", "replace").strip()
    if not text.isdecimal() or len(text) > _DIGITS or int(text) >= 1 << _BITS:
        message = f"{path} holds no seed. Remove it, and a new one will be made; hidden random sizes change with it."
        raise SeedError(message)
    return int(text)


def _make(path: Path) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{secrets.randbits(_BITS)}\n")
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    except OSError as error:
        message = (
            f"{path}: the course's secret seed cannot be written there ({error.strerror}). Make the folder writable."
        )
        raise SeedError(message) from error
