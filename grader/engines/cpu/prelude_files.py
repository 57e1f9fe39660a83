"""The headers that stand before every submission, and what a compiler made of them in advance, kept in a folder with their hashes.

A damaged file is made anew: a compiler that reads one says that the submission is wrong.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from grader.model.file_lock import exclusively

# The commands that make a file at this place, of which each may leave others beside it.
Recipe = Callable[[Path], list[list[str]]]
# CUDA's device language, as nvcc has it in every file. LaunchConfig is not in it: a submission that does not include the kit's own
# header gets the compiler's error here as it would with nvcc.
TEXT = "#include <cuda_on_cpu.hpp>\n"
_SUMS = "sha256"  # beside the files: a line for each, as sha256sum writes it


def keep(folder: Path, headers: tuple[str, ...], made: Mapping[str, Recipe], text: str = TEXT) -> None:
    """Makes in `folder` what is missing or damaged; `text`: what each header holds. Raises OSError, or subprocess.CalledProcessError
    where a command fails.
    """
    if _is_whole(folder, headers, made, text):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with exclusively(folder / ".lock"):  # several commands may start at once
        if not _is_whole(folder, headers, made, text):
            _make(folder, headers, made, text)


def _is_whole(folder: Path, headers: tuple[str, ...], made: Mapping[str, Recipe], text: str) -> bool:
    try:
        if any((folder / name).read_text(encoding="utf-8") != text for name in headers):
            return False
        return (folder / _SUMS).read_text(encoding="utf-8") == _sums({name: folder / name for name in made})
    except (OSError, ValueError):
        return False


def _sums(files: Mapping[str, Path]) -> str:
    return "".join(f"{_sum_of(path, _stamp(path.stat()))}  {name}\n" for name, path in files.items())


def _stamp(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns


@cache
def _sum_of(path: Path, _stamp: tuple[int, ...]) -> str:
    """A process that opens a toolset often reads the tens of megabytes once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _make(folder: Path, headers: tuple[str, ...], made: Mapping[str, Recipe], text: str) -> None:
    """Each file appears as a whole or not at all, because other commands may read them at the same time; their hashes come last."""
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as unfinished:
        for name in headers:
            header = Path(unfinished, name)
            header.write_text(text, encoding="utf-8")
            header.replace(folder / name)
        files = {name: Path(unfinished, name) for name in made}
        for name, recipe in made.items():
            for command in recipe(files[name]):
                subprocess.run(command, check=True, capture_output=True)
        sums = Path(unfinished, _SUMS)
        sums.write_text(_sums(files), encoding="utf-8")
        for name, path in files.items():
            path.replace(folder / name)
        sums.replace(folder / _SUMS)
