"""Which files of OUT are as they would be made now: instructor/pages/inputs.json says what each was made from, and what it held then.

A file is left alone only where both are the same: what it would be made from, this program's own files among it, and its contents on the
disk. So a page that somebody has changed, or that a killed batch has left behind, is made again.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from grader.machine.atomic_file import write_atomically

_ENTRIES: TypeAdapter[dict[str, tuple[str, str]]] = TypeAdapter(dict[str, tuple[str, str]])
_LIBRARIES = ("jinja2", "markupsafe", "pydantic", "pydantic-core")


class KeptPages:
    """`out`: the folder of a class. A record that is missing or damaged counts as an empty one."""

    def __init__(self, out: Path) -> None:
        self._out, self._path = out, out / "instructor" / "pages" / "inputs.json"
        self._now: dict[str, tuple[str, str]] = {}
        try:
            self._before = _ENTRIES.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            self._before = {}

    def stands(self, path: Path, inputs: str) -> bool:
        """Whether the file at `path` need not be made. `inputs`: a digest of what it is made from; empty: nobody knows."""
        name = self._name(path)
        made_from, contents = self._before.get(name, ("", ""))
        if not inputs or made_from != inputs:
            return False
        try:
            same = _digest(path.read_bytes()) == contents and not path.is_symlink()
        except OSError:
            return False
        if same:
            self._now[name] = (made_from, contents)
        return same

    def note(self, path: Path, inputs: str, text: str | bytes) -> None:
        """Now `path` holds `text`."""
        if inputs:
            self._now[self._name(path)] = (inputs, _digest(text.encode() if isinstance(text, str) else text))

    def write(self) -> None:
        """Where OUT does not take it, the record is the old one, and fits no file that was written meanwhile."""
        with suppress(OSError):
            write_atomically(self._path, _ENTRIES.dump_json(self._now) + b"\n")

    def withdraw(self, current: Mapping[Path, Collection[str]]) -> None:
        """Removes what an earlier batch wrote into the folders of `current` and nobody has changed since, except files of the names there:
        the others are about another file than the report beside them.
        """
        for name, (_, contents) in self._before.items():
            path = self._out / name
            if path.name in current.get(path.parent, [path.name]):
                continue
            with suppress(OSError):  # it is gone, or OUT takes no change: nothing leads to it
                if not path.is_symlink() and _digest(path.read_bytes()) == contents:
                    path.unlink()

    def _name(self, path: Path) -> str:
        return path.relative_to(self._out).as_posix()


def inputs_digest(*parts: bytes | str) -> str:
    """A digest of `parts` and of this program."""
    digest = hashlib.blake2b(_program().encode(), digest_size=16)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@cache
def _program() -> str:
    """A digest of the grader's modules, templates and styles, and of what renders them."""
    folder = Path(__file__).parents[2]
    digest = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(folder)}\0{_digest(path.read_bytes())}\0".encode())
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}\0".encode())
    return digest.hexdigest()
