"""Upgrades an unpacked handout to a newer one and keeps what the student wrote. `python3 -m grader.course.upgrade NEW.tar.gz`

It uses only the standard library: it runs before set-up, and also where set-up is broken. It first says what will change
(upgrade_plan.py), and on a terminal it asks. No student's work is deleted, whenever it is interrupted.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.course.handout_archive import Unpacked, read_handout
from grader.course.manifest import MANIFEST, Manifest
from grader.course.tarball import PackedFile
from grader.course.upgrade_plan import Plan, mode_of, plan_upgrade
from grader.model.errors import RemediableError

_USAGE = "which handout? make upgrade FROM=path/to/the-newer-one.tar.gz"


def upgrade(folder: Path, archive: Path, agreed: Callable[[Plan], bool] = lambda _: True) -> Plan:
    """Upgrades the handout in `folder` if `agreed`, which is shown the plan. Raises RemediableError before any change where
    `folder` or `archive` is no handout, and where the new files cannot be written.
    """
    old = _manifest_in(folder)
    if archive.is_dir() and archive.resolve() == folder.resolve():
        message = f"{archive} is this folder itself, and no newer handout: name the newer one's archive"
        raise RemediableError(message)
    unpacked = read_handout(archive)
    try:
        plan = plan_upgrade(folder, old, unpacked)
    except OSError as error:
        message = f"{error.filename or folder} cannot be read ({error.strerror}): nothing was changed"
        raise RemediableError(message) from error
    if not plan.changes_nothing and agreed(plan):
        _carry_out(folder, plan, unpacked)
    return plan


def _manifest_in(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        message = (
            f"{folder.resolve()} is not an unpacked handout: it holds no {MANIFEST}. "
            "Unpack the newer handout beside it and copy your .cu files into that."
        )
        raise RemediableError(message)
    return Manifest.from_json(path.read_bytes(), str(path))


def _carry_out(folder: Path, plan: Plan, unpacked: Unpacked) -> None:
    """Everything new is written before the first change, so a full disk changes nothing. The manifest comes last, so an interrupted
    upgrade can be run again.
    """
    written = [*plan.replaced, *plan.added, *plan.beside, "VERSION"]
    try:
        staging = Path(tempfile.mkdtemp(prefix=".upgrade-", dir=folder))
    except OSError as error:
        message = f"{folder.resolve()} cannot be written ({error.strerror}), so nothing was changed: {_remedy(error)}"
        raise RemediableError(message) from error
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
            message = f"{at} cannot be changed ({error.strerror}): {_remedy(error)}. Nothing of yours is lost."
            raise RemediableError(message) from error
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
        message = f"the new files cannot be written ({error.strerror}), so nothing was changed: {_remedy(error)}"
        raise RemediableError(message) from error


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
