"""Where the course is: the folder that holds `assignments/` and `kit/`, and the lab that a folder belongs to."""

from __future__ import annotations

import difflib
import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError, lab_ids, load_lab

PUBLIC_SEED = 1  # public cases are the same for everybody at all times


def course_root(start: Path) -> Path:
    """The course around `start`; without one, the course that contains this package. Raises LabError if there is neither."""
    for folder in (start, *start.parents, Path(__file__).resolve().parents[2]):
        if (folder / "assignments").is_dir() and (folder / "kit").is_dir():
            return folder
    raise LabError(
        f"{start}: there is no course here. Run this command inside the folder that holds assignments/ and kit/."
    )


def lab_at(root: Path, folder: Path) -> str:
    """The lab whose folder is `folder` or contains it. Raises LabError if there is none."""
    for half in ("assignments", "solutions"):
        try:
            parts = folder.resolve().relative_to((root / half).resolve()).parts
        except ValueError:
            continue
        if parts and parts[0] in lab_ids(root):
            return parts[0]
    raise LabError(f"which lab? Name one of {', '.join(lab_ids(root))}, or run this command inside a lab's folder.")


def matching_lab(ids: Sequence[str], word: str) -> str:
    """The one of `ids` that `word` names, whole or in part: `02` or `tiled`. Raises LabError if there is none, or several."""
    word = word.rstrip("/").rpartition("/")[2]  # as the shell completes it: assignments/<lab>/
    chosen = [one for one in ids if one == word] or [one for one in ids if word and word.casefold() in one.casefold()]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise LabError(f"LAB={word} could be any of {', '.join(chosen)}")
    plain = {part: one for one in ids for part in (one, one.partition("-")[2])}
    near = difflib.get_close_matches(word.casefold(), plain, 1)
    meant = f" (do you mean {plain[near[0]]}?)" if near else ""
    raise LabError(f"there is no lab {word!r}{meant}; the labs here are: {', '.join(ids) or 'none'}")


def load_labs(root: Path, wanted: Sequence[str]) -> list[Lab]:
    """The labs named, in whole or in part, or all of them, in order. Raises LabError that says what is wrong."""
    ids = lab_ids(root)
    labs = [load_lab(root, lab_id) for lab_id in sorted({matching_lab(ids, word) for word in wanted}) or ids]
    if not labs:
        raise LabError(f"{root / 'assignments'}: there is no lab here; a lab is a folder with a lab.toml")
    files = [lab.public.file for lab in labs]
    if shared := {file for file in files if files.count(file) > 1}:
        folders = ", ".join(f"assignments/{lab.id}" for lab in labs if lab.public.file == min(shared))
        remedy = "If one of them is a copy of the other, move it out of assignments/"
        raise LabError(f"two labs ask for the same file, {min(shared)}: {folders}. {remedy}")
    return labs


# The course's secret seed. It is made at first use in `.tilelab/seed`, readable only by its owner, and never committed.
#
# Hidden random shapes and inputs follow from it. The judge of each lab gets a key derived from it, by a function that does not run
# backwards, and derives its own keys from that. The seed itself goes to `OUT/instructor/` and nowhere else.
# TILELAB_SEED names another file for it, because a container's own folder does not last.

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
        raise SeedError(
            f"{path} holds no seed. Remove it, and a new one will be made; hidden random sizes change with it."
        )
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
        raise SeedError(
            f"{path}: the course's secret seed cannot be written there ({error.strerror}). Make the folder writable."
        ) from error
