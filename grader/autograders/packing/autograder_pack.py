"""What every pack consists of: what it is made from, the files that come of it, and what the instructor does with them. Plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.tarball import PackedFile
from grader.model.labs import Lab

Files = Mapping[str, PackedFile]  # by path, with "/" between its parts


@dataclass(frozen=True)
class PackRequest:
    root: Path  # of the course
    labs: Sequence[Lab]
    bundle: Path | None = None  # an archive of `make bundle`; none: the platform has a network
    image: str = ""  # what the platform calls an image that the instructor has built
    time: int = 0  # of every file, in seconds since 1970


@dataclass(frozen=True)
class PackMade:
    files: Files  # in a folder of the platform's name
    steps: tuple[str, ...]  # what comes next, one line each
    is_secret: bool = True  # holds hidden tests, solutions or the seed


@dataclass(frozen=True)
class AutograderPack:
    name: str  # as in `make autograder PLATFORM=NAME`
    help: str  # one line
    make: Callable[[PackRequest], PackMade]
