"""What of a compiler lies where a sandbox shows nothing by itself: under /opt, in a shared folder, behind a wrapper script.

A sandbox shows the system's folders alone. A compiler elsewhere is asked where its parts are, and those are shown too, each folder
as it is and none above it. Whether that was enough is for the controls to say, which compile with it.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.system_paths import system_folders

_PROGRAMS = ("cc1plus", "collect2", "as", "ld", "ld.gold", "objcopy", "lto-wrapper")
_SEARCHED = re.compile(r"#include <\.\.\.> search starts here:\n(.*?)\nEnd of search list", re.DOTALL)
_DRIVER = re.compile(r"^(?:COLLECT_GCC=|InstalledDir: )(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class CompilerHome:
    """Empty for a compiler of the system's."""

    places: tuple[Path, ...] = ()  # folders and files that a sandbox has to show
    libraries: tuple[Path, ...] = ()  # where its programs find their own libraries

    @property
    def before(self) -> list[str]:
        """What comes before a command in the sandbox, where the environment is a fixed one."""
        return ["env", f"LD_LIBRARY_PATH={':'.join(map(str, self.libraries))}"] if self.libraries else []

    @property
    def link_flags(self) -> tuple[str, ...]:
        """A runner finds none of this compiler's libraries when it runs."""
        return ("-static-libstdc++", "-static-libgcc") if self.places else ()


def home_of(compiler: str) -> CompilerHome:
    """Asks once in a process. Raises nothing: a compiler that does not answer has no home."""
    return _home(compiler, os.environ.get("LD_LIBRARY_PATH", ""))


@functools.cache
def _home(compiler: str, library_path: str) -> CompilerHome:
    driver = shutil.which(compiler)
    if driver is None:
        return CompilerHome()
    part = Path(_ask(driver, "-print-prog-name=cc1plus"))
    if not any(map(_is_hidden, (*_chain(Path(driver)), part if part.is_absolute() else Path(driver)))):
        return CompilerHome()
    places = [
        one for one in dict.fromkeys(_parts(driver)) if one.exists() and _is_hidden(one) and not _holds_too_much(one)
    ]
    libraries = [Path(one) for one in library_path.split(":") if one and _is_hidden(Path(one)) and Path(one).is_dir()]
    return CompilerHome(tuple(dict.fromkeys([*places, *libraries])), tuple(libraries))


def programs_of(compiler: str) -> list[Path]:
    """The files that compile, assemble and link: with another one of them, a file may come out otherwise."""
    driver = shutil.which(compiler)
    if driver is None:
        return []
    asked = [shutil.which(_ask(driver, f"-print-prog-name={program}")) for program in _PROGRAMS]
    return list(dict.fromkeys(Path(one).resolve() for one in (driver, *asked) if one))


def _parts(driver: str) -> Iterator[Path]:
    yield from _chain(Path(driver))
    _, spoken = _said(driver, "-v", "-E", "-x", "c++", "/dev/null")
    for named in _DRIVER.findall(spoken):
        yield from _chain(Path(shutil.which(named) or named))
    for program in _PROGRAMS:
        found = Path(_ask(driver, f"-print-prog-name={program}"))
        if found.is_absolute():
            yield from (found.parent, *_chain(found))
    for listed in _SEARCHED.findall(spoken):
        yield from map(Path, listed.split())
    for word in _ask(driver, "-print-search-dirs").splitlines():
        if word.startswith("libraries: ="):
            yield from (Path(os.path.normpath(one)) for one in word.removeprefix("libraries: =").split(":"))
    yield Path(_ask(driver, "-print-file-name=include"))


def _chain(path: Path) -> Iterable[Path]:
    """The path and, where it is a link, every place it leads to."""
    while path.is_symlink():
        yield path
        path = Path(os.path.normpath(path.parent / path.readlink()))
    yield path


def _is_hidden(path: Path) -> bool:
    """Whether a sandbox shows nothing of it by itself; it does show what set-up unpacked for this clone."""
    if ".tilelab/prefix/" in f"{path}/":
        return False
    shown = [folder.resolve() for folder in system_folders()]
    return not any(path.resolve().is_relative_to(folder) for folder in shown)


def _holds_too_much(folder: Path) -> bool:
    """The root, somebody's home, or what holds the current folder: solutions and the seed may lie there."""
    kept = (Path("/"), Path.home(), Path.cwd())
    return folder.is_dir() and any(one.resolve().is_relative_to(folder.resolve()) for one in kept)


def _ask(driver: str, question: str) -> str:
    return _said(driver, question)[0]


def _said(driver: str, *words: str) -> tuple[str, str]:
    """On its standard output and on its standard error."""
    try:
        done = subprocess.run([driver, *words], check=False, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    return done.stdout.strip(), done.stderr.strip()
