"""Upgrades an unpacked handout to a newer one and keeps what the student wrote. `python3 -m grader.course.upgrade NEW.tar.gz`

It uses only the standard library: it runs before set-up, and also where set-up is broken. It compares three versions of each file:
the one that was handed out, the one in the folder, and the new one. A starter that the student edited stays. Any other file that
the student changed is replaced, and the student's version is kept under another name. No student's work is deleted.
"""

from __future__ import annotations

import os
import sys
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.course.manifest import MANIFEST, Manifest, digest
from grader.course.tarball import PackedFile
from grader.model.errors import RemediableError

_MOST_BYTES = 256 * 1024 * 1024  # unpacked; a handout has about a thousandth of that


@dataclass
class Changes:
    """What an upgrade did: lists of paths."""

    old: str
    new: str
    replaced: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # starters that the student edited; they stay
    beside: list[str] = field(default_factory=list)  # newer versions of those starters, written beside them
    saved: list[str] = field(default_factory=list)  # the student's versions of files that were replaced

    def __str__(self) -> str:
        lines = [f"from {self.old}", f"to   {self.new}"]
        lines.append(f"{len(self.replaced)} files brought up to date, {len(self.removed)} removed")
        lines += [f"kept your {path}" for path in self.kept]
        lines += [f"its starter has changed as well: compare with {path}" for path in self.beside]
        lines += [
            f"an upgrade replaces this file, and you had changed it; your version is now {path}" for path in self.saved
        ]
        return "\n".join(lines)


def upgrade(folder: Path, archive: Path) -> Changes:
    """Upgrades the handout in `folder`. Raises RemediableError before any change where `folder` or `archive` is no handout."""
    old = _manifest_in(folder)
    new, files = unpack(archive)
    step = _Upgrade(folder, old, new, Changes(str(old), str(new)))
    for path, file in files.items():
        if path != MANIFEST:
            step.update_file(path, file)
    for path in sorted(old.files.keys() - files.keys()):
        step.remove_file(path)
    _place(folder / MANIFEST, files[MANIFEST])  # written last, so that an interrupted upgrade can be run again
    return step.changes


def unpack(archive: Path) -> tuple[Manifest, dict[str, PackedFile]]:
    """A handout's manifest and files, checked against each other. Raises RemediableError where it is not complete."""
    files: dict[str, PackedFile] = {}
    if not archive.is_file():
        message = f"{archive}: there is no such file; name the newer handout's .tar.gz"
        raise RemediableError(message)
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                parts = PurePosixPath(member.name).parts
                if not member.isreg() or len(parts) < 2 or ".." in parts or parts[0] == "/":  # noqa: PLR2004
                    message = f"{archive}: {member.name!r} does not belong in a handout"
                    raise RemediableError(message)
                stream = tar.extractfile(member)
                assert stream is not None  # it is a regular file
                data = stream.read(_MOST_BYTES - sum(len(file.data) for file in files.values()) + 1)
                files["/".join(parts[1:])] = PackedFile(data, bool(member.mode & 0o100))
                if sum(len(file.data) for file in files.values()) > _MOST_BYTES:
                    message = f"{archive} is much larger than any handout"
                    raise RemediableError(message)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        message = f"{archive} cannot be read as a handout: {error}"
        raise RemediableError(message) from error
    if MANIFEST not in files:
        message = f"{archive} is not a handout: it holds no {MANIFEST}"
        raise RemediableError(message)
    manifest = Manifest.from_json(files[MANIFEST].data, str(archive))
    inside = {path: digest(file.data) for path, file in files.items() if path in manifest.files}
    if inside != dict(manifest.files):
        message = f"{archive} is damaged: its files differ from its manifest. Download it again."
        raise RemediableError(message)
    return manifest, files


def _manifest_in(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        message = (
            f"{folder.resolve()} is not an unpacked handout: it holds no {MANIFEST}. "
            "Unpack the newer handout beside it and copy your .cu files into that."
        )
        raise RemediableError(message)
    return Manifest.from_json(path.read_bytes(), str(path))


@dataclass(frozen=True)
class _Upgrade:
    folder: Path
    old: Manifest
    new: Manifest
    changes: Changes

    def update_file(self, path: str, file: PackedFile) -> None:
        """Puts one file of the new handout into the folder."""
        target = self.folder / path
        here = digest(target.read_bytes()) if target.is_file() else None
        wanted = digest(file.data)
        if here == wanted:
            target.chmod(_mode(target.stat().st_mode, file))
            return
        untouched = here is None or here == self.old.files.get(path) or path == "VERSION"
        if not untouched and path in self.new.starters:
            self.changes.kept.append(path)
            if self.old.files.get(path) != wanted:
                _place(self.folder / f"{path}.new", file)
                self.changes.beside.append(f"{path}.new")
            return
        if os.path.lexists(target) and (here is None or not untouched):
            self._set_aside(path)
        _place(target, file)
        self.changes.replaced.append(path)

    def remove_file(self, path: str) -> None:
        """Removes a file that is no longer handed out, because a build might still use it. A student's work stays."""
        target = self.folder / path
        if not target.is_file():
            return
        if digest(target.read_bytes()) == self.old.files[path]:
            target.unlink()
            self.changes.removed.append(path)
        elif path in self.old.starters:
            self.changes.kept.append(path)
        else:
            self._set_aside(path)

    def _set_aside(self, path: str) -> None:
        number, name = 1, f"{path}.mine"
        while os.path.lexists(self.folder / name):
            number += 1
            name = f"{path}.mine{number}"
        (self.folder / path).rename(self.folder / name)
        self.changes.saved.append(name)


def _place(target: Path, file: PackedFile) -> None:
    """Writes the file as a whole or not at all, with the present time: a build compares times, and the archive's is old."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.unfinished")
    unfinished.write_bytes(file.data)
    unfinished.chmod(_mode(unfinished.stat().st_mode, file))
    unfinished.replace(target)


def _mode(mode: int, file: PackedFile) -> int:
    """The permissions `mode`. If the file is executable, whoever may read it may run it."""
    return mode & 0o777 | (mode & 0o444) >> 2 if file.executable else mode & 0o777


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not arguments[0]:
        sys.stderr.write("tilelab: which handout? make upgrade FROM=path/to/the-newer-one.tar.gz\n")
        return 2
    try:
        changes = upgrade(Path.cwd(), Path(arguments[0]).expanduser())
    except RemediableError as error:
        sys.stderr.write(f"tilelab: {error}\n")
        return 2
    sys.stdout.write(f"{changes}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
