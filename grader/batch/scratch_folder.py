"""A batch's folder for temporary files. One that a killed batch has left behind is removed by the next.

Its owner holds a lock file in it, which the kernel lets go when the owner ends; a folder whose lock is free has no owner.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.machine.folder_removal import remove_folder
from grader.model.errors import MachineError
from grader.model.file_lock import HeldByAnotherError, exclusively

_PREFIX = "tilelab-batch-"
_LOCK = ".owner"


def require_temporary_files() -> None:
    """Raises MachineError where temporary files cannot be written: nothing works then, and each thing says so in its own way."""
    try:
        with tempfile.TemporaryFile() as probe:
            probe.write(bytes(1 << 16))  # a full disk still makes files and folders
            probe.flush()
    except OSError as error:
        message = f"temporary files cannot be written ({error}). Make room there, or name another folder with TMPDIR; nothing was graded."
        raise MachineError(message) from error


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Raises MachineError where temporary files cannot be written."""
    require_temporary_files()
    place = Path(tempfile.gettempdir())
    remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with exclusively(folder / _LOCK):
            yield folder
    finally:
        remove_folder(folder)


def remove_abandoned(place: Path) -> None:
    """Those of this user alone. One without a lock file is being made, or emptied, at this moment."""
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or not (folder / _LOCK).is_file():
                continue
            with exclusively(folder / _LOCK, wait=False):
                remove_folder(folder)
        except (OSError, HeldByAnotherError):
            continue
