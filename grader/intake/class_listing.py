"""Lists what lies at the top of a class: of a folder or an archive that was given, or of one inside it."""

from __future__ import annotations

import os
from pathlib import Path

from grader.intake.intake_spool import Spool
from grader.intake.uploads.archives import read_archive
from grader.intake.uploads.class_files import ClassFiles, Top
from grader.intake.uploads.folders import read_folder
from grader.intake.uploads.naming import clean, is_junk
from grader.intake.uploads.upload import CLASS, STUDENT, Contents, Defect, Refusal, Stored, clashes, is_archive_name

_LINK = "this is a symbolic link, which is not followed: put the folder or the archive itself here"


def list_folder(path: Path, spool: Spool) -> ClassFiles:
    """Each folder in it may be as large as one student's; one that is alone there may hold the class."""
    with os.scandir(path) as scan:
        entries = sorted((entry for entry in scan if not is_junk((entry.name,))), key=lambda entry: entry.name)
    alone = sum(entry.is_dir(follow_symlinks=False) for entry in entries) == 1
    tops: dict[str, Top] = {}
    for at, entry in enumerate(entries):
        spool.told(at, 2 * len(entries))  # then each is looked into once more
        if entry.is_symlink():
            tops[entry.name] = Top(entry.name, is_folder=not is_archive_name(entry.name), refused=_LINK)
        elif entry.is_dir(follow_symlinks=False):
            try:
                contents = read_folder(Path(entry.path), CLASS if alone else STUDENT)
                tops[entry.name] = Top(entry.name, contents, is_folder=True)
            except Refusal as refusal:
                tops[entry.name] = Top(entry.name, is_folder=True, refused=str(refusal))
        elif entry.is_file(follow_symlinks=False):
            stored = Stored((), entry.stat(follow_symlinks=False).st_size, Path(entry.path))
            tops[entry.name] = Top(entry.name, Contents((stored,)))
        else:
            tops[entry.name] = Top(entry.name)  # a device or the like: nobody's
    return ClassFiles(path.resolve().name, tops, spool.wanted, spool.zone)


def list_archive(name: str, path: Path, spool: Spool) -> tuple[ClassFiles, tuple[Defect, ...]]:
    """The archive's entries, and what is wrong with it as a whole. Raises Refusal where it cannot be read."""
    contents = read_archive(path, spool.request(whole_class=True))
    return list_contents(name, contents, spool), tuple(one for one in contents.defects if not one.path)


def list_contents(name: str, contents: Contents, spool: Spool) -> ClassFiles:
    """Of what was read already. An archive may hold a name twice: then it is nobody's."""
    tops = {}
    for top, group in grouped(contents).items():
        files = [file for file in group.files if not file.path]
        is_folder = not files
        refused = None
        if not is_folder and (len(group.files) > 1 or group.folders or group.defects):
            refused = f"the class's archive holds {clean(top)!r} more than once"
        tops[top] = Top(top, group if is_folder else Contents(tuple(files[:1])), is_folder=is_folder, refused=refused)
    return ClassFiles(name, dict(sorted(tops.items())), spool.wanted, spool.zone)


def grouped(contents: Contents) -> dict[str, Contents]:
    """The contents by the first component of their paths, with that component removed."""
    groups: dict[str, tuple[list[Stored], list[tuple[str, ...]], list[Defect], list[tuple[str, ...]]]] = {}

    def group(name: str) -> tuple[list[Stored], list[tuple[str, ...]], list[Defect], list[tuple[str, ...]]]:
        return groups.setdefault(name, ([], [], [], []))

    for file in contents.files:
        group(file.path[0])[0].append(Stored(file.path[1:], file.size, file.at))
    for folder in contents.folders:
        if folder:
            group(folder[0])[1].append(folder[1:])
    for defect in contents.defects:
        if defect.path and not is_junk(defect.path[:1]):
            group(defect.path[0])[2].append(Defect(defect.reason, defect.path[1:]))
    for repository in contents.repositories:
        if repository:
            group(repository[0])[3].append(repository[1:])
    return {
        name: Contents(tuple(a), tuple(one for one in b if one), tuple(c), frozenset(d))
        for name, (a, b, c, d) in groups.items()
    }


def first_defect(contents: Contents) -> str | None:
    """Why an archived upload is refused: one defect in its entries is enough."""
    defects = [*contents.defects, *clashes(file.path for file in contents.files)]
    return defects[0].reason if defects else None
