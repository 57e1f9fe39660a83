"""Where the course is: the folder that holds `assignments/` and `kit/`, and the lab that a folder belongs to."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from grader.model.labs import Lab, LabError, lab_ids, load_lab


def course_root(start: Path) -> Path:
    """The course around `start`; without one, the course that contains this package. Raises LabError if there is neither."""
    for folder in (start, *start.parents, Path(__file__).resolve().parents[2]):
        if (folder / "assignments").is_dir() and (folder / "kit").is_dir():
            return folder
    message = f"{start}: there is no course here. Run this command inside the folder that holds assignments/ and kit/."
    raise LabError(message)


def lab_at(root: Path, folder: Path) -> str:
    """The lab whose folder is `folder` or contains it. Raises LabError if there is none."""
    for half in ("assignments", "solutions"):
        try:
            parts = folder.resolve().relative_to((root / half).resolve()).parts
        except ValueError:
            continue
        if parts and parts[0] in lab_ids(root):
            return parts[0]
    message = f"which lab? Name one of {', '.join(lab_ids(root))}, or run this command inside a lab's folder."
    raise LabError(message)


def matching_lab(root: Path, word: str) -> str:
    """The lab that `word` names, by its id or a part of it: `02` or `tiled`. Raises LabError if there is none, or several."""
    ids = lab_ids(root)
    word = word.rstrip("/").rpartition("/")[2]  # as the shell completes it: assignments/<lab>/
    chosen = [one for one in ids if one == word] or [one for one in ids if word and word.casefold() in one.casefold()]
    if len(chosen) == 1:
        return chosen[0]
    which = (
        f"LAB={word} could be any of {', '.join(chosen)}"
        if chosen
        else f"there is no lab {word!r}{_nearest(word, ids)}"
    )
    message = f"{which}; the labs here are: {', '.join(ids) or 'none'}"
    raise LabError(message)


def _nearest(word: str, ids: Sequence[str]) -> str:
    """`; do you mean <lab>?`, if one is near."""
    plain = {part: one for one in ids for part in (one, one.partition("-")[2])}
    near = difflib.get_close_matches(word.casefold(), plain, 1)
    return f"; do you mean {plain[near[0]]}?" if near else ""


def load_labs(root: Path, wanted: Sequence[str]) -> list[Lab]:
    """The labs named, or all of them, in order. Raises LabError that says what is wrong."""
    labs = [load_lab(root, lab_id) for lab_id in (sorted(set(wanted)) or lab_ids(root))]
    if not labs:
        message = f"{root / 'assignments'}: there is no lab here; a lab is a folder with a lab.toml"
        raise LabError(message)
    files = [lab.public.file for lab in labs]
    if shared := {file for file in files if files.count(file) > 1}:
        folders = ", ".join(f"assignments/{lab.id}" for lab in labs if lab.public.file == min(shared))
        remedy = "If one of them is a copy of the other, move it out of assignments/"
        message = f"two labs ask for the same file, {min(shared)}: {folders}. {remedy}"
        raise LabError(message)
    return labs
