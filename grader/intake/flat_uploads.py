"""Makes uploads of a flat download: one for each student, with the files of the last attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.intake.naming import clean
from grader.intake.platform_names import PlatformName
from grader.intake.upload import Contents, Stored


@dataclass(frozen=True)
class FlatUpload:
    """One student of a flat download."""

    name: str
    contents: Contents
    notices: tuple[str, ...]
    downloaded: tuple[str, ...]  # its files, by their names there


def flat_uploads(files: Mapping[str, Stored], told: Mapping[str, PlatformName]) -> tuple[list[FlatUpload], list[str]]:
    """The students, and lines about the download. `files`: by their names there; all of `told` are among them."""
    of_student: dict[str, list[tuple[PlatformName, Stored, str]]] = {}
    unclear = []
    for name, one in sorted(told.items()):
        if one.student:
            of_student.setdefault(one.student, []).append((one, files[name], name))
        else:
            unclear.append(name)
    uploads = [_upload(given) for given in of_student.values()]
    several = sum(bool(one.notices) for one in uploads)
    said = f"{next(iter(told.values())).platform} download, {len(uploads)} student{'s' if len(uploads) != 1 else ''}"
    if several:
        said += f", {several} of them with several attempts: the last one counts"
    twice = [
        f"ignored {clean(name)!r}: its name can be read in two ways, so it is not clear whose it is" for name in unclear
    ]
    return uploads, [said, *twice]


def _upload(given: Sequence[tuple[PlatformName, Stored, str]]) -> FlatUpload:
    attempts = sorted({one.attempt for one, _, _ in given})
    notices = (f"the last of {len(attempts)} attempts: {clean(attempts[-1])}",) if len(attempts) > 1 else ()
    last = [(one, stored, name) for one, stored, name in given if one.attempt == attempts[-1] and one.file]
    files = tuple(Stored((one.file,), stored.size, stored.at) for one, stored, _ in last)
    shown = next((one.upload for one, _, _ in given if one.shown), given[0][0].upload)
    return FlatUpload(shown, Contents(files), notices, tuple(name for _, _, name in last))
