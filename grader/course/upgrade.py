"""Upgrades an unpacked handout to a newer one and keeps what the student wrote. `python3 -m grader.course.upgrade NEW.tar.gz`

It uses only the standard library: it runs before set-up, and also where set-up is broken. It first says what will change
(upgrade.py), and on a terminal it asks. No student's work is deleted, whenever it is interrupted.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path, PurePosixPath

from grader.course.handout_archive import MANIFEST, Handout, Manifest, PackedFile, digest, read_handout
from grader.model.errors import RemediableError

# What an upgrade of a handout will do to each file, found out before anything is changed. It writes nothing.
#
# It compares three versions of each file: the one that was handed out, the one in the folder, and the new one. A starter that the
# student edited stays. Any other file that the student changed is replaced, and the student's version is kept under another name. It
# uses only the standard library, as upgrade.py does.

_LISTED = 12  # paths of one kind, by name


@dataclass
class Plan:
    """Paths below the folder, in the order in which they are done. `aside`, `beside`: to the path that is written."""

    folder: Path
    old: Manifest
    new: Manifest
    aside: dict[str, str] = field(default_factory=dict)  # the student's versions, and what they will be called
    replaced: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # starters that the student edited; they stay
    beside: dict[str, str] = field(default_factory=dict)  # newer versions of those starters
    runnable: list[str] = field(default_factory=list)  # files that only lost the right to be run

    @property
    def changes_nothing(self) -> bool:
        """Whether the folder is this version already."""
        done = (self.aside, self.replaced, self.added, self.removed, self.beside, self.runnable)
        return self.old == self.new and not any(done)

    def __str__(self) -> str:
        older = ", which is OLDER" if self.new.date < self.old.date else ""
        counts = ((len(self.replaced), "bring up to date"), (len(self.added), "add"), (len(self.removed), "remove"))
        new = [f"{written}, beside {path}" for path, written in self.beside.items()]
        saved = [f"{path} becomes {written}" for path, written in self.aside.items()]
        lists = (
            ("stays as you wrote it", self.kept),
            ("its starter has changed as well, so the new one is written for you to compare", new),
            ("you changed it and the new version takes its place, so yours is kept under another name", saved),
        )
        lines = [f"from {self.old}", f"to   {self.new}{older}"]
        lines.append(f"files to {', '.join(f'{what}: {count}' for count, what in counts)}")
        for what, paths in lists:
            lines += [f"{what}:", *(f"  {path}" for path in paths[:_LISTED])] if paths else []
            lines += [f"  and {len(paths) - _LISTED} more"] if len(paths) > _LISTED else []
        return "\n".join(lines)

    def update_file(self, path: str, file: PackedFile) -> None:
        """Plans what becomes of one file of the new handout."""
        here, wanted = self._digest(path), digest(file.data)
        target = self.folder / path
        if here == wanted:
            mode = stat.S_IMODE(target.stat().st_mode)
            if mode_of(mode, file) != mode:
                self.runnable.append(path)
            return
        exists = os.path.lexists(target)
        untouched = not exists or (here is not None and here == self.old.files.get(path) and not target.is_symlink())
        if here is not None and not untouched and path in self.new.starters:
            self.kept.append(path)
            if self.old.files.get(path) != wanted:
                self._put_beside(path, wanted)
            return
        if not untouched:
            self._put_aside(path)
        else:
            self._put_aside_in_the_way(path)
        (self.replaced if exists else self.added).append(path)

    def remove_file(self, path: str) -> None:
        """Plans to remove a file that is no longer handed out, because a build might still use it. A student's work stays."""
        here = self._digest(path)
        if here is None:
            return
        if here == self.old.files[path] and not (self.folder / path).is_symlink():
            self.removed.append(path)
        elif path in self.old.starters:
            self.kept.append(path)
        else:
            self._put_aside(path)

    def _digest(self, path: str) -> str | None:
        """Of the file that is there now. None: there is none, or it is no regular file."""
        target = self.folder / path
        return digest(target.read_bytes()) if target.is_file() else None

    def _put_beside(self, path: str, wanted: str) -> None:
        """A newer starter beside the student's file. One of an earlier upgrade is replaced; any other file stays."""
        for name in _names(path, "new"):
            here = self._digest(name)
            if here == wanted:
                return
            if not os.path.lexists(self.folder / name) or here == self.old.files.get(path):
                self.beside[path] = name
                return

    def _put_aside(self, path: str) -> None:
        names = (name for name in _names(path, "mine") if name not in self.aside.values())
        self.aside[path] = next(name for name in names if not os.path.lexists(self.folder / name))

    def _put_aside_in_the_way(self, path: str) -> None:
        """A file that stands where a folder of the new handout comes."""
        for parent in reversed(PurePosixPath(path).parents):
            name = str(parent)
            if os.path.lexists(self.folder / name) and not (self.folder / name).is_dir() and name not in self.aside:
                self._put_aside(name)
                return


def plan_upgrade(folder: Path, old: Manifest, unpacked: Handout) -> Plan:
    """Raises OSError where a file cannot be read."""
    plan = Plan(folder, old, unpacked.manifest)
    for path, file in unpacked.files.items():
        if path not in {MANIFEST, "VERSION"}:
            plan.update_file(path, file)
    for path in sorted(old.files.keys() - unpacked.files.keys()):
        plan.remove_file(path)
    return plan


