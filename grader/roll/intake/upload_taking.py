"""Takes the labs' files of one upload: opens the archive that it is or holds, and looks into what was typed into the platform."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.model.written_names import clean, is_variant
from grader.roll.intake.attempts import Attempt
from grader.roll.intake.class_level import Spool
from grader.roll.intake.matching import HandedAnswers, LabFile, Match, match_files, take_answers
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, failure_reason, is_archive_name
from grader.roll.intake.upload_search import archive_upload

_LISTED = 40  # at most this many file names go into a result
_SEVERAL = 6  # archives of one upload, such as one for each lab
_NESTED = 3  # how many archives may lie in one another
_CODE = re.compile(r"__global__|^[ \t]*#[ \t]*include|\bint\s+main\s*\(", re.MULTILINE)


def take_upload(upload: Upload, target: Path, wanted: Sequence[LabFile], spool: Spool) -> Attempt:
    """Matches the upload's files with the wanted ones and copies them to `target`. Where that fails, this upload alone is refused."""
    match = Match(target)
    try:
        upload = _opened(upload, wanted, spool)
        if upload.refused is None:
            upload, match = _matched(upload, target, wanted)
    except (OSError, MemoryError):  # this machine's, and so every student's
        raise
    except Exception as error:  # noqa: BLE001 -- whatever one student's files bring about is nothing to the class
        upload = replace(upload, refused=failure_reason(error))
    answers, said = _answers(upload, wanted)
    return Attempt(
        download=upload.download,
        at=upload.at,
        late=upload.late,
        name=clean(upload.name),
        files=tuple(clean("/".join(file.path)) for file in upload.contents.files[:_LISTED]),
        downloaded=tuple(clean(one) for one in upload.downloaded[:_LISTED]),
        sources=match.sources,
        blocked=match.blocked,
        hints=match.hints,
        notices=(*upload.notices, *match.notices, *said),
        refused=upload.refused,
        answers=answers,
    )


def _answers(upload: Upload, wanted: Sequence[LabFile]) -> tuple[dict[str, HandedAnswers], list[str]]:
    """Nobody loses a lab's file by what is wrong with answers."""
    if upload.refused is not None:
        return {}, []
    try:
        return take_answers(upload.contents, wanted)
    except (OSError, MemoryError):  # this machine's, and so every student's
        raise
    except Exception as error:  # noqa: BLE001 -- see above
        return {}, [
            f"Tilelab failed while it read the answers ({type(error).__name__}); no lab's file is touched by that"
        ]


def _matched(upload: Upload, target: Path, wanted: Sequence[LabFile]) -> tuple[Upload, Match]:
    match = match_files(upload.contents, target, wanted)
    if upload.text.strip():
        _take_text(upload.text, wanted, match)
    archives = [file.path[-1] for file in upload.contents.files if is_archive_name(file.path[-1])]
    if archives and not (match.sources or match.blocked or match.hints):
        reason = f"the archive holds another archive, which is not opened: {clean(archives[0])!r}; hand in the files themselves"
        if not upload.packed:
            reason = f"the upload has several archives and no file of a lab: {clean(archives[0])!r}, …; hand in only one archive"
        return replace(upload, refused=reason), Match(target)
    return upload, match


def _opened(upload: Upload, wanted: Sequence[LabFile], spool: Spool) -> Upload:
    """Opens the archive where the upload holds one archive and no wanted file, and the one in that. Course systems and students make
    such archives. Each is held against the same limits.
    """
    for _ in range(_NESTED):
        files = upload.contents.files
        archives = [file for file in files if is_archive_name(file.path[-1])]
        if upload.refused is not None or not 0 < len(archives) <= _SEVERAL or any(one.at is None for one in archives):
            break
        if any(file.path[-1] == one.name or is_variant(file.path[-1], one.name) for file in files for one in wanted):
            break
        first = archives[0].at
        if first is None:
            break
        if len(archives) > 1:
            upload = _together(upload, archives, spool)
            break
        name = archives[0].path[-1]
        alone = len(files) == 1 and len(archives[0].path) == 1 and bool(upload.owners) and not upload.packed
        said = (
            ()
            if alone
            else (f"opened {clean(name)!r}, the only archive in the {'archive' if upload.packed else 'folder'}",)
        )
        inner = archive_upload(name, first, spool)
        upload = replace(
            upload, contents=inner.contents, refused=inner.refused, packed=True, notices=(*upload.notices, *said)
        )
    return upload


def _together(upload: Upload, archives: Sequence[Stored], spool: Spool) -> Upload:
    """Several archives, such as one for each lab: each is a folder of its name. The first that is refused refuses all."""
    files, defects, refused = [], [], None
    for number, one in enumerate(archives):
        assert one.at is not None
        inner = archive_upload(one.path[-1], one.at, spool)
        if inner.refused is not None:
            refused = f"{clean(one.path[-1])!r}: {inner.refused}"
            break
        folder = (f"{number + 1} {inner.name}",)
        files += [Stored((*folder, *file.path), file.size, file.at) for file in inner.contents.files]
        defects += [Defect(each.reason, (*folder, *each.path)) for each in inner.contents.defects]
    said = f"opened {len(archives)} archives: {', '.join(clean(one.path[-1]) for one in archives)}"
    notices = (*upload.notices, said)
    return replace(
        upload, contents=Contents(tuple(files), defects=tuple(defects)), refused=refused, packed=True, notices=notices
    )


def _take_text(text: str, wanted: Sequence[LabFile], match: Match) -> None:
    """What was typed is a lab's file where it is code, that lab's file did not come otherwise, and it is sure which lab it is."""
    if not _CODE.search(text):
        return
    missing = [one for one in wanted if one.name not in match.sources and one.name not in match.blocked]
    fitting = [one for one in missing if any(re.search(rf"\b{re.escape(entry)}\s*\(", text) for entry in one.entries)]
    fitting = fitting or [one for one in missing if one.name in text]
    if not fitting and len(wanted) == len(missing) == 1:
        fitting = missing
    if not fitting:
        if missing:
            match.notices.append("there is code in the platform's text field, and it is not clear for which lab it is")
        return
    for one in fitting:
        match.hints.pop(one.name, None)
        match.notices.append(f"took {one.name} from the platform's text field")
        match.place(one.name, text.encode("utf-8", "replace") + b"\n")
