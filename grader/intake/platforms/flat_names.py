"""What flat downloads have in common: names that a platform made, and names that it did not make. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from grader.intake.uploads.class_files import ClassFiles, Top
from grader.intake.uploads.naming import clean, nearly
from grader.intake.uploads.upload import is_archive_name

PAGES = frozenset({"index.html", "index.htm"})  # which a platform adds itself
_Part = TypeVar("_Part")


def read_names(names: Iterable[str], read: Callable[[str], _Part | None]) -> tuple[dict[str, _Part], list[str]] | None:
    """What each name says, and the names that say nothing. None: most say nothing, so another layout it is."""
    told: dict[str, _Part] = {}
    others = []
    for name in names:
        if (one := read(name)) is not None:
            told[name] = one
        elif name.casefold() not in PAGES:
            others.append(name)
    return (told, others) if len(told) > len(others) else None


def strange(files: ClassFiles, others: Iterable[str]) -> list[str]:
    """Those of `others` that may be a student's, so that nobody may pass over them."""
    return [name for name in others if is_submission(files.tops[name], files.wanted)]


def is_submission(top: Top, wanted: frozenset[str]) -> bool:
    """Whether it may be something that was handed in, and not the instructor's own notes."""
    if not top.is_folder:
        return looks_handed_in(top.name, wanted)
    return top.refused is not None or any(looks_handed_in(one.path[-1], wanted) for one in top.contents.files)


def looks_handed_in(name: str, wanted: Iterable[str]) -> bool:
    plain = name.casefold()
    ends = any(plain.endswith(one.casefold()) or nearly(one, [name]) for one in wanted)
    return ends or plain.endswith((".cu", ".cuh", ".cu.txt")) or is_archive_name(name)


def unclear_notices(names: Iterable[str]) -> list[str]:
    return [
        f"ignored {clean(name)!r}: its name can be read in two ways, so it is not clear whose it is" for name in names
    ]


def only_folders(files: ClassFiles) -> Mapping[str, Top]:
    return {name: top for name, top in files.tops.items() if top.is_folder}


def only_files(files: ClassFiles) -> Mapping[str, Top]:
    return {name: top for name, top in files.tops.items() if not top.is_folder}
