"""A class's files before anybody knows whose they are: what lies at the top of a folder or archive that was given.

grader/intake/platforms/ says which platform has laid them out so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from grader.intake.uploads.stored_bytes import stored_bytes
from grader.intake.uploads.upload import Contents, Stored, Upload


@dataclass(frozen=True)
class Top:
    """One entry at the top. Of a folder: what is in it, and paths begin there. Of a file: the file alone."""

    name: str
    contents: Contents = field(default_factory=Contents)
    is_folder: bool = False
    refused: str | None = None  # why its contents cannot be taken

    @property
    def file(self) -> Stored | None:
        return None if self.is_folder or not self.contents.files else self.contents.files[0]


@dataclass(frozen=True)
class ClassFiles:
    label: str  # the name of the folder or archive around it
    tops: Mapping[str, Top]
    wanted: frozenset[str]  # names of the labs' files
    zone: tzinfo  # of times that a platform writes without one
    most_bytes: int | None = (
        None  # of a file in which a platform says something; none: as many as the platform may need
    )

    def text(self, name: str, limit: int) -> str | None:
        """Of a file at the top. None: there is none, or it has more than `limit` bytes."""
        limit = limit if self.most_bytes is None else min(limit, self.most_bytes)
        top = self.tops.get(name)
        data = stored_bytes(top.file, limit) if top is not None and top.file is not None else None
        return None if data is None or len(data) > limit else data.decode("utf-8-sig", "replace")

    def local(self, when: datetime) -> datetime:
        return when.replace(tzinfo=self.zone)


@dataclass(frozen=True)
class Export:
    """A class as one platform lays it out."""

    platform: str
    uploads: tuple[Upload, ...]
    notices: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # names at the top that the platform did not write
    strange: tuple[str, ...] = ()  # those of them that may be what somebody handed in
    local_times: bool = False  # the platform wrote times without a time zone
    what: str = "export"


# None: another layout.
Recogniser = Callable[[ClassFiles], Export | None]


@dataclass
class Gathered:
    """The files of one attempt, while they are put together from a flat download."""

    files: list[Stored] = field(default_factory=list)
    downloaded: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
