"""Finds a lab's files in one upload and copies them, normalised, into our own folder.

The name must be exact, except for what browsers and systems make of it by themselves. Where several files have it, the one at the
handout's own place counts, then the one nearest to the top. Copies in folders such as `old` or `build` count for nothing beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.lab_files import LabFile
from grader.intake.source_text import normalise
from grader.intake.uploads.naming import clean, is_copy, is_prefixed, is_variant, nearly
from grader.intake.uploads.stored_bytes import stored_bytes
from grader.intake.uploads.upload import Contents, Stored

_NESTED = 2  # how many single nested folders are entered
_MOST = 64  # of one name are compared
_SHOWN = 4
_POINTER = b"version https://git-lfs.github.com/spec/"
_VERSION = re.compile(r"Version (\d{1,4})")


@dataclass
class Match:
    """What became of each wanted file. A wanted file that is in none of the three dictionaries is missing."""

    sources: dict[str, Path] = field(default_factory=dict)
    blocked: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def match_files(contents: Contents, target: Path, wanted: Sequence[LabFile], limit: int) -> Match:
    """Copies those of the `wanted` files that `contents` holds to `target`. Each may have at most `limit` bytes."""
    match = Match()
    files = list(contents.files)
    if not files and not contents.defects:
        match.notices.append("this submission has no files")
    files = _unnested(files, match.notices)
    names = frozenset(one.name for one in wanted)
    for one in wanted:
        _match_one(one, files, target, limit, match)
    _match_defects(contents, names, match)
    left = [file for file in files if file.path[-1] not in names]
    for one in wanted:
        if one.name not in match.sources and one.name not in match.blocked:
            _match_variant(one, left, target, limit, match)
    return match


def place_text(name: str, data: bytes, target: Path, limit: int, match: Match) -> None:
    """A lab's file that did not come as a file."""
    _place(name, data, target, limit, match)


def _unnested(files: list[Stored], notices: list[str]) -> list[Stored]:
    """The files with paths from inside the one folder that holds everything, where there is one."""
    for _ in range(_NESTED):
        tops = {file.path[0] for file in files}
        if len(tops) != 1 or any(len(file.path) == 1 for file in files):
            break
        if tops == {"assignments"}:  # the handout's own place
            break
        notices.append(f"looked into {clean(tops.pop())!r}, the only folder there")
        files = [Stored(file.path[1:], file.size, file.at) for file in files]
    return files


def _match_one(wanted: LabFile, files: list[Stored], target: Path, limit: int, match: Match) -> None:
    found = [file for file in files if file.path[-1] == wanted.name][:_MOST]
    if not found:
        return
    chosen = _chosen(wanted, found, limit)
    bytes_of = {file.path: stored_bytes(file, limit) for file in chosen}
    if len(set(bytes_of.values())) > 1:
        places = ", ".join(clean("/".join(path)) for path in sorted(bytes_of)[:_SHOWN])
        match.blocked[wanted.name] = (
            f"there are {len(chosen)} different files named {wanted.name!r} ({places}); hand in only one"
        )
        return
    used = chosen[0].path
    others = f"; {len(found) - 1} other files with that name are in other folders" if len(found) > len(chosen) else ""
    if len(used) > 1:
        match.notices.append(f"used {clean('/'.join(used))}{others}")
    elif others:
        match.notices.append(f"used the {wanted.name} at the top level{others}")
    _place(wanted.name, bytes_of[used], target, limit, match)


def _chosen(wanted: LabFile, found: list[Stored], limit: int) -> list[Stored]:
    """Those of `found` that no other one comes before."""
    if len(found) == 1:
        return found
    changed = [file for file in found if not _is_starter(wanted, stored_bytes(file, limit))]
    found = changed or found
    ranks = {file.path: _rank(wanted, file.path) for file in found}
    first = min(ranks.values())
    return _last_versions([file for file in found if ranks[file.path] == first])


def _last_versions(files: list[Stored]) -> list[Stored]:
    """Without those of which there is a later one: Microsoft Teams puts what was handed in again into a folder "Version 2"."""
    last: dict[tuple[str, ...], int] = {}
    versions = []
    for file in files:
        numbers = [int(found[1]) for part in file.path[:-1] if (found := _VERSION.fullmatch(part))]
        number = numbers[0] if len(numbers) == 1 else 0
        place = tuple("Version" if number and _VERSION.fullmatch(part) else part for part in file.path)
        last[place] = max(number, last.get(place, 0))
        versions.append((file, place, number))
    return [file for file, place, number in versions if number == last[place]]


def _rank(wanted: LabFile, path: tuple[str, ...]) -> tuple[bool, int, int]:
    is_aside = any(is_copy(part) for part in path[:-1])
    if wanted.is_at_home(path):
        place = 0
    elif len(path) == 1:
        place = 1
    else:
        place = 2 if wanted.lab and path[-2] == wanted.lab else 3
    return is_aside, place, len(path)


def _is_starter(wanted: LabFile, data: bytes | None) -> bool:
    return data is not None and wanted.starter is not None and normalise(data)[0] == normalise(wanted.starter)[0]


def _match_variant(wanted: LabFile, left: Sequence[Stored], target: Path, limit: int, match: Match) -> None:
    """A file whose name a browser or a system has changed is taken if it is the only one. Other near names are only said."""
    near = [file for file in left if is_variant(file.path[-1], wanted.name)][:_MOST]
    if not near:
        prefixed = [file for file in left if is_prefixed(file.path[-1], wanted.name)][:_MOST]
        near = prefixed if len(prefixed) == 1 else []
    if near:
        chosen = _chosen(wanted, near, limit)
        data = {stored_bytes(file, limit) for file in chosen}
        name = clean("/".join(chosen[0].path))
        if len(data) == 1:
            match.notices.append(f"took {name!r} as {wanted.name!r}: it is the only file with such a name")
            _place(wanted.name, data.pop(), target, limit, match)
            return
        shown = ", ".join(repr(clean("/".join(file.path))) for file in chosen[:_SHOWN])
        match.hints[wanted.name] = (
            f"found {shown}, which differ, but the name must be exactly {wanted.name!r}; rename the file that is meant"
        )
    elif names := nearly(wanted.name, (file.path[-1] for file in left)):
        match.hints[wanted.name] = (
            f"found {clean(names[0])!r}, but the name must be exactly {wanted.name!r}; rename the file if it is this one"
        )
    if wanted.name in match.hints:
        match.notices.append(match.hints[wanted.name])


def _place(name: str, data: bytes | None, target: Path, limit: int, match: Match) -> None:
    if data is None:
        match.blocked[name] = f"{name!r} cannot be read"
    elif data.startswith(_POINTER):
        match.blocked[name] = (
            f"{name!r} is a pointer of Git LFS, and the file itself is not here: run `git lfs pull` in the clone"
        )
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


def _match_defects(contents: Contents, wanted: frozenset[str], match: Match) -> None:
    """A wanted file that is a link or a device is blocked. Any other defect is only a notice."""
    for defect in contents.defects:
        name = defect.path[-1] if defect.path else ""
        if name in wanted and name not in match.sources:
            match.blocked[name] = defect.reason
        else:
            match.notices.append(defect.reason)
