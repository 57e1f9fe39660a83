"""Lists an uploaded folder. It follows no link and opens no file. What is not a regular file becomes a `Defect`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from grader.intake.uploads.naming import clean, is_junk
from grader.intake.uploads.upload import Contents, Defect, Limits, Refusal, Stored


def read_folder(root: Path, limits: Limits) -> Contents:
    """What lies under `root`, without junk, in the order of names. Raises Refusal where it exceeds the limits."""
    files: list[Stored] = []
    folders: list[tuple[str, ...]] = []
    defects: list[Defect] = []
    repositories: set[tuple[str, ...]] = set()
    for count, (path, entry) in enumerate(_walk(root, (), limits, defects, repositories)):
        if count >= limits.members:
            message = f"the folder holds more than {limits.members} entries"
            raise Refusal(message)
        if entry.is_symlink():
            defects.append(Defect(f"{clean('/'.join(path))!r} is a symbolic link; links are not followed", path))
        elif entry.is_dir(follow_symlinks=False):
            folders.append(path)
        elif entry.is_file(follow_symlinks=False):
            files.append(Stored(path, entry.stat(follow_symlinks=False).st_size, Path(entry.path)))
        else:
            defects.append(Defect(f"{clean('/'.join(path))!r} is not a regular file", path))
    return Contents(tuple(files), tuple(folders), tuple(defects), frozenset(repositories))


def _walk(
    folder: Path,
    above: tuple[str, ...],
    limits: Limits,
    defects: list[Defect],
    repositories: set[tuple[str, ...]],
) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
    if len(above) > limits.depth:
        message = f"the folder is nested deeper than {limits.depth} levels"
        raise Refusal(message)
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        defects.append(Defect(f"{clean('/'.join(above) or folder.name)!r} cannot be read: {error.strerror}", above))
        return
    for entry in entries:
        path = (*above, entry.name)
        if entry.name == ".git":
            repositories.add(above)
        if is_junk(path[-1:]):
            continue
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), path, limits, defects, repositories)
