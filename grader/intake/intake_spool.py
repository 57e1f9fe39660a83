"""Our own folders for the files of archives, and which files of an archive are stored there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from datetime import datetime, tzinfo
from pathlib import Path

from grader.intake.platforms.recognition import own_file_bytes
from grader.intake.uploads.naming import nearly
from grader.intake.uploads.upload import CLASS, STUDENT, Request, is_archive_name
from grader.questions.answer_bytes import is_named_answers
from grader.sandbox import Confinement

FILE_BYTES = 256 << 10  # of one source file
_LARGE, _MOST_LARGE = 4 << 20, 3  # a platform writes one such file; students may call files of theirs so too


def _here() -> tzinfo:
    zone = datetime.now().astimezone().tzinfo
    assert zone is not None
    return zone


class Spool:
    """Makes folders in `scratch`, one for the files of each archive. `told` hears how many uploads of how many were read."""

    def __init__(  # noqa: PLR0913, PLR0917 -- most have a value that a test need not give
        self,
        scratch: Path,
        wanted: Collection[str],
        zone: tzinfo | None = None,
        told: Callable[[int, int], None] = lambda _done, _total: None,
        labs: Collection[str] = (),
        confinement: Confinement | None = None,
        is_student: Callable[[str], bool] = lambda _name: False,
    ) -> None:
        self._scratch, self.wanted, self.labs = scratch, frozenset(wanted), frozenset(labs)
        self.zone = zone or _here()
        self.told = told
        self._confinement = confinement
        self.is_student = is_student  # whether a folder of that name is a known student's
        self._count = 0
        self._asked: dict[str, bool] = {}

    def request(self, *, whole_class: bool) -> Request:
        self._count += 1
        folder = self._scratch / f".spool-{self._count:04}"
        folder.mkdir(parents=True)
        if not whole_class:
            asks = lambda path: self._is_source(path) or is_archive_name(path[-1])  # noqa: E731 -- as below
            return Request(folder, asks, self._bytes, confinement=self._confinement)
        large = 0

        def asks_for(path: tuple[str, ...]) -> bool:
            nonlocal large
            if self._is_source(path) or is_archive_name(path[-1]):
                return True
            count = own_file_bytes(path)
            large += count > _LARGE
            return count > 0 and (count <= _LARGE or large <= _MOST_LARGE)

        return Request(folder, asks_for, self._bytes, CLASS, self._confinement)

    def _is_source(self, path: tuple[str, ...]) -> bool:
        """Whether it may be a lab's file or answers: by its name, a nearly right name, or what follows a platform's part of it."""
        name = path[-1]
        if name not in self._asked:
            ends = any(name.casefold().endswith(one.casefold()) or nearly(one, [name]) for one in self.wanted)
            self._asked[sys.intern(name)] = ends or ".cu" in name.casefold()[-16:] or is_named_answers(name)
        return self._asked[name]

    def _bytes(self, path: tuple[str, ...]) -> int:
        if self._is_source(path):
            return FILE_BYTES
        return STUDENT.archive_bytes if is_archive_name(path[-1]) else own_file_bytes(path)
