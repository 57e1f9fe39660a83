"""Finds a lab's files in one upload by their exact names, and copies them, normalised, into our own folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.naming import clean, nearly
from grader.intake.source_text import normalise
from grader.intake.upload import Contents, Stored

_NESTED = 2  # how many single nested folders are entered


@dataclass
class Match:
    """What became of each wanted file. A wanted file that is in none of the three dictionaries is missing."""

    sources: dict[str, Path] = field(default_factory=dict)
    blocked: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def match_files(contents: Contents, target: Path, wanted: Iterable[str], limit: int) -> Match:
    """Copies those of the `wanted` files that `contents` holds to `target`. Each may have at most `limit` bytes."""
    match = Match()
    wanted = sorted(wanted)
    files = list(contents.files)
    if not files and not contents.defects:
        match.notices.append("this submission has no files")
    files = _unnested(files, match.notices)
    for name in wanted:
        _match_one(name, files, target, limit, match)
    _match_defects(contents, wanted, match)
    left = [file.path[-1] for file in files if file.path[-1] not in wanted]
    for name in wanted:
        near = nearly(name, left)
        if near and name not in match.sources and name not in match.blocked:
            match.hints[name] = (
                f"found {clean(near[0])!r}, but the name must be exactly {name!r}; rename the file if it is this one"
            )
            match.notices.append(match.hints[name])
    return match


def _unnested(files: list[Stored], notices: list[str]) -> list[Stored]:
    """The files with paths from inside the one folder that holds everything, where there is one."""
    for _ in range(_NESTED):
        tops = {file.path[0] for file in files}
        if len(tops) != 1 or any(len(file.path) == 1 for file in files):
            break
        notices.append(f"looked into {clean(tops.pop())!r}, the only folder there")
        files = [Stored(file.path[1:], file.size, file.at) for file in files]
    return files


def _match_one(name: str, files: list[Stored], target: Path, limit: int, match: Match) -> None:
    found = [file for file in files if file.path[-1] == name]
    if not found:
        return
    chosen = [file for file in found if len(file.path) == 1] or found
    bytes_of = {file.path: _read(file, limit) for file in chosen}
    places = ", ".join(clean("/".join(path)) for path in sorted(bytes_of)[:4])
    if len(set(bytes_of.values())) > 1:
        match.blocked[name] = f"there are {len(chosen)} different files named {name!r} ({places}); hand in only one"
        return
    if len(chosen[0].path) > 1:
        match.notices.append(f"used {clean('/'.join(chosen[0].path))}")
    elif len(found) > len(chosen):
        match.notices.append(f"used the {name} at the top level; others are in deeper folders")
    _place(name, bytes_of[chosen[0].path], target, limit, match)


def _place(name: str, data: bytes | None, target: Path, limit: int, match: Match) -> None:
    if data is None:
        match.blocked[name] = f"{name!r} cannot be read"
    elif len(data) > limit:
        match.blocked[name] = f"{name!r} is larger than {limit >> 10} KiB, which no kernel needs"
    else:
        text, done = normalise(data)
        if len(text) > 2 * limit:
            match.blocked[name] = f"{name!r} is larger than {limit >> 10} KiB, which no kernel needs"
            return
        target.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(text)
        match.sources[name] = target / name
        match.notices += [f"{name}: {one}" for one in done]
        if not text.strip():
            match.notices.append(f"{name} is empty")


def _match_defects(contents: Contents, wanted: list[str], match: Match) -> None:
    """A wanted file that is a link or a device is blocked. Any other defect is only a notice."""
    for defect in contents.defects:
        name = defect.path[-1] if defect.path else ""
        if name in wanted and name not in match.sources:
            match.blocked[name] = defect.reason
        else:
            match.notices.append(defect.reason)


def _read(file: Stored, limit: int) -> bytes | None:
    """At most `limit` bytes and one more of a regular file. None where it is not regular or cannot be read. Follows no link."""
    if file.at is None:
        return None
    try:
        descriptor = os.open(file.at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as source:  # noqa: PTH123 -- a descriptor, not a path
        return source.read(limit + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