def mode_of(mode: int, file: PackedFile) -> int:
    """The permissions `mode`. If the file is executable, whoever may read it may run it."""
    return mode & 0o777 | (mode & 0o444) >> 2 if file.executable else mode & 0o777


def _names(path: str, ending: str) -> Iterator[str]:
    """`x.cu.new`, `x.cu.new2`, `x.cu.new3`, … An editor shows them beside the file; the grader takes none of them for it."""
    return (f"{path}.{ending}{number}" for number in chain([""], count(2)))


_USAGE = "which handout? make upgrade FROM=path/to/the-newer-one.tar.gz"


def upgrade(folder: Path, archive: Path, agreed: Callable[[Plan], bool] = lambda _: True) -> Plan:
    """Upgrades the handout in `folder` if `agreed`, which is shown the plan. Raises RemediableError before any change where
    `folder` or `archive` is no handout, and where the new files cannot be written.
    """
    old = _manifest_in(folder)
    if archive.is_dir() and archive.resolve() == folder.resolve():
        raise RemediableError(f"{archive} is this folder itself, and no newer handout: name the newer one's archive")
    unpacked = read_handout(archive)
    try:
        plan = plan_upgrade(folder, old, unpacked)
    except OSError as error:
        raise RemediableError(
            f"{error.filename or folder} cannot be read ({error.strerror}): nothing was changed"
        ) from error
    if not plan.changes_nothing and agreed(plan):
        _carry_out(plan, unpacked)
    return plan


def _manifest_in(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        raise RemediableError(
            f"{folder.resolve()} is not an unpacked handout: it holds no {MANIFEST}. "
            "Unpack the newer handout beside it and copy your .cu files into that."
        )
    return Manifest.from_json(path.read_bytes(), str(path))


def _carry_out(plan: Plan, unpacked: Handout) -> None:
    """Everything new is written before the first change, so a full disk changes nothing. The manifest comes last, so an interrupted
    upgrade can be run again.
    """
    folder, written = plan.folder, [*plan.replaced, *plan.added, *plan.beside, "VERSION"]
    try:
        staging = Path(tempfile.mkdtemp(prefix=".upgrade-", dir=folder))
    except OSError as error:
        raise RemediableError(
            f"{folder.resolve()} cannot be written ({error.strerror}), so nothing was changed: {_remedy(error)}"
        ) from error
    try:
        _stage(staging, [unpacked.files[path] for path in [*written, MANIFEST]])
        at = folder
        try:
            for path, name in plan.aside.items():
                at = folder / path
                at.rename(folder / name)
            for number, path in enumerate(written):
                at = folder / plan.beside.get(path, path)
                _place(staging / str(number), at)
            for path in plan.runnable:
                at = folder / path
                at.chmod(mode_of(at.stat().st_mode, unpacked.files[path]))
            for path in plan.removed:
                at = folder / path
                at.unlink()
            at = folder / MANIFEST
            _place(staging / str(len(written)), at)
        except OSError as error:
            raise RemediableError(
                f"{at} cannot be changed ({error.strerror}): {_remedy(error)}. Nothing of yours is lost."
            ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _stage(staging: Path, files: Sequence[PackedFile]) -> None:
    """Writes the files with the present time: a build compares times, and the archive's is old."""
    try:
        for number, file in enumerate(files):
            target = staging / str(number)
            target.write_bytes(file.data)
            target.chmod(mode_of(target.stat().st_mode, file))
    except OSError as error:
        raise RemediableError(
            f"the new files cannot be written ({error.strerror}), so nothing was changed: {_remedy(error)}"
        ) from error


def _place(staged: Path, target: Path) -> None:
    """Puts the file there as a whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        staged.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the student has put this folder on another disk
            raise
        handle, name = tempfile.mkstemp(prefix=".upgrade-", dir=target.parent)
        os.close(handle)
        shutil.copy(staged, name)
        Path(name).replace(target)


def _remedy(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "make room on this disk, and run the same command again"
    return "make it writable, and run the same command again"


def _ask(plan: Plan) -> bool:
    """Shows the plan. Only where somebody can answer, it asks."""
    sys.stdout.write(f"{plan}\n")
    if os.environ.get("DRY_RUN"):
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    sys.stdout.write("Do this? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not arguments[0]:
        sys.stderr.write(f"tilelab: {_USAGE}\n")
        return 2
    agreed: list[bool] = []

    def ask(plan: Plan) -> bool:
        agreed.append(_ask(plan))
        return agreed[-1]

    try:
        plan = upgrade(Path.cwd(), Path(arguments[0]).expanduser(), ask)
    except RemediableError as error:
        sys.stderr.write(f"tilelab: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\ntilelab: interrupted; run the same command again to finish. Nothing of yours is lost.\n")
        return 130
    if plan.changes_nothing:
        sys.stdout.write(f"nothing to do: this folder is {plan.new} already\n")
    elif agreed == [True]:
        sys.stdout.write("done; the next command builds what has changed\n")
    else:
        sys.stdout.write("nothing was changed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
